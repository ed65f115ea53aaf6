"""The parameters of a request, read as Kubernetes reads them."""

import re
from collections.abc import Sequence
from typing import Any, Self

import msgspec
from msgspec import Struct

from holdfast.api.errors import BadRequest
from holdfast.api.selectors import FieldSelector, LabelSelector
from holdfast.api.wire import Request
from holdfast.embedded import bodies, refusals
from holdfast.embedded.resources import Resource
from holdfast.embedded.schema import causes

_NUMBER = re.compile(r"-?[0-9]{1,18}")
_BACKGROUND, _ORPHAN = "Background", "Orphan"
_POLICIES = ("Background", "Foreground", "Orphan")
_STRICTNESS = ("Ignore", "Strict", "Warn")


class Query:
    """The first value of each parameter; the others are ignored, as by Go."""

    def __init__(self, request: Request) -> None:
        self._values: dict[str, str] = {}
        for name, value in request.query:
            self._values.setdefault(name, value)
        self.all = request.query

    def text(self, name: str) -> str:
        return self._values.get(name, "")

    def is_set(self, name: str) -> bool:
        """Only absence, "false" and "0" say no."""
        value = self._values.get(name)
        return value is not None and value.lower() not in {"false", "0"}

    def number(self, name: str) -> int:
        """0 when it is not given."""
        value = self._values.get(name, "")
        if not value:
            return 0
        if not _NUMBER.fullmatch(value):
            raise BadRequest(f"invalid value {value!r:.100} of the parameter {name}: a whole number is expected")
        return int(value)

    def revision(self, name: str) -> int | None:
        """None when it is not given."""
        value = self._values.get(name, "")
        if not value:
            return None
        if not _NUMBER.fullmatch(value) or value.startswith("-"):
            cause = causes.invalid(name, value, "a resourceVersion of this server is a whole number")
            raise BadRequest(f"{name}: {cause.message}")
        return int(value)


