"""Whoever lists and then watches knows, at every moment, what another list would say."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.raw_api import CONFIG_MAPS, NAMESPACES, Api, serving

_NAMES = st.sampled_from(["a", "b", "c", "d"])
_LABELS = st.sampled_from([{}, {"app": "web"}, {"app": "db"}, {"app": "web", "tier": "x"}])
_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "label", "write", "delete", "hold", "free", "status quo", "watch"]), _NAMES, _LABELS, st.integers(0, 3)
    ),
    min_size=5,
    max_size=40,
)
_SELECTIONS: tuple[dict[str, str], ...] = (
    {},
    {"labelSelector": "app=web"},
    {"labelSelector": "app!=web"},
    {"fieldSelector": "metadata.name=b"},
    {"labelSelector": "tier", "fieldSelector": "metadata.name!=a"},
)
#: What stands in every object but in lists, where the list says it.
NAMED = {"apiVersion": "v1", "kind": "ConfigMap"}
_PATHS = (CONFIG_MAPS, f"{NAMESPACES}/other/configmaps", "/api/v1/configmaps")


class _Cache:
    """A client that lists once and follows the watch."""

    def __init__(self, api: Api, path: str, selection: dict[str, str]) -> None:
        self.api = api
        self.path = path
        self.selection = selection
        self.objects: dict[tuple[str, str], Any] = {}
        self.seen = 0

    async def start(self, limit: int) -> None:
        token, query = "", {**self.selection, **({"limit": limit} if limit else {})}
        while True:
            page = await self.api.get(self.path, **query, **({"continue": token} if token else {}))
            self.objects |= {_key(item): NAMED | item for item in page.body["items"]}
            self.seen = int(page.version)
            token = page.body["metadata"].get("continue", "")
            if not token:
                break
        self.watch = await self.api.watch(self.path, resourceVersion=self.seen, timeoutSeconds=600, **self.selection)

    async def finish(self) -> None:
        """Follow until the watch ends, and check each step."""
        for open_watch in self.api.server.store.collection("configmaps").watches:
            open_watch.finish()
        for event in await self.watch.rest():
            obj, key = event["object"], _key(event["object"])
            version = int(obj["metadata"]["resourceVersion"])
            assert version > self.seen, "each change once, in order"
            self.seen = version
            assert (key in self.objects) is (event["type"] != "ADDED"), "added once, changed and deleted when there"
            if event["type"] == "DELETED":
                del self.objects[key]
            else:
                self.objects[key] = obj


def _key(obj: Any) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


async def _take(api: Api, step: str, path: str, name: str, labels: dict[str, str]) -> None:
    one = f"{path}/{name}"
    match step:
        case "create":
            await api.post(path, {"metadata": {"name": name, "labels": labels}})
        case "label":
            await api.patch(one, [{"op": "add", "path": "/metadata/labels", "value": labels}], kind="application/json-patch+json")
        case "write":
            await api.patch(one, {"data": {"n": json.dumps(labels)}})
        case "delete":
            await api.delete(one)
        case "hold":
            await api.patch(one, {"metadata": {"finalizers": ["example.com/hold"]}})
        case "free":
            await api.patch(one, {"metadata": {"finalizers": None}})


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_STEPS)
async def test_a_list_and_a_watch_are_as_good_as_another_list(steps):
    """Every controller rests on this: through selectors, namespaces, finalizers and pages."""
    async with serving() as api:
        await api.has("other", path=NAMESPACES)
        caches: list[_Cache] = []
        for step, name, labels, number in steps:
            if step == "watch":
                cache = _Cache(api, _PATHS[number % 3], _SELECTIONS[(number + len(caches)) % len(_SELECTIONS)])
                await cache.start(limit=number)
                caches.append(cache)
            else:
                await _take(api, step, _PATHS[number % 2], name, labels)

        for cache in caches:
            await cache.finish()
            now = await api.get(cache.path, **cache.selection)
            assert cache.objects == {_key(item): NAMED | item for item in now.body["items"]}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_STEPS)
async def test_the_past_reads_as_it_was(steps):
    """Pages and exact lists are made from what is remembered; they must agree with what was seen then."""
    async with serving() as api:
        await api.has("other", path=NAMESPACES)
        then: dict[str, Any] = {}
        for step, name, labels, number in steps:
            await _take(api, step, _PATHS[number % 2], name, labels)
            now = await api.get("/api/v1/configmaps")
            then[now.version] = now.body

        for version, body in then.items():
            again = await api.get("/api/v1/configmaps", resourceVersion=version, resourceVersionMatch="Exact")
            assert again.body == body


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_STEPS)
async def test_a_record_of_all_revisions_is_the_whole_story(steps):
    """Who replays the record ends where the server is."""
    async with serving() as api:
        await api.has("other", path=NAMESPACES)
        record: list[dict[str, Any]] = []
        api.server.record(record.append)
        for step, name, labels, number in steps:
            await _take(api, step, _PATHS[number % 2], name, labels)

        replayed: dict[tuple[str, str], Any] = {}
        for line in record:
            if line["type"] == "DELETED":
                del replayed[_key(line["object"])]
            else:
                replayed[_key(line["object"])] = line["object"]
        items = (await api.get("/api/v1/configmaps")).body["items"]
        assert replayed == {_key(item): NAMED | item for item in items}
