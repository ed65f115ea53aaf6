"""Which form of an answer a client takes: whole objects, a table for people, or metadata alone.

Protobuf and CBOR are not spoken here; a client that prefers them but takes JSON gets JSON.
"""

from enum import Enum
from functools import lru_cache

from holdfast.api.errors import NotAcceptable, StatusDetails

_OURS = frozenset({"application/json", "*/*"})


class Form(Enum):
    """What is put into an answer."""

    OBJECT = "object"
    TABLE = "table"
    METADATA = "metadata"


_FORMS = {
    "": Form.OBJECT,
    "Table": Form.TABLE,
    "PartialObjectMetadata": Form.METADATA,
    "PartialObjectMetadataList": Form.METADATA,
}


@lru_cache(maxsize=256)
def form_of(accept: str) -> Form:
    """The first form of an Accept header that can be had. Raises ``NotAcceptable`` when there is none."""
    if not accept.strip():
        return Form.OBJECT
    for clause in accept.split(","):
        kind, *parameters = (part.strip() for part in clause.split(";"))
        if kind not in _OURS:
            continue
        given = dict(parameter.partition("=")[::2] for parameter in parameters)
        form = _FORMS.get(given.get("as", ""))
        if form is Form.OBJECT or (form is not None and given.get("g") == "meta.k8s.io" and given.get("v") == "v1"):
            return form
    raise NotAcceptable(
        "only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io",
        details=StatusDetails(),
    )
