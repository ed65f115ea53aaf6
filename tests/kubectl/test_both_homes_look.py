"""Describe, explain, api-resources, events, watches: what people look at, the same at both homes."""

import asyncio
import re

from tests.support.both_homes import Given, comparable

from holdfast.api.kinds import CUSTOM

KINDS = sorted(kind.plural for kind in CUSTOM)
SERVED = ("configmaps", "customresourcedefinitions", "events", "leases", "namespaces", "nodes", "secrets", "serviceaccounts", *KINDS)
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labels": {"l": "1"}}, "data": {"a": "1", "b": "2\n3"}}
BOOKS = {
    "apiVersion": "longhorn.io/v1beta2",
    "kind": "DiskSchedule",
    "metadata": {"name": "d", "annotations": {"note": "x"}},
    "spec": {"name": "disk-1", "nodeID": "node-1", "replicas": {"first": 5}},
}
LEASE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}


def event(name, uid, namespace, minute, **fields):
    about = {"apiVersion": "longhorn.io/v1beta2", "kind": "DiskSchedule", "namespace": namespace, "name": "d", "uid": uid}
    moment = f"2026-01-01T00:{minute:02}:00Z"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": about,
        "source": {"component": "manager"},
        "firstTimestamp": moment,
        "lastTimestamp": moment,
        "count": 1,
        "type": "Normal",
        "reason": "Granted",
        "message": f"said at {minute}",
        **fields,
    }


async def test_the_same_descriptions(homes):
    """``describe`` is where people look for a reason."""
    await homes.say_the_same(
        Given("create -f -", [CONFIG, BOOKS, LEASE]),
        "create secret generic s --from-literal=a=b",
        "describe cm c",
        "describe secret s",
        "describe sa default",
        "describe lease l",
        "describe lhds d",
        "describe lhds",
        "describe cm -l l=1",
        "describe crd settings.longhorn.io",
        "describe cm none",
        "describe lhds/d cm/c",
    )


async def test_the_same_events(homes):
    """Verdicts reach people as events: found by object, sorted by time, selected by field."""
    await homes.say_the_same(Given("create -f -", [BOOKS]))
    for kubectl in (homes.ours, homes.real):
        uid = (await kubectl("get", "lhds", "d", "-n", homes.namespace, "-o", "jsonpath={.metadata.uid}")).out
        told = [
            event("e2", uid, homes.namespace, 2, count=7),
            event("e1", uid, homes.namespace, 1, type="Warning", reason="Rejected"),
            event("e3", "elsewhere", homes.namespace, 3, reportingComponent="other", reportingInstance="x", action="Do"),
        ]
        await kubectl("create", "-f", "-", given=told)
    await homes.say_the_same(
        "get events",
        "get events -o wide",
        "get events --sort-by=.lastTimestamp",
        "get events --sort-by=.metadata.name -o name",
        "get events --field-selector type=Warning",
        "get events --field-selector involvedObject.name=d,reason!=Rejected -o name",
        "get events --field-selector involvedObject.kind=Pod",
        "get events --field-selector reportingComponent=other -o name",
        "get events --field-selector source=manager -o name",
        "get events --field-selector message=x",
        "get event e1 -o json",
        "get event e3 -o yaml",
        "events",
        "events --for lhds/d",
        "events --types=Warning",
        "describe lhds d",
        Given("create -f -", [event("bad", "u", "default", 1) | {"metadata": {"name": "bad"}}]),
        Given("create -f -", [event("bad", "u", homes.namespace, 1, type="Loud")]),
    )


async def test_the_same_explanations_of_our_kinds(homes):
    """The words of the schema are the manual of a kind."""
    await homes.say_the_same(
        "explain diskschedule",
        "explain lhds.spec",
        "explain lhds.spec.replicas",
        "explain diskschedules.status.conditions",
        "explain lhds --recursive",
        "explain lhn.status.diskStatus",
        "explain nodes.longhorn.io --recursive",
        "explain setting --api-version=longhorn.io/v1beta2",
        "explain lhds.spec.nothing",
        "explain nothing",
    )


async def test_the_same_fields_of_built_in_kinds(homes):
    """The words for them, and the names of nested types, are ours; which fields there are, and of what form, is not for us to say."""
    for kind in ("configmap", "secret", "serviceaccount", "lease", "namespace", "event"):
        ours, real = await homes.both("explain", kind, "--recursive")
        assert _fields(ours.out) == _fields(real.out), kind


def _fields(text):
    return re.sub(r"<(\[\])?[A-Z]\w*>", r"<\1Object>", text[text.index("FIELDS:") :]).splitlines()


async def test_the_same_resources_as_far_as_both_serve_them(homes):
    """``api-resources`` is where people look when they are lost."""
    for arguments in (
        ("api-resources", "-o", "wide", "--no-headers"),
        ("api-resources", "--no-headers", "--namespaced=false"),
        ("api-resources", "--no-headers", "--verbs=list,watch,deletecollection"),
        ("api-resources", "--no-headers", "--categories=api-extensions"),
        ("api-resources", "--no-headers", "--api-group=longhorn.io", "--sort-by=kind"),
        ("api-resources", "--no-headers", "--api-group=coordination.k8s.io", "-o", "name"),
    ):
        ours, real = [_rows(said.out) for said in await homes.both(*arguments)]
        assert ours, arguments
        assert ours == [row for row in real if row in ours or _is_served(row)], arguments


def _rows(text):
    return [comparable(line) for line in text.splitlines()]


def _is_served(row):
    name, *rest = row.split()
    return name.split(".")[0] in SERVED and not {"events.k8s.io/v1", "metrics.k8s.io/v1beta1"} & set(rest)


async def test_the_same_watches(homes):
    """What changes is shown in the order in which it changes, also what leaves a selection and what comes back."""
    for watch, lines in (
        ("get cm -l l=1 -w", 4),
        ("get cm -l l=1 -w --output-watch-events", 6),
        ("get cm -l l=1 -w -o jsonpath={.data.a},", 0),
        ("get cm c -w -o name", 3),
        ("get cm -l l=1 -w --output-watch-events -o custom-columns=N:.metadata.name,A:.data.a", 6),
    ):
        await homes.both("create", "-f", "-", given=CONFIG)
        arguments = ("-n", homes.namespace, *watch.split())
        shown = []
        for kubectl in (homes.ours, homes.real):
            watching = await kubectl.start(*arguments, "--request-timeout=30s")
            assert watching.stdout is not None
            try:
                shown.append(await _seen(kubectl, watching.stdout, homes.namespace, lines))
            finally:
                watching.terminate()
                await watching.communicate()
        assert shown[0] == shown[1], watch


async def _seen(kubectl, stdout, namespace, lines):
    async with asyncio.timeout(30):
        first = await stdout.readline() if lines else await stdout.readuntil(b",")
        for change in ('{"data":{"a":"9"}}', '{"metadata":{"labels":{"l":"2"}}}', '{"metadata":{"labels":{"l":"1"}}}'):
            await kubectl("patch", "-n", namespace, "cm", "c", "--type=merge", "-p", change)
        await kubectl("delete", "-n", namespace, "cm", "c")
        rest = [await stdout.readline() for _ in range(lines - 1)] if lines else [await stdout.readuntil(b",") for _ in range(2)]
    return [comparable(line.decode().strip()) for line in (first, *rest)]
