"""get and list: what is durable, as it was at one revision.

A list without a revision is the newest committed state. Pages of one list are read back from the history, so they agree with
each other whatever was written in between; when the history no longer reaches so far, the token has expired (410).
"""

from collections.abc import Iterable
from typing import Any

from holdfast.api.errors import BadRequest, Expired, ServerTimeout, StatusCause, StatusDetails
from holdfast.api.wire import Answer
from holdfast.embedded import refusals
from holdfast.embedded.continuation import Continuation
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.options import ListOptions
from holdfast.embedded.presentation import Presentation, answer
from holdfast.embedded.routes import Route
from holdfast.embedded.selection import Selection
from holdfast.embedded.store import Store

Rows = Iterable[tuple[Key, Entry]]


def get(store: Store, route: Route, presentation: Presentation, revision: int | None) -> Answer:
    refuse_future(store, revision or 0)
    entry = store.committed(Key(route.resource.id, route.namespace, route.name))
    if entry is None:
        raise refusals.not_found(route.resource, route.name)
    return answer(200, presentation.object(entry.data))


def list_(store: Store, route: Route, presentation: Presentation, options: ListOptions) -> Answer:
    selection = Selection.of(route.resource, route.namespace, options.labels, options.fields)
    revision, after = _moment(store, options)
    if selection.name and (route.namespace or not route.resource.namespaced) and not options.match and not options.continuation:
        revision = store.revision  # one object is looked up, as a get would
    # Who takes any revision is answered from memory, and that in one piece.
    limit = 0 if options.revision == 0 and not options.match else options.limit
    rows = iter(_rows(store, route, selection, revision, after))
    shown: list[tuple[Key, Entry]] = []
    left = 0
    for key, entry in rows:
        # Whether there is a next page is not looked at closely: it may turn out to be empty.
        if limit and len(shown) == limit:
            left = 1
            break
        if selection.is_all or selection.matches(key, entry):
            shown.append((key, entry))
    metadata: dict[str, Any] = {"resourceVersion": str(revision)}
    if left:
        last = shown[-1][0]
        metadata["continue"] = Continuation(revision, last.namespace, last.name).token()
        if selection.is_all:
            # Only where nothing is filtered is the number of those that are left known without looking at them.
            metadata["remainingItemCount"] = 1 + sum(1 for _ in rows)
    return answer(200, presentation.listing([entry.data for _, entry in shown], metadata))


def _moment(store: Store, options: ListOptions) -> tuple[int, tuple[str, str] | None]:
    """The revision to show, and the key after which to begin."""
    if options.continuation:
        if options.revision:
            raise BadRequest("specifying resource version is not allowed when using continue")
        token = Continuation.parse(options.continuation)
        if not 0 <= token.revision <= store.revision:
            # Of another server, or of other data than there is now: the client has to begin again.
            raise Expired("The provided continue parameter belongs to another state of the data. Start a new list without it.")
        return token.revision, (token.namespace, token.name)
    if not options.revision:
        return store.revision, None
    refuse_future(store, options.revision)
    # A revision with a limit and without a match is exact: Kubernetes keeps that for its oldest clients.
    is_exact = options.match == "Exact" or (not options.match and options.limit > 0)
    return (options.revision if is_exact else store.revision), None


def _rows(store: Store, route: Route, selection: Selection, revision: int, after: tuple[str, str] | None) -> Rows:
    resource = route.resource.id
    collection = store.collection(resource)
    if selection.name and revision == store.revision and (route.namespace or not route.resource.namespaced):
        key = Key(resource, route.namespace, selection.name)
        entry = collection.entries.get(key)
        return iter([(key, entry)] if entry and after is None else [])
    rows = collection.select_at(revision, resource, route.namespace, after)
    if rows is not None:
        return rows
    if after is None:
        raise Expired(f"The resourceVersion for the provided list is too old: {revision}")
    raise Expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the "
        "continue parameter."
    )


def refuse_future(store: Store, revision: int) -> None:
    """A revision that was never given out: the client has seen another server, or other data."""
    if revision > store.revision:
        details = StatusDetails(
            causes=(StatusCause(reason="ResourceVersionTooLarge", message="Too large resource version"),), retry_after_seconds=1
        )
        raise ServerTimeout(f"Too large resource version: {revision}, current: {store.revision}", details=details)
