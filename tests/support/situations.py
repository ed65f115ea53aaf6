"""Random situations of one disk, small enough that sums collide, ties happen and rules bind. For property tests."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.ledgers import NOW

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource, State
from holdfast.api.meta import Condition
from holdfast.api.timestamps import timestamp
from holdfast.decide.codes import Code
from holdfast.decide.ledger import Verdict
from holdfast.decide.policy import LimitPolicy, Policy
from holdfast.decide.values import Ask, AskKey, AskKind, Disk, Situation

patient = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Many examples, and no clock: a loaded machine must not fail a test."""

sizes = st.integers(1, 40)
tokens = st.sampled_from(["", "u/1/0", "u/2/1", "v/1/0"])
times = st.sampled_from(["", "junk", *(timestamp(NOW - ago) for ago in (0, 60, 600, 6000))])
absurd = st.sampled_from([-1, -(2**63), 2**63 - 1, 2**64])

policies = st.builds(
    Policy,
    over_provisioning=st.sampled_from([0, 33, 100, 150, 1_000_000]),
    minimal_available=st.sampled_from([0, 25, 100]),
    limit=st.sampled_from(LimitPolicy),
    aging=st.sampled_from([0, 600]),
)
directories = st.sampled_from(["d0", "d1", "d2", "d3"])


@st.composite
def disks(draw):
    maximum = draw(st.integers(0, 100))
    written = draw(st.dictionaries(directories, st.integers(0, 50), max_size=4))
    return Disk(maximum, draw(st.integers(0, 30)), draw(st.integers(0, maximum)), written)


@st.composite
def asks(draw, key: AskKey):
    shared = draw(st.booleans())
    size = draw(sizes)
    return Ask(
        key=key,
        bytes=size,
        token=draw(tokens),
        directory=draw(directories) if shared else f"of-{key.kind}-{key.name}",
        created=draw(st.none() | st.sampled_from([NOW - 1, NOW - 100, NOW - 9999])),
        is_there=draw(st.integers(0, 5)) == 0,
        brings=draw(st.integers(0, size)) if key.kind is AskKind.IMAGE else 0,
        gone_since=draw(st.none() | st.none() | st.just(NOW - 60)),
    )


entries = st.builds(
    ScheduledResource,
    state=st.sampled_from(State),
    scheduled_size=st.integers(0, 40) | sizes | absurd,
    token=tokens,
    last_transition_time=times,
    orphaned_since=times,
    adopted=st.booleans(),
)
conditions = st.builds(
    Condition,
    type=st.sampled_from(["Schedulable", "OverLimit", "OrphanedAsks", "Foreign"]),
    status=st.sampled_from(["True", "False", "?"]),
    last_transition_time=times,
)
names = st.sampled_from(["a", "b", "c", "d", "e", "f"])
statuses = st.builds(
    DiskScheduleStatus,
    replicas=st.dictionaries(names, entries, max_size=5),
    backing_images=st.dictionaries(names, entries, max_size=3),
    storage_scheduled=st.integers(0, 100) | absurd,
    conditions=st.lists(conditions, max_size=4).map(tuple),
)


mostly_open = st.sampled_from([None, None, None, Code.DISK_NOT_READY])


@st.composite
def situations(draw, closed=mostly_open):
    """Any disk with any asks, and a status that may have been edited by hand."""
    keys = [AskKey(kind, name) for kind in AskKind for name in draw(st.lists(names, unique=True, max_size=5))]
    return Situation(
        disk_name="ssd1",
        node_id="n3",
        asks=tuple(draw(asks(key)) for key in keys),
        status=draw(statuses),
        disk=draw(disks()),
        closed=draw(closed),
        policy=draw(policies),
        node_revision="7",
    )


def recorded(situation: Situation, verdict: Verdict) -> Situation:
    """The situation after the verdict was written."""
    return replace(situation, status=verdict.status)
