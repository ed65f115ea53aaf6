"""Refusals in Kubernetes' own words: people, scripts and kubectl know these texts."""

from collections.abc import Sequence

from msgspec.structs import replace

from holdfast.api.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    MethodNotAllowed,
    NotFound,
    StatusCause,
    StatusDetails,
)
from holdfast.embedded.resources import Resource
from holdfast.embedded.schema import causes as words

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def not_found(resource: Resource, name: str) -> NotFound:
    return NotFound(f'{resource.id} "{name}" not found', details=_details(resource, name))


def unknown_path(resource: Resource | None = None, name: str = "") -> NotFound:
    """``resource``: a custom kind that has not the part of it that was asked for."""
    details = StatusDetails() if resource is None else _details(resource, name)
    return NotFound("the server could not find the requested resource", details=details)


def no_such_verb(method: str) -> MethodNotAllowed:
    return MethodNotAllowed(f"the server does not allow {method} on the requested resource", details=StatusDetails())


def already_exists(resource: Resource, name: str, *, was_generated: bool = False) -> AlreadyExists:
    details = replace(_details(resource, name), retry_after_seconds=1 if was_generated else 0)
    return AlreadyExists(f'{resource.id} "{name}" already exists', details=details)


def conflict(resource: Resource, name: str, why: str = MODIFIED, *, of: str = "") -> Conflict:
    """``of``: what Kubernetes calls the kind, where it is not the plural."""
    whole = f"{of or resource.plural}.{resource.group}" if resource.group else of or resource.plural
    details = StatusDetails(name=name, group=resource.group, kind=of or resource.plural)
    return Conflict(f'Operation cannot be fulfilled on {whole} "{name}": {why}', details=details)


def wrong_uid(resource: Resource, name: str, wanted: str, actual: str, *, is_delete: bool = False) -> Conflict:
    why = f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {actual}"
    return conflict(resource, name, why, of=resource.kind if is_delete else "")


def forbidden(resource: Resource, name: str, why: str, causes: Sequence[StatusCause] = ()) -> Forbidden:
    details = StatusDetails(name=name, group=resource.group, kind=resource.plural, causes=tuple(causes))
    return Forbidden(f'{resource.id} "{name}" is forbidden: {why}', details=details)


def no_namespace(namespace: str) -> NotFound:
    return NotFound(f'namespaces "{namespace}" not found', details=StatusDetails(name=namespace, kind="namespaces"))


def namespace_ends(resource: Resource, name: str, namespace: str) -> Forbidden:
    cause = StatusCause(reason="NamespaceTerminating", message=f"namespace {namespace} is being terminated", field="metadata.namespace")
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    return forbidden(resource, name, why, [cause])


def kind_ends(resource: Resource) -> Forbidden:
    why = "create not allowed while custom resource definition is terminating"
    return Forbidden(f"{resource.id} is forbidden: {why}", details=StatusDetails(group=resource.group, kind=resource.plural))


def invalid(resource: Resource, name: str, causes: Sequence[StatusCause]) -> Invalid:
    kind = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    details = StatusDetails(name=name, group=resource.group, kind=resource.kind, causes=tuple(causes))
    return Invalid(f'{kind} "{name}" is invalid: {words.summary(list(causes))}', details=details)


def invalid_options(kind: str, causes: Sequence[StatusCause]) -> Invalid:
    details = StatusDetails(group="meta.k8s.io", kind=kind, causes=tuple(causes))
    return Invalid(f'{kind}.meta.k8s.io "" is invalid: {words.summary(list(causes))}', details=details)


class Unreadable(BadRequest):
    """A field of one of Kubernetes' own kinds has a value of the wrong type: Go could not have read it."""


def unreadable_patch(problem: object) -> Invalid:
    """What a patch made is no object of its kind."""
    return Invalid(f' "" is invalid: patch: {problem}', details=StatusDetails(causes=(words.invalid("patch", "", str(problem)),)))


def unreadable(what: str, why: object) -> BadRequest:
    """``what`` came from outside and can not be read."""
    return BadRequest(f"{what}: {why}")


def _details(resource: Resource, name: str) -> StatusDetails:
    return StatusDetails(name=name, group=resource.group, kind=resource.plural)
