"""Opening a watch: from where it tells, and what it tells first."""

from holdfast.api.errors import Expired
from holdfast.embedded.collection import Collection
from holdfast.embedded.history import line
from holdfast.embedded.options import ListOptions
from holdfast.embedded.presentation import Presentation
from holdfast.embedded.routes import Route
from holdfast.embedded.selection import Selection
from holdfast.embedded.store import Store
from holdfast.embedded.watching import Farewell, Watch, bookmark_line, error_line
from holdfast.process import Process

#: A watch that names no time ends after this many seconds, and up to as many more.
DEFAULT_SECONDS = 1800.0
INITIAL_EVENTS_END = "k8s.io/initial-events-end"


def watch(store: Store, process: Process, route: Route, presentation: Presentation, options: ListOptions) -> Watch | Farewell:
    selection = Selection.of(route.resource, route.namespace, options.labels, options.fields, route.name)
    collection = store.collection(route.resource.id)
    revision = options.revision or 0
    place: int | None = collection.history.end
    opening: list[bytes] = []
    if options.initial_events or (options.initial_events is None and revision == 0):
        opening = _present(collection, selection, presentation, route)
        if options.initial_events and options.bookmarks:
            opening.append(bookmark_line(presentation, store.revision, {INITIAL_EVENTS_END: "true"}))
    elif revision:
        place = collection.history.place_after(revision)
    if revision > store.revision:
        # Never given out: the client knows other data than ours, and would wait for changes that it has missed.
        return Farewell(error_line(Expired(f"too large resource version: {revision} (current: {store.revision}); list again")))
    if place is None:
        return Farewell(error_line(Expired(f"too old resource version: {revision} ({collection.history.floor})")))
    seconds = float(options.seconds) if options.seconds > 0 else process.randomness.jitter(DEFAULT_SECONDS, 1.0)
    return Watch(store, collection, selection, presentation, place=place, opening=opening, seconds=seconds, bookmarks=options.bookmarks)


def _present(collection: Collection, selection: Selection, presentation: Presentation, route: Route) -> list[bytes]:
    """What is there already, as if it had been added just now."""
    rows = collection.select(route.resource.id, route.namespace)
    present = (entry.data for key, entry in rows if selection.matches(key, entry))
    return [line("ADDED", presentation.object(data, is_first=number == 0)) for number, data in enumerate(present)]
