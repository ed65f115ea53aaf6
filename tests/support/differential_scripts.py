"""Differential scripts out of a seed: a dozen requests about few objects, so that they get in each other's way."""

from collections.abc import Sequence
from typing import Any, TypeVar

from tests.support.differential_kinds import BAD_LABELS, FIELDS, KINDS, LABELS, MARKED, METADATA, STATUS_FIELDS, Document, Field
from tests.support.differential_steps import Step

from holdfast.api.json_patch import pointer
from holdfast.process import Randomness

V = TypeVar("V")
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
_SHORTEST, _LONGEST = 4, 11


def script_of(seed: int) -> list[Step]:
    """The same steps for the same seed, for ever."""
    return _Author(Randomness(seed)).write()


class _Author:
    def __init__(self, randomness: Randomness) -> None:
        self._below = randomness.below
        self._steps: list[Step] = []
        plurals = list(KINDS)
        self._kinds = [self._pick(plurals), self._pick(plurals)]
        self._has_generated = False
        self._verbs = (
            [self._create] * 16
            + [self._get] * 5
            + [self._list] * 9
            + [self._pages] * 5
            + [self._update] * 14
            + [self._patch] * 26
            + [self._status] * 10
            + [self._delete] * 9
            + [self._delete_collection] * 3
            + [self._watch] * 8
            + [self._let_go] * 5
        )

    def write(self) -> list[Step]:
        self._create()
        self._create()
        for _ in range(_SHORTEST + self._below(_LONGEST - _SHORTEST)):
            self._pick(self._verbs)()
        return self._steps

    # verbs

    def _create(self) -> None:
        kind = self._pick(self._kinds)
        name = self._name()
        body = self._object(kind, name)
        if self._chance(4) and not self._has_generated and KINDS[kind].namespaced:
            self._has_generated = True  # two would come in another order in each home
            body["metadata"].pop("name")
            body["metadata"]["generateName"] = "gen-"
        if self._chance(4):
            body["metadata"].pop("name", None)
        if self._chance(3):
            body["metadata"]["resourceVersion"] = self._revision()
        if self._chance(3):
            body[self._pick(["apiVersion", "kind"])] = self._pick(["", "v9", "Other"])
        self._add("create", "POST", kind, body=body, query=self._write_options())

    def _get(self) -> None:
        query = self._given(12, "resourceVersion", self._revision())
        self._add("get", "GET", self._pick(self._kinds), self._name(), subresource="status" if self._chance(8) else "", query=query)

    def _list(self) -> None:
        kind = self._pick(self._kinds)
        query = self._selectors(kind)
        if self._chance(35):
            query += (("resourceVersion", self._revision()),)
            if self._chance(70):
                query += (("resourceVersionMatch", self._pick(["Exact", "Exact", "NotOlderThan"])),)
        query += (
            self._given(3, "resourceVersionMatch", "Exact") + self._given(2, "limit", "-1") + self._given(2, "sendInitialEvents", "true")
        )
        self._add("list", "GET", kind, query=query)

    def _pages(self) -> None:
        """A page, perhaps a change, and the page after it."""
        kind = self._pick(self._kinds)
        if not KINDS[kind].namespaced:
            return  # what others keep beside it is seen in whether there is more
        selectors = self._selectors(kind) if self._chance(25) else ()
        first = (*selectors, ("limit", self._pick(["1", "2"])))
        if self._chance(15):
            first += (("resourceVersion", self._revision()),)
        number = self._add("first page", "GET", kind, query=self._scoped(kind, first))
        if self._chance(60):
            self._pick([self._create, self._patch, self._delete, self._update])()
        more = (*selectors, ("limit", self._pick(["1", "2", "0"])), ("continue", f"$continue:{number}"))
        more += self._given(5, "resourceVersion", self._revision())
        self._add("next page", "GET", kind, query=self._scoped(kind, more))

    def _update(self) -> None:
        kind, name = self._place()
        self._add("update", "PUT", kind, name, body=self._next_version(kind, name, self._changes(kind)), query=self._write_options())

    def _patch(self) -> None:
        kind, name = self._place()
        self._patch_with(kind, name, self._fields(kind), "")

    def _status(self) -> None:
        kind, name = self._place()
        fields = STATUS_FIELDS.get(kind, FIELDS[kind])
        if self._chance(70) or kind not in STATUS_FIELDS:
            changes = self._changes(kind, fields)
        else:
            # What belongs to the other part of the object must not be written here. Something else is, or the real server would
            # still note down who tried, and so make a revision.
            changes = self._changes(kind)
            _put(changes, ("status",), {"conditions": [{"type": f"T{len(self._steps)}", "status": "True"}]})
        if self._chance(40):
            body = self._next_version(kind, name, changes)
            if kind in STATUS_FIELDS and "$base" not in body:
                _put(body, ("status",), {"conditions": [{"type": f"T{len(self._steps)}", "status": "True"}]})  # as above
            self._add("update status", "PUT", kind, name, subresource="status", body=body, query=self._write_options())
        elif self._chance(60):
            self._add("patch status", "PATCH", kind, name, subresource="status", content=MERGE, body=changes, query=self._write_options())
        else:
            self._patch_with(kind, name, fields, "status")

    def _delete(self) -> None:
        kind, name = self._place()
        self._add("delete", "DELETE", kind, name, body=self._delete_options(), query=self._given(5, "propagationPolicy", "Foreground"))

    def _delete_collection(self) -> None:
        kind = self._pick(self._kinds)
        self._add("delete all", "DELETE", kind, query=self._selectors(kind), body=self._delete_options(for_one=False))

    def _let_go(self) -> None:
        """Finalizers are taken away: what waited for them goes."""
        kind, name = self._place()
        self._add(
            "let go", "PATCH", kind, name, content=MERGE, body={"metadata": {"finalizers": self._pick([None, [], ["example.com/f"]])}}
        )

    def _watch(self) -> None:
        kind = self._pick(self._kinds)
        selector = self._pick([*MARKED, "", ""])
        labels = dict(MARKED.get(selector, {}))
        if not KINDS[kind].namespaced:
            labels["home"] = "$home"
            selector = ",".join(part for part in (selector, "home=$home") if part)
        query: tuple[tuple[str, str], ...] = (("watch", "true"), *self._given(100 if selector else 0, "labelSelector", selector))
        query += self._given(75, "resourceVersion", self._revision(stale=True))
        if self._chance(15):
            query += (("sendInitialEvents", "true"), ("allowWatchBookmarks", "true"), ("resourceVersionMatch", "NotOlderThan"))
        query += self._given(3, "resourceVersionMatch", "NotOlderThan")
        marker = {
            "apiVersion": KINDS[kind].api_version,
            "kind": KINDS[kind].kind,
            "metadata": {"name": f"$name:{kind}/marker-{len(self._steps):02}", "labels": labels},
        }
        if kind in {"widgets", "gadgets", "plains"}:
            marker["spec"] = {"size": 1}
        self._add("watch", "GET", kind, query=query, marker=marker)

    # parts

    def _add(self, words: str, method: str, kind: str, name: str = "", **more: Any) -> int:
        number = len(self._steps) + 1
        self._steps.append(Step(number=number, words=words, method=method, kind=kind, name=name, **more))
        return number

    def _object(self, kind: str, name: str) -> Document:
        body: Document = {"apiVersion": KINDS[kind].api_version, "kind": KINDS[kind].kind, "metadata": {"name": f"$name:{kind}/{name}"}}
        if kind in {"widgets", "gadgets", "plains"}:
            body["spec"] = {"size": 3}
        if kind == "leases" and self._chance(15):
            body["spec"] = {"strategy": "OldestEmulationVersion", "preferredHolder": "you"}
        if kind == "settings":
            body["value"] = "v"
        for field, value in self._written(self._fields(kind), self._below(4)):
            if field.place[-1] in {"deletionTimestamp", "deletionGracePeriodSeconds"}:
                continue  # kept by a PUT that makes an object, for no reason
            _put(body, field.place, value)
        if self._chance(50):
            _put(body, ("metadata", "labels", "app"), self._pick(["x", "y"]))
        if self._chance(20):
            body["metadata"]["finalizers"] = self._pick([["example.com/f"], ["example.com/g", "example.com/f"]])
        if self._chance(10):
            body["metadata"]["ownerReferences"] = self._owners()
        if not KINDS[kind].namespaced:
            _put(body, ("metadata", "labels", "home"), "$home")
        return body

    def _next_version(self, kind: str, name: str, changes: Document) -> Any:
        """An object as it was once read, or a new one, with changes."""
        # A stale copy is as good as a fresh one, and better.
        read = [step.number for step in self._steps if step.kind == kind and step.name == name and not step.subresource]
        made = [step.number for step in self._steps if step.kind == kind and step.words == "create"]
        if self._chance(15) or not (read or made):
            body = self._object(kind, name)
            if self._chance(50):
                body["metadata"]["resourceVersion"] = self._revision()
            return body
        if self._chance(15):
            _put(changes, ("metadata", "resourceVersion"), self._pick([None, self._revision()]))
        # The newest answer about the same name is mostly the fresh version.
        base = read[-1] if read and self._chance(70) else self._pick(read + made)
        _put(changes, ("metadata", "name"), f"$name:{kind}/{name}")
        if kind == "leases":  # as above: the base may be one that has ended
            _put(changes, ("metadata", "deletionTimestamp"), None)
            _put(changes, ("metadata", "deletionGracePeriodSeconds"), None)
        return {"$base": base, "$with": changes}

    def _patch_with(self, kind: str, name: str, fields: Sequence[Field], subresource: str) -> None:
        content = self._pick([MERGE, MERGE, JSON_PATCH, STRATEGIC] if not KINDS[kind].is_custom or self._chance(3) else [MERGE, JSON_PATCH])
        body: Any
        if content == JSON_PATCH:
            body = [self._operation(fields) for _ in range(1 + self._below(3))]
        else:
            body = self._changes(kind, fields)
            if self._chance(20):
                _put(body, ("metadata", "resourceVersion"), self._revision())
            if content == STRATEGIC and self._chance(30):
                self._direct(kind, body)
        self._add("patch", "PATCH", kind, name, subresource=subresource, content=content, body=body, query=self._write_options())

    def _changes(self, kind: str, fields: Sequence[Field] = ()) -> Document:
        body: Document = {}
        for field, value in self._written(fields or self._fields(kind), 1 + self._below(3)):
            if kind == "leases" and field.place[-1] in {"deletionTimestamp", "deletionGracePeriodSeconds"}:
                continue  # as above: a PUT may make a Lease
            _put(body, field.place, value)
        if self._chance(6):
            _put(body, ("metadata", "ownerReferences"), self._owners())
        return body

    def _direct(self, kind: str, body: Document) -> None:
        """A directive of strategic merges."""
        match self._below(4):
            case 0:
                _put(body, ("metadata", "labels", "$patch"), self._pick(["replace", "delete"]))
            case 1 if "finalizers" not in body.get("metadata", {}):
                # Together with the list it means one thing or the other, as the server's map happens to be ordered.
                _put(body, ("metadata", "$deleteFromPrimitiveList/finalizers"), ["example.com/f"])
            case 2 if kind != "leases":
                _put(body, ("data", "$patch"), "replace")
            case _:
                _put(body, ("metadata", "$setElementOrder/finalizers"), ["example.com/g", "example.com/f"])

    def _operation(self, fields: Sequence[Field]) -> Document:
        field, value = self._written(fields, 1)[0]
        path = pointer(*field.place)
        match self._below(8):
            case 0:
                return {"op": "remove", "path": path}
            case 1:
                return {"op": "test", "path": path, "value": value}
            case 2:
                return {"op": "replace", "path": path, "value": value}
            case 3 if self._chance(50) and field.place[-1] not in {"uid", "creationTimestamp", "deletionTimestamp"}:
                return {"op": self._pick(["copy", "move"]), "from": path, "path": pointer(*self._pick(fields).place)}
            case 4 if self._chance(40):
                return {"op": "test", "path": "/metadata/resourceVersion", "value": self._revision()}
            case 5 if self._chance(30):
                return {"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/h"}
            case _:
                return {"op": "add", "path": path, "value": value}

    def _written(self, fields: Sequence[Field], count: int) -> list[tuple[Field, Any]]:
        found = []
        for _ in range(count):
            field = self._pick(fields)
            found.append((field, self._pick(field.bad if field.bad and (self._chance(12) or not field.good) else field.good)))
        return found

    def _owners(self) -> list[Document]:
        of = self._pick(self._kinds)
        owner: Document = {
            "apiVersion": KINDS[of].api_version,
            "kind": KINDS[of].kind,
            "name": f"$name:{of}/{self._name()}",
            "uid": self._pick([f"$uid:{1 + self._below(max(1, len(self._steps)))}", "another"]),
        }
        if self._chance(30):
            owner["controller"] = self._pick([True, False])
        if self._chance(30):
            owner["blockOwnerDeletion"] = self._pick([True, False])
        if self._chance(10):
            owner[self._pick(["apiVersion", "kind", "name", "uid"])] = ""
        if self._chance(10):
            owner["unknown"] = 1
        return [owner] if self._chance(80) else [owner, owner | self._pick([{}, {"uid": "another"}, {"name": "other"}])]

    def _delete_options(self, *, for_one: bool = True) -> Document | None:
        options: Document = {}
        if self._chance(30):
            options["propagationPolicy"] = self._pick(
                ["Foreground", "Background", "Orphan", "Orphan", "Odd" if self._chance(30) else "Foreground"]
            )
        if self._chance(5):
            options["orphanDependents"] = self._pick([True, False])
        if self._chance(20 if for_one else 5):
            number = 1 + self._below(max(1, len(self._steps)))
            options["preconditions"] = self._pick([{"uid": f"$uid:{number}"}, {"resourceVersion": f"$rv:{number}"}, {"uid": "another"}])
        if self._chance(6):
            options["dryRun"] = self._pick([["All"], ["All"], ["Odd"]])
        if self._chance(6):
            options["gracePeriodSeconds"] = self._pick([0, 5, -1])
        if not options and self._chance(60):
            return None
        return {"apiVersion": "v1", "kind": "DeleteOptions", **options}

    def _write_options(self) -> tuple[tuple[str, str], ...]:
        return self._given(6, "dryRun", self._pick(["All", "All", "All", "odd"])) + self._given(
            10, "fieldValidation", self._pick(["Strict", "Strict", "Ignore", "Warn", "odd"])
        )

    def _selectors(self, kind: str) -> tuple[tuple[str, str], ...]:
        query: tuple[tuple[str, str], ...] = ()
        if self._chance(45):
            query += (("labelSelector", self._pick(LABELS if self._chance(93) else BAD_LABELS)),)
        if self._chance(20):
            names = [
                f"metadata.name=$name:{kind}/a",
                f"metadata.name!=$name:{kind}/a",
                "metadata.namespace=$home",
                "spec.nothing=1",
                "metadata.name",
            ]
            names += {"secrets": ["type=Opaque", "type!=Opaque"], "widgets": ["spec.color=red", "spec.color!=red"]}.get(kind, [])
            query += (("fieldSelector", self._pick(names)),)
        return self._scoped(kind, query)

    def _scoped(self, kind: str, query: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """What is in no namespace is told apart by its label."""
        if KINDS[kind].namespaced or any("home=" in value for _, value in query):
            return query
        mine = next((value for key, value in query if key == "labelSelector"), "")
        rest = tuple((key, value) for key, value in query if key != "labelSelector")
        return (("labelSelector", ",".join(part for part in (mine, "home=$home") if part)), *rest)

    def _revision(self, *, stale: bool = False) -> str:
        """Of some answer; now and then none that can be."""
        if not stale and self._chance(10):
            return self._pick(["0", ""])
        return f"$rv:{1 + self._below(max(1, len(self._steps)))}"

    def _place(self) -> tuple[str, str]:
        """Of an object that was made before, mostly."""
        made = [(step.kind, name) for step in self._steps if step.words == "create" and (name := _name_in(step.body))]
        if made and self._chance(85):
            return self._pick(made)
        return self._pick(self._kinds), self._name()

    def _fields(self, kind: str) -> Sequence[Field]:
        return FIELDS[kind] if self._chance(65) else METADATA

    def _name(self) -> str:
        return self._pick(["a", "a", "b", "c"]) if self._chance(97) else self._pick(["Bad_Name", "x.y"])

    def _given(self, percent: int, key: str, value: str) -> tuple[tuple[str, str], ...]:
        return ((key, value),) if self._chance(percent) else ()

    def _chance(self, percent: int) -> bool:
        return self._below(100) < percent

    def _pick(self, of: Sequence[V]) -> V:
        return of[self._below(len(of))]


def _name_in(body: Document) -> str:
    return str(body["metadata"].get("name", "")).rpartition("/")[2]


def _put(document: Document, place: Sequence[str], value: Any) -> None:
    for part in place[:-1]:
        inner = document.get(part)
        if not isinstance(inner, dict):
            inner = document[part] = {}
        else:
            # Values of the vocabulary are shared by all scripts.
            inner = document[part] = dict(inner)
        document = inner
    document[place[-1]] = value
