"""The three kinds of patch, applied to the newest state. What comes out is judged like any other update."""

from collections.abc import Callable
from typing import Any

from holdfast.api import json_patch, merge_patch, strategic_merge
from holdfast.api.errors import BadRequest, Invalid, RequestEntityTooLarge, StatusDetails, UnsupportedMediaType
from holdfast.embedded import bodies
from holdfast.embedded.resources import Resource

_JSON_PATCH = "application/json-patch+json"
_MERGE_PATCH = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch"

Patching = Callable[[dict[str, Any]], Any]


def read_patch(resource: Resource, body: bytes, content_type: str) -> tuple[Patching, Any]:
    """What the patch does to a document, and its value as it was sent."""
    kind = bodies.media_type(content_type)
    if kind.startswith(_APPLY):
        raise UnsupportedMediaType(
            "server-side apply is not served here: use client-side apply (kubectl apply without --server-side), or a merge patch"
        )
    taken = [_JSON_PATCH, _MERGE_PATCH]
    merge_keys = None if resource.is_custom else strategic_merge.MERGE_KEYS.get(resource.id)
    if merge_keys is not None:
        taken.append(_STRATEGIC)
    if kind not in taken:
        raise UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: " + ", ".join(sorted(taken)),
            details=StatusDetails(),
        )
    patch = bodies.read_json(body)
    if kind == _STRATEGIC and patch is None:
        patch = {}
    if kind == _JSON_PATCH:
        return lambda document: _by_operations(patch, document), patch
    if not isinstance(patch, dict):
        raise BadRequest("the patch is not an object")
    if kind == _MERGE_PATCH:
        return lambda document: _reading(merge_patch.apply, patch, document), patch
    return lambda document: _reading(strategic_merge.apply, patch, document, merge_keys), patch


def _by_operations(patch: Any, document: dict[str, Any]) -> Any:
    # Kubernetes' own words: they do not say which operation failed.
    failed = Invalid("the server rejected our request due to an error in our request", details=StatusDetails())
    try:
        patched = json_patch.apply([] if patch is None else patch, document)
    except json_patch.PatchFailed:
        raise failed from None
    except json_patch.TooManyOperations as problem:
        raise RequestEntityTooLarge(str(problem)) from None
    except (ValueError, TypeError) as problem:
        raise BadRequest(f"the JSON patch can not be read: {problem}") from None
    if not isinstance(patched, dict):
        raise failed
    return patched


def _reading(apply: Callable[..., Any], *args: Any) -> Any:
    try:
        return apply(*args)
    except ValueError as problem:
        raise BadRequest(f"the patch can not be applied: {problem}") from None