class ListOptions(Struct, frozen=True, kw_only=True):
    """What a list or a watch asks for."""

    labels: str = ""
    fields: str = ""
    watch: bool = False
    bookmarks: bool = False
    revision: int | None = None
    match: str = ""
    limit: int = 0
    continuation: str = ""
    seconds: int = 0
    #: None: not said.
    initial_events: bool | None = None

    @classmethod
    def of(cls, query: Query) -> Self:
        options = cls(
            labels=query.text("labelSelector"),
            fields=query.text("fieldSelector"),
            watch=query.is_set("watch"),
            bookmarks=query.is_set("allowWatchBookmarks"),
            revision=query.revision("resourceVersion"),
            match=query.text("resourceVersionMatch"),
            limit=max(0, query.number("limit")),
            continuation=query.text("continue"),
            seconds=query.number("timeoutSeconds"),
            initial_events=query.is_set("sendInitialEvents") if query.text("sendInitialEvents") else None,
        )
        found = options._problems()
        if found:
            # What can not be read is said before what can not be meant.
            try:
                LabelSelector.parse(options.labels), FieldSelector.parse(options.fields)
            except ValueError as problem:
                raise BadRequest(str(problem)) from None
            raise refusals.invalid_options("ListOptions", found)
        return options

    def _problems(self) -> list[Any]:
        match_field = "resourceVersionMatch"
        if self.watch:
            if self.initial_events is None:
                return [causes.forbidden(match_field, "resourceVersionMatch is forbidden for watch")] if self.match else []
            if self.match != "NotOlderThan":
                return [causes.forbidden(match_field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")]
            return []
        found = [] if self.initial_events is None else [causes.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]
        return [*self._problems_of_match(match_field), *found]

    def _problems_of_match(self, match_field: str) -> list[Any]:
        if not self.match:
            return []
        if self.match not in {"Exact", "NotOlderThan"}:
            return [causes.not_supported(match_field, self.match, ("Exact", "NotOlderThan", ""))]
        if self.revision is None:
            return [causes.forbidden(match_field, "resourceVersionMatch is forbidden unless resourceVersion is provided")]
        if self.match == "Exact" and self.revision == 0:
            return [causes.forbidden(match_field, 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"')]
        if self.continuation:
            return [causes.forbidden(match_field, "resourceVersionMatch is forbidden when continue is provided")]
        return []


class WriteOptions(Struct, frozen=True, kw_only=True):
    """How a create, an update or a patch is meant."""

    dry_run: bool = False
    strictness: str = "Warn"

    @classmethod
    def of(cls, query: Query, kind: str) -> Self:
        dry_runs = [value for name, value in query.all if name == "dryRun"]
        strictness = query.text("fieldValidation") or "Warn"
        found = _dry_run_problems(dry_runs)
        if strictness not in _STRICTNESS:
            found.append(causes.not_supported("fieldValidation", strictness, _STRICTNESS))
        if found:
            raise refusals.invalid_options(kind, found)
        return cls(dry_run="All" in dry_runs, strictness=strictness)


def _dry_run_problems(values: Sequence[str]) -> list[Any]:
    return [causes.not_supported("dryRun", value, ("All",)) for value in values if value != "All"]


class Preconditions(Struct, frozen=True, rename="camel"):
    uid: str | None = None
    resource_version: str | None = None


class _DeleteBody(Struct, rename="camel"):
    kind: str | None = None
    api_version: str | None = None
    grace_period_seconds: int | None = None
    preconditions: Preconditions | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str | None = None
    dry_run: list[str] | None = None


class DeleteOptions(Struct, frozen=True, kw_only=True):
    """How a delete is meant. ``policy`` is empty when the object's own finalizers decide."""

    dry_run: bool = False
    policy: str = ""
    uid: str = ""
    resource_version: str = ""
    #: An end that has only begun is answered with 202 to who said so in the oldest way.
    not_orphans: bool = False

    @classmethod
    def of(cls, query: Query, request: Request) -> Self:
        value = bodies.read(request.body, request.headers.get("content-type", "")) if request.body.strip() else {}
        try:
            body = msgspec.convert(value, _DeleteBody)
        except msgspec.ValidationError as problem:
            raise BadRequest(f"the DeleteOptions can not be read: {problem}") from None
        if body.kind not in {None, "", "DeleteOptions"}:
            raise BadRequest(f"the body of a delete is DeleteOptions, not {body.kind!r:.100}")
        # A body speaks alone.
        said = Query(Request("DELETE", "")) if request.body.strip() else query
        said.number("gracePeriodSeconds")
        policy = body.propagation_policy or said.text("propagationPolicy")
        orphans = body.orphan_dependents
        if orphans is None and said.text("orphanDependents"):
            orphans = said.is_set("orphanDependents")
        dry_runs = [*(body.dry_run or ()), *(value for name, value in said.all if name == "dryRun")]
        found = []
        if policy and orphans is not None:
            found.append(causes.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"))
        if policy and policy not in _POLICIES:
            found.append(causes.not_supported("propagationPolicy", policy, _POLICIES))
        found += _dry_run_problems(dry_runs)
        if found:
            raise refusals.invalid_options("DeleteOptions", found)
        if orphans is not None:
            policy = _ORPHAN if orphans else _BACKGROUND
        dry_run = "All" in dry_runs
        wanted = body.preconditions or Preconditions()
        return cls(
            dry_run=dry_run,
            policy=policy,
            uid=wanted.uid or "",
            resource_version=wanted.resource_version or "",
            not_orphans=orphans is False,
        )

    def check(self, resource: Resource, name: str, uid: str, resource_version: str) -> None:
        """Raises ``Conflict`` when the object is not the one that is meant."""
        if self.uid and self.uid != uid:
            raise refusals.wrong_uid(resource, name, self.uid, uid, is_delete=True)
        if self.resource_version and self.resource_version != resource_version:
            why = (
                f"Precondition failed: ResourceVersion in precondition: {self.resource_version}, "
                f"ResourceVersion in object meta: {resource_version}"
            )
            raise refusals.conflict(resource, name, why, of=resource.kind)
