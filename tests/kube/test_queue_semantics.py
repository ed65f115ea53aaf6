"""The queue hands every key out as often as needed, and never to two at once."""

import asyncio

import pytest
from tests.support.virtual_loop import turns, virtual

from holdfast.kube.queue import ShutDown, WorkQueue
from holdfast.process import Tasks


def _now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_key_added_twice_is_handed_out_once():
    """A burst of changes is one round of work."""
    queue: WorkQueue[str] = WorkQueue()
    for key in ("a", "b", "a", "a"):
        queue.add(key)

    assert [await queue.get(), await queue.get()] == ["a", "b"]
    assert len(queue) == 0


@virtual
async def test_a_key_added_during_work_comes_again_after_it():
    """The change came after the worker had read: without a second round it is lost."""
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    key = await queue.get()
    queue.add("a")
    assert len(queue) == 0

    queue.done(key)
    assert await queue.get() == "a"
    queue.done("a")
    assert queue.is_idle


@virtual
async def test_a_key_is_never_in_two_hands():
    """Two rounds over one object at once would fight each other."""
    queue: WorkQueue[int] = WorkQueue()
    in_hand: set[int] = set()
    rounds = 0

    async def work() -> None:
        nonlocal rounds
        while True:
            key = await queue.get()
            assert key not in in_hand
            in_hand.add(key)
            await asyncio.sleep(0.1)
            in_hand.discard(key)
            rounds += 1
            queue.done(key)

    async with Tasks() as tasks:
        for number in range(5):
            tasks.spawn(work(), name=f"worker {number}")
        for _ in range(50):
            for key in range(3):
                queue.add(key)
            await asyncio.sleep(0.03)
        await asyncio.sleep(1)

    assert queue.is_idle
    assert rounds >= 3 * 15


@virtual
async def test_a_worker_that_leaves_does_not_take_the_wake_up_with_it():
    """A cancelled waiter that swallows a wake-up leaves a key lying for ever."""
    queue: WorkQueue[str] = WorkQueue()
    async with Tasks() as tasks:
        leaves = tasks.spawn(queue.get(), name="leaves")
        stays = tasks.spawn(queue.get(), name="stays")
        await turns()
        queue.add("a")
        leaves.cancel()
        assert await stays == "a"


@virtual
async def test_a_worker_cancelled_before_a_key_comes_is_forgotten():
    """Its place in the line must not catch the key."""
    queue: WorkQueue[str] = WorkQueue()
    async with Tasks() as tasks:
        leaves = tasks.spawn(queue.get(), name="leaves")
        await turns()
        leaves.cancel()
        queue.add("a")
        await turns()
        assert await queue.get() == "a"


@virtual
async def test_of_two_times_for_a_key_the_earlier_wins():
    """Who wants a look soon must not be put off by who wants one later."""
    queue: WorkQueue[str] = WorkQueue()
    start = _now()
    queue.add_after("a", 10)
    queue.add_after("a", 2)
    queue.add_after("a", 5)

    await queue.get()
    assert _now() - start == pytest.approx(2)
    queue.done("a")
    await asyncio.sleep(20)
    assert len(queue) == 0


@virtual
async def test_no_delay_means_now():
    """A time that has passed is no reason to wait."""
    queue: WorkQueue[str] = WorkQueue()
    queue.add_after("a", 0)
    queue.add_after("b", -5)
    assert len(queue) == 2


@virtual
async def test_a_failing_key_waits_longer_each_time_and_no_longer_than_a_minute():
    """One object that can not be mended must not take the time of the others."""
    queue: WorkQueue[str] = WorkQueue()
    waits = []
    for _ in range(18):
        start = _now()
        queue.add_rate_limited("a")
        queue.done(await queue.get())
        waits.append(_now() - start)

    assert waits[:4] == pytest.approx([0.005, 0.01, 0.02, 0.04])
    assert waits[14:] == pytest.approx([60] * 4)
    assert queue.retries == 18


@virtual
async def test_a_key_that_is_well_again_starts_over():
    """Old failures say nothing about the next one; and other keys' failures never did."""
    queue: WorkQueue[str] = WorkQueue()
    for _ in range(10):
        queue.add_rate_limited("a")
    queue.forget("a")
    await asyncio.sleep(100)
    queue.done(await queue.get())

    start = _now()
    queue.add_rate_limited("a")
    queue.add_rate_limited("b")
    assert {await queue.get(), await queue.get()} == {"a", "b"}
    assert _now() - start == pytest.approx(0.005)


@virtual
async def test_a_shut_queue_hands_out_what_waits_and_takes_nothing_more():
    """Work that was accepted is done; what comes later belongs to the next process."""
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    queue.add_after("later", 1)
    first = await queue.get()
    queue.add("a")
    queue.add("b")
    queue.shut_down()
    queue.add("c")
    queue.add_after("d", 0)

    assert await queue.get() == "b"
    queue.done(first)
    assert await queue.get() == "a"
    queue.done("a")
    queue.done("b")
    with pytest.raises(ShutDown):
        await queue.get()


@virtual
async def test_every_waiting_worker_hears_of_the_end():
    """A worker that is not told hangs for ever."""
    queue: WorkQueue[str] = WorkQueue()
    ended = []

    async def work() -> None:
        try:
            while True:
                queue.done(await queue.get())
        except ShutDown:
            ended.append("ended")

    async with Tasks() as tasks:
        for number in range(3):
            tasks.spawn(work(), name=f"worker {number}")
        queue.add("a")
        await turns()
        queue.shut_down()
        await turns()

    assert ended == ["ended"] * 3
