"""create, update, patch and delete as requests: bodies in, answers out.

The order is the same for all: read the body, decide and queue in one step, wait until it is durable, answer. A refusal waits
too: what it rests on may be on its way, and must not turn out never to have been.
"""

import contextlib
from collections.abc import Callable

from holdfast.api.errors import ApiError, Forbidden, NotFound
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request
from holdfast.embedded import admission, bodies, refusals
from holdfast.embedded.advice import warnings_of
from holdfast.embedded.deletion import delete
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.options import DeleteOptions, ListOptions, Query, WriteOptions
from holdfast.embedded.patching import read_patch
from holdfast.embedded.presentation import Presentation, answer
from holdfast.embedded.routes import Route
from holdfast.embedded.selection import Selection
from holdfast.embedded.writing import Outcome, Writing

#: Deleted in one turn of the loop, when a whole collection is.
_AT_ONCE = 256


class WriteVerbs:
    """The verbs that change something."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._store = writing.store

    async def create(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = WriteOptions.of(query, "CreateOptions")
        value = bodies.read(request.body, request.headers.get("content-type", ""))
        duplicates = _duplicates(options, request, value)
        obj, unknown = admission.read_object(resource, value, route.namespace)
        warnings = admission.unknown_to_warnings(options.strictness, unknown, duplicates)
        outcome = await self._decided(lambda: self._writing.create(resource, obj, dry_run=options.dry_run))
        return answer(201, presentation.object(outcome.entry.data), [*warnings, *warnings_of(resource, obj, None)])

    async def update(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = WriteOptions.of(query, "UpdateOptions")
        value = bodies.read(request.body, request.headers.get("content-type", ""))
        duplicates = _duplicates(options, request, value)
        obj, unknown = admission.read_object(resource, value, route.namespace)
        warnings = admission.unknown_to_warnings(options.strictness, unknown, duplicates)
        if (name := obj["metadata"].setdefault("name", route.name)) != route.name:
            raise refusals.unreadable(
                "metadata.name", f"the name of the object ({name:.300}) does not match the name on the URL ({route.name:.300})"
            )

        before: Entry | None = None

        def decide() -> Outcome:
            nonlocal before
            before = self._newest(route)
            return self._writing.update(resource, before, obj, subresource=route.subresource, dry_run=options.dry_run)

        outcome = await self._decided(decide)
        if not route.subresource:
            warnings.extend(warnings_of(resource, obj, before))
        return answer(200, presentation.object(outcome.entry.data), warnings)

    async def patch(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = WriteOptions.of(query, "PatchOptions")
        patched, patch = read_patch(resource, request.body, request.headers.get("content-type", ""))
        duplicates = _duplicates(options, request, patch)
        warnings: list[str] = []

        def decide() -> Outcome:
            before = self._newest(route)
            document = before.object()
            document["apiVersion"] = resource.api_version
            obj, unknown = admission.read_object(resource, patched(document), route.namespace)
            warnings.extend(admission.unknown_to_warnings(options.strictness, unknown, duplicates))
            outcome = self._writing.update(resource, before, obj, subresource=route.subresource, dry_run=options.dry_run)
            # Only now: until it was judged, the object may be anything; and what was not written was not judged.
            if not route.subresource:
                warnings.extend(warnings_of(resource, obj, before))
            return outcome

        outcome = await self._decided(decide)
        return answer(200, presentation.object(outcome.entry.data), warnings)

    async def delete(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = DeleteOptions.of(query, request)
        key = Key(resource.id, route.namespace, route.name)
        outcome = await self._decided(lambda: delete(self._writing, resource, key, options))
        if not outcome.is_removed:
            return answer(200, presentation.object(outcome.entry.data))
        uid = outcome.entry.facts.uid
        details = {"name": route.name, **({"group": resource.group} if resource.group else {}), "kind": resource.plural, "uid": uid}
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
        return answer(200, encode(status))

    async def delete_collection(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = DeleteOptions.of(query, request)
        wanted = ListOptions.of(query)
        selection = Selection.of(resource, route.namespace, wanted.labels, wanted.fields)

        found = [(key, self._store.newest(key)) for key in self._store.present(resource.id, route.namespace)]
        meant = [key for key, entry in found if entry is not None and selection.matches(key, entry)]
        gone: list[Entry] = []
        for start in range(0, len(meant), _AT_ONCE):
            outcomes = []
            for key in meant[start : start + _AT_ONCE]:
                # One that stays, or went meanwhile, is no reason to keep the others.
                with contextlib.suppress(Forbidden, NotFound):
                    outcomes.append(delete(self._writing, resource, key, options))
            gone += [(await self._writing.durable(outcome)).entry for outcome in outcomes]
        return answer(200, presentation.listing([entry.data for entry in gone], {"resourceVersion": str(self._store.revision)}))

    def _newest(self, route: Route) -> Entry:
        before = self._store.newest(Key(route.resource.id, route.namespace, route.name))
        if before is None:
            raise refusals.not_found(route.resource, route.name)
        return before

    async def _decided(self, decide: Callable[[], Outcome]) -> Outcome:
        try:
            outcome = decide()
        except ApiError:
            await self._store.settled()
            raise
        return await self._writing.durable(outcome)


def _duplicates(options: WriteOptions, request: Request, value: object) -> list[str]:
    """Looked for before the value is worked on: the objects that are made from it share its parts."""
    return [] if options.strictness == "Ignore" else bodies.duplicate_keys(request.body, value)
