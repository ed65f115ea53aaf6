"""create, update, patch and delete as requests: bodies in, answers out.

The order is the same for all: read the body, decide and queue in one step, wait until it is durable, answer. A refusal waits
too: what it rests on may be on its way, and must not turn out never to have been.
"""

from collections.abc import Callable, Sequence

from holdfast.api.errors import ApiError, BadRequest, Forbidden, NotFound
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
        warnings += admission.repeated_owners(value, obj)
        outcome = await self._decided(lambda: self._writing.create(resource, obj, dry_run=options.dry_run), warnings)
        return answer(201, presentation.object(outcome.entry.data), [*warnings, *warnings_of(resource, obj, None)])

    async def update(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = WriteOptions.of(query, "UpdateOptions")
        value = bodies.read(request.body, request.headers.get("content-type", ""))
        duplicates = _duplicates(options, request, value)
        obj, unknown = admission.read_object(resource, value, route.namespace)
        warnings = admission.unknown_to_warnings(options.strictness, unknown, duplicates)
        admission.check_named(obj, route.name)

        warnings += admission.repeated_owners(value, obj)
        before: Entry | None = None
        code = 200

        def decide() -> Outcome:
            nonlocal before, code
            before = self._store.newest(Key(resource.id, route.namespace, route.name))
            if before is None and resource.made_by_update:
                code = 201
                if uid := obj["metadata"].get("uid"):
                    raise refusals.wrong_uid(resource, route.name, uid, "")
                if not options.dry_run:
                    obj["metadata"].pop("resourceVersion", None)
                return self._writing.create(resource, obj, dry_run=options.dry_run)
            before = self._newest(route)
            return self._writing.update(resource, before, obj, subresource=route.subresource, dry_run=options.dry_run)

        outcome = await self._decided(decide, warnings)
        if not route.subresource:
            warnings.extend(warnings_of(resource, obj, before))
        return answer(code, presentation.object(outcome.entry.data), warnings)

    async def patch(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        patched, patch = read_patch(resource, request.body, request.headers.get("content-type", ""))
        options = WriteOptions.of(query, "PatchOptions")
        duplicates = _duplicates(options, request, patch)
        warnings: list[str] = []

        def decide() -> Outcome:
            before = self._newest(route)
            document = before.object()
            document["apiVersion"] = resource.api_version
            after = patched(document)
            try:
                obj, unknown = admission.read_object(resource, after, route.namespace)
                warnings.extend(admission.unknown_to_warnings(options.strictness, unknown, duplicates))
            except admission.Elsewhere:
                raise
            except BadRequest as problem:
                raise refusals.unreadable_patch(problem) from None
            warnings.extend(admission.repeated_owners(after, obj, is_patch=True))
            admission.check_named(obj, route.name)
            part = route.subresource
            try:
                outcome = self._writing.update(resource, before, obj, subresource=part, dry_run=options.dry_run, is_patch=True)
            except refusals.Unreadable as problem:
                raise refusals.unreadable_patch(problem) from None
            # Only now: until it was judged, the object may be anything; and what was not written was not judged.
            if not route.subresource:
                warnings.extend(warnings_of(resource, obj, before))
            return outcome

        outcome = await self._decided(decide, warnings)
        return answer(200, presentation.object(outcome.entry.data), warnings)

    async def delete(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        options = DeleteOptions.of(query, request)
        key = Key(resource.id, route.namespace, route.name)
        outcome = await self._decided(lambda: delete(self._writing, resource, key, options))
        if not outcome.is_removed:
            return answer(202 if options.not_orphans else 200, presentation.object(outcome.entry.data))
        uid = outcome.entry.facts.uid
        details = {"name": route.name, **({"group": resource.group} if resource.group else {}), "kind": resource.plural, "uid": uid}
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
        return answer(200, encode(status))

    async def delete_collection(self, route: Route, presentation: Presentation, request: Request, query: Query) -> Answer:
        resource = route.resource
        wanted = ListOptions.of(query)
        selection = Selection.of(resource, route.namespace, wanted.labels, wanted.fields)
        options = DeleteOptions.of(query, request)

        revision = self._store.revision
        found = [(key, self._store.newest(key)) for key in self._store.present(resource.id, route.namespace)]
        meant = [key for key, entry in found if entry is not None and selection.matches(key, entry)]
        gone: list[bytes] = []
        for start in range(0, len(meant), _AT_ONCE):
            outcomes = []
            for key in meant[start : start + _AT_ONCE]:
                before = self._store.newest(key)
                try:
                    outcomes.append((before, delete(self._writing, resource, key, options)))
                except (Forbidden, NotFound):
                    continue  # one that stays, or went meanwhile, is no reason to keep the others
                except ApiError:
                    await self._store.settled()  # who is told of it must find gone what went before
                    raise
            for before, outcome in outcomes:
                await self._writing.durable(outcome)
                gone += [] if before is None else [before.data]
        # As they were when the server looked, not as it left them.
        return answer(200, presentation.listing(gone, {"resourceVersion": str(revision)}))

    def _newest(self, route: Route) -> Entry:
        before = self._store.newest(Key(route.resource.id, route.namespace, route.name))
        if before is None:
            raise refusals.not_found(route.resource, route.name)
        return before

    async def _decided(self, decide: Callable[[], Outcome], warnings: Sequence[str] = ()) -> Outcome:
        try:
            outcome = decide()
        except ApiError as refusal:
            refusal.warnings = tuple(warnings)
            await self._store.settled()
            raise
        return await self._writing.durable(outcome)


def _duplicates(options: WriteOptions, request: Request, value: object) -> list[str]:
    """Looked for before the value is worked on: the objects that are made from it share its parts."""
    return [] if options.strictness == "Ignore" else bodies.duplicate_keys(request.body, value)
