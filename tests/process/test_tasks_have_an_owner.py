"""Every task has an owner and is awaited at the end; no failure is lost and nothing is left behind."""

import asyncio
from typing import NoReturn

import pytest

from holdfast.process import Tasks


async def for_ever() -> None:
    await asyncio.Event().wait()


async def fails(with_: Exception) -> NoReturn:
    await asyncio.sleep(0)
    raise with_


async def test_leaving_the_scope_cancels_what_still_runs_and_waits_for_it() -> None:
    """A stopped component leaves no task that writes behind its back."""
    ended = []

    async def works() -> None:
        try:
            await for_ever()
        finally:
            await asyncio.sleep(0)
            ended.append("works")

    async with Tasks() as tasks:
        task = tasks.spawn(works(), name="works")
        await asyncio.sleep(0)

    assert task.cancelled()
    assert ended == ["works"]


async def test_a_failure_ends_the_body_and_the_siblings() -> None:
    """A worker that died must not be mourned hours later."""
    async with asyncio.timeout(5):
        with pytest.raises(ValueError, match="disk on fire"):
            async with Tasks() as tasks:
                sibling = tasks.spawn(for_ever(), name="sibling")
                tasks.spawn(fails(ValueError("disk on fire")), name="fails")
                await for_ever()

    assert sibling.cancelled()


async def test_several_failures_are_told_together() -> None:
    """The first failure is not always the interesting one."""
    with pytest.raises(BaseExceptionGroup) as caught:
        async with Tasks() as tasks:
            tasks.spawn(fails(ValueError("a")), name="a")
            tasks.spawn(fails(KeyError("b")), name="b")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await for_ever()

    assert {type(failure) for failure in caught.value.exceptions} == {ValueError, KeyError}


async def test_a_failure_of_the_body_is_raised_as_it_is() -> None:
    """No wrapping where there is nothing to group."""
    with pytest.raises(KeyError):
        async with Tasks() as tasks:
            tasks.spawn(for_ever(), name="other")
            raise KeyError("body")


async def test_a_failure_of_task_and_body_at_once_tells_both() -> None:
    """The body's own error must not hide why its tasks died."""
    with pytest.raises(BaseExceptionGroup) as caught:
        async with Tasks() as tasks:
            tasks.spawn(fails(ValueError("task")), name="task")
            try:
                await for_ever()
            except asyncio.CancelledError:
                raise KeyError("body") from None

    assert {type(failure) for failure in caught.value.exceptions} == {ValueError, KeyError}


async def test_a_cancel_from_outside_passes_through() -> None:
    """Ctrl-C ends the whole tree, not only a branch."""

    async def owner() -> None:
        async with Tasks() as tasks:
            tasks.spawn(for_ever(), name="child")
            await for_ever()

    async with Tasks() as tasks:
        task = tasks.spawn(owner(), name="owner")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

        assert task.cancelled()


async def test_a_scope_that_has_ended_takes_no_more_tasks() -> None:
    """Work that nobody would await must not begin."""
    async with Tasks() as tasks:
        pass

    with pytest.raises(RuntimeError, match="late"):
        tasks.spawn(for_ever(), name="late")


async def test_a_task_that_starts_tasks_while_being_cancelled_is_refused() -> None:
    """The end is the end, also for those who would rather go on."""
    async with Tasks() as tasks:

        async def stubborn() -> None:
            try:
                await for_ever()
            except asyncio.CancelledError:
                with pytest.raises(RuntimeError):
                    tasks.spawn(for_ever(), name="again")
                raise

        task = tasks.spawn(stubborn(), name="stubborn")
        await asyncio.sleep(0)

    assert task.cancelled()


async def test_tasks_that_end_by_themselves_are_no_news() -> None:
    """A scope outlives its short work."""
    results = []

    async def short() -> None:
        results.append("done")

    async with Tasks() as tasks:
        await tasks.spawn(short(), name="short")

    assert results == ["done"]
