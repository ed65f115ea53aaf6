"""PUT: a whole object in the place of the one that is there."""

import json

from tests.support.home import causes, kept


def _changed(reply, **metadata):
    """The same object with other metadata; None takes a field away."""
    body = json.loads(json.dumps(reply.body))
    body["metadata"].update(metadata)
    body["metadata"] = {field: value for field, value in body["metadata"].items() if value is not None}
    return body


async def test_an_update_replaces_what_it_does_not_say(home):
    """Unlike a patch."""
    made = await home.make("configmaps", "a", {"labels": {"l": "1"}}, data={"k": "1", "gone": "1"})
    body = {**_changed(made, labels={"m": "2"}), "data": {"k": "2"}}
    after = await home.put(home.at("configmaps", "a"), body)
    assert (after.code, after.body["data"], after.body["metadata"]["labels"]) == (200, {"k": "2"}, {"m": "2"})
    assert int(after.version) > int(made.version)


async def test_an_update_of_what_has_changed_is_a_conflict(home):
    """The one rule that all controllers stand on."""
    made = await home.make("configmaps", "a")
    await home.put(home.at("configmaps", "a"), {**made.body, "data": {"k": "1"}})
    stale = await home.put(home.at("configmaps", "a"), {**made.body, "data": {"k": "2"}})
    assert (stale.code, stale.reason) == (409, "Conflict")
    assert stale.body["details"] == {"name": "a", "kind": "configmaps"}
    future = await home.put(home.at("configmaps", "a"), _changed(made, resourceVersion="99999999"))
    assert (future.code, future.reason) == (409, "Conflict")


async def test_an_update_that_changes_nothing_writes_nothing(home):
    """Else everybody who watches would be woken for nothing."""
    made = await home.make("configmaps", "a", data={"k": "1"})
    again = await home.put(home.at("configmaps", "a"), made.body)
    assert (again.code, again.version) == (200, made.version)


async def test_an_update_without_a_version_overwrites(home):
    """As a person does who sends a file; nothing, "" and 0 say the same."""
    made = await home.make("configmaps", "a")
    for number, version in enumerate((None, "", "0")):
        body = {**_changed(made, resourceVersion=version), "data": {"n": str(number)}}
        reply = await home.put(home.at("configmaps", "a"), body)
        assert (reply.code, reply.body["data"]) == (200, {"n": str(number)}), version


async def test_custom_objects_leases_and_definitions_are_never_overwritten_blindly(widgets):
    """For these a version is needed."""
    made = await widgets.make("widgets", "a", spec={"size": 1})
    lease = await widgets.make("leases", "a")
    for path, reply in ((widgets.at("widgets", "a"), made), (widgets.at("leases", "a"), lease)):
        refused = await widgets.put(path, _changed(reply, resourceVersion=None))
        assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", "metadata.resourceVersion")]), path


async def test_identity_does_not_change(home):
    """A name or a uid of another object: the client has mixed something up."""
    made = await home.make("configmaps", "a")
    path = home.at("configmaps", "a")
    assert (await home.put(path, _changed(made, name="other"))).code == 400
    assert (await home.put(path, _changed(made, name=None))).code == 400
    assert (await home.put(path, _changed(made, namespace="other"))).code == 400
    assert (await home.put(path, _changed(made, namespace=None))).code == 200
    other = await home.put(path, _changed(made, uid="other", resourceVersion=None))
    assert (other.code, other.reason) == (409, "Conflict")
    assert (await home.put(path, _changed(made, uid=None))).code == 200


async def test_when_it_was_made_does_not_change(home):
    """Whatever a client sends for it."""
    made = await home.make("configmaps", "a")
    for time in ("2001-01-01T00:00:00Z", None):
        after = await home.put(home.at("configmaps", "a"), _changed(made, creationTimestamp=time))
        assert (after.code, after.body["metadata"]["creationTimestamp"]) == (200, made.body["metadata"]["creationTimestamp"])


async def test_a_client_does_not_delete_by_update(home):
    """Only DELETE begins the end of an object."""
    made = await home.make("configmaps", "a")
    for metadata in ({"deletionTimestamp": "2001-01-01T00:00:00Z"}, {"deletionGracePeriodSeconds": 5}):
        reply = await home.put(home.at("configmaps", "a"), _changed(made, **metadata))
        assert (reply.code, set(causes(reply))) == (422, {("FieldValueInvalid", f"metadata.{next(iter(metadata))}")})


async def test_generate_name_is_only_a_note(home):
    """It may come later, and does nothing."""
    made = await home.make("configmaps", "a")
    after = await home.put(home.at("configmaps", "a"), _changed(made, generateName="x-"))
    assert (after.code, after.body["metadata"]["generateName"]) == (200, "x-")


async def test_what_is_not_there_is_not_updated(home):
    """A deleted object must not come back by a late write."""
    for plural in ("configmaps", "secrets", "serviceaccounts", "nodes", "namespaces"):
        name = home.own(plural, "absent")
        reply = await home.put(home.at(plural, name), {"metadata": {"name": name}})
        assert (reply.code, reply.reason) == (404, "NotFound"), plural


async def test_leases_and_events_are_made_by_update(home):
    """Kubernetes makes these when they are not there."""
    lease = await home.put(home.at("leases", "l"), {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}})
    assert (lease.code, kept(lease)["spec"]) == (201, {"holderIdentity": "me"})
    about = {"kind": "Pod", "namespace": home.namespace, "name": "p"}
    event = await home.put(home.at("events", "e"), {"metadata": {"name": "e", "namespace": home.namespace}, "involvedObject": about})
    assert (event.code, event.body["involvedObject"]) == (201, about)


async def test_generation_counts_changes_of_what_is_wanted(widgets):
    """How a controller knows that it has seen the newest wish."""
    made = await widgets.make("widgets", "a", spec={"size": 1}, status={"phase": "ignored"})
    path = widgets.at("widgets", "a")
    assert (made.body["metadata"]["generation"], "status" in made.body) == (1, False)
    generations = []
    for path_of, patch in (
        (path, {"metadata": {"labels": {"l": "1"}}}),
        (path, {"spec": {"size": 2}}),
        (path, {"spec": {"size": 2}}),
        (f"{path}/status", {"status": {"phase": "Ready"}}),
        (path, {"metadata": {"generation": 9}}),
        (path, {"spec": {"colour": "red"}}),
    ):
        generations.append((await widgets.patch(path_of, patch)).body["metadata"]["generation"])
    assert generations == [1, 2, 2, 2, 2, 3]


async def test_kinds_of_kubernetes_without_a_wish_count_no_generation(home):
    """Config maps have none; what a client says there stays as it said it."""
    made = await home.make("configmaps", "a")
    after = await home.patch(home.at("configmaps", "a"), {"data": {"k": "1"}})
    assert ["generation" in reply.body["metadata"] for reply in (made, after)] == [False, False]
    assert (await home.make("configmaps", "b", {"generation": 7})).body["metadata"]["generation"] == 7
