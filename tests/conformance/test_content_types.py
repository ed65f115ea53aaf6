"""What travels: media types that are read and written."""

import json

from tests.support.raw_api import JSON, METADATA_ONLY, TABLE

_BODY = {"metadata": {"name": "a"}, "data": {"k": "v"}}


async def test_json_and_yaml_are_read(home):
    """A file as people write it can be sent as it is."""
    made = await home.send(
        "POST",
        home.at("configmaps"),
        b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\ndata:\n  k: 'on'\n",
        kind="application/yaml",
    )
    assert (made.code, made.body["data"]) == (201, {"k": "on"})
    # YAML 1.1 knows yes and no by one letter.
    letter = b"metadata:\n  name: y\n"
    assert (await home.send("POST", home.at("configmaps"), letter, kind="application/yaml")).code == 400
    assert (await home.send("POST", home.at("configmaps"), _BODY, kind="application/json; charset=utf-8")).code == 201


async def test_other_types_are_refused(home):
    """The answer says what is taken."""
    for kind in ("text/plain", "application/xml", "foo", "text/yaml", "*/*"):
        reply = await home.send("POST", home.at("configmaps"), _BODY, kind=kind)
        assert (reply.code, reply.reason) == (415, "UnsupportedMediaType"), kind
        assert "application/json" in reply.words


async def test_a_patch_names_its_kind(home):
    """There are several, and they mean different things."""
    await home.make("configmaps", "a")
    for kind in ("application/json", "text/plain", ""):
        reply = await home.patch(home.at("configmaps", "a"), {"data": {}}, kind=kind)
        assert (reply.code, reply.reason) == (415, "UnsupportedMediaType"), kind
    assert (await home.patch(home.at("configmaps", "a"), {}, kind="application/merge-patch+json; charset=utf-8")).code == 200


async def test_a_custom_kind_takes_no_strategic_patch(widgets):
    """Nobody told the server how its lists merge; kubectl falls back by itself."""
    await widgets.make("widgets", "a")
    reply = await widgets.patch(widgets.at("widgets", "a"), {}, kind="application/strategic-merge-patch+json")
    assert (reply.code, reply.reason) == (415, "UnsupportedMediaType")


async def test_an_answer_comes_in_the_first_form_that_can_be_had(home):
    """Clients name several, the best first."""
    await home.make("secrets", "a")
    kinds = {}
    for accept in (
        "",
        "*/*",
        "text/html, application/json",
        f"{TABLE}, application/json",
        METADATA_ONLY,
        "application/json;q=0.5",
        f"application/xml, {METADATA_ONLY}",
    ):
        reply = await home.get(home.at("secrets", "a"), accept=accept)
        kinds[accept] = reply.code, reply.body["kind"], reply.headers["content-type"]
    assert list(kinds.values()) == [
        (200, kind, JSON) for kind in ("Secret", "Secret", "Secret", "Table", "PartialObjectMetadata", "Secret", "PartialObjectMetadata")
    ]


async def test_what_nobody_can_write_is_not_acceptable(home):
    """Better no answer than one that can not be read."""
    await home.make("secrets", "a")
    bogus = ("text/plain", "application/json;as=Bogus;g=meta.k8s.io;v=v1", "application/json;as=Table;g=meta.k8s.io;v=v9")
    for accept in bogus:
        for path in (home.at("secrets", "a"), home.at("secrets")):
            reply = await home.get(path, accept=accept)
            assert (reply.code, reply.reason) == (406, "NotAcceptable"), accept


async def test_a_write_answers_in_the_form_that_was_asked_for(home):
    """A client that wants metadata alone gets no more from its own write."""
    made = await home.send("POST", home.at("secrets"), {"metadata": {"name": "a"}}, accept=METADATA_ONLY)
    assert (made.code, made.body["kind"], set(made.body)) == (201, "PartialObjectMetadata", {"kind", "apiVersion", "metadata"})
    row = await home.send("PATCH", home.at("secrets", "a"), {}, kind="application/merge-patch+json", accept=TABLE)
    assert (row.body["kind"], row.body["rows"][0]["cells"][0]) == ("Table", "a")


async def test_metadata_alone_is_the_metadata_of_the_whole(home):
    """Informers that need no more save most of the memory."""
    await home.make("secrets", "a", {"labels": {"l": "1"}}, data={"k": "dg=="})
    whole, part = await home.get(home.at("secrets", "a")), await home.get(home.at("secrets", "a"), accept=METADATA_ONLY)
    assert part.body == {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": whole.body["metadata"]}
    listed = await home.get(home.at("secrets"), accept=METADATA_ONLY.replace("Metadata;", "MetadataList;"))
    assert (listed.body["kind"], listed.body["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert next(item for item in listed.body["items"] if item["metadata"]["name"] == "a")["metadata"] == whole.body["metadata"]


async def test_a_list_of_kinds_of_kubernetes_says_once_what_it_holds(home):
    """Its items have no kind of their own; those of custom kinds have."""
    await home.make("secrets", "a")
    reply = await home.get(home.at("secrets"))
    assert (reply.body["kind"], reply.body["apiVersion"]) == ("SecretList", "v1")
    assert all("kind" not in item and "apiVersion" not in item for item in reply.body["items"])
    assert set(reply.body["metadata"]) == {"resourceVersion"}


async def test_items_of_a_custom_kind_say_what_they_are(widgets):
    """As they are kept."""
    await widgets.make("widgets", "a")
    reply = await widgets.get(widgets.at("widgets"))
    assert (reply.body["kind"], reply.body["apiVersion"]) == ("WidgetList", "conformance.example.com/v1")
    assert [(item["kind"], item["apiVersion"]) for item in reply.body["items"]] == [("Widget", "conformance.example.com/v1")]
    assert set(reply.body["metadata"]) == {"resourceVersion", "continue"}


async def test_numbers_beyond_64_bits_are_no_integers(widgets):
    """An integer of a schema has 64 bits."""
    body = json.dumps({"apiVersion": "conformance.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"ratio": 2**70}})
    made = await widgets.post(widgets.at("widgets"), body.encode())
    assert (made.code, made.body["spec"]["ratio"]) == (201, 2**70)
