"""The surroundings of a process: clocks, randomness, a thread, a death."""

import asyncio
import re

import pytest

from holdfast.process import Process, Randomness, SystemClock, Thread


def test_one_seed_gives_one_run() -> None:
    """The simulation replays a failure from its seed alone."""

    def draws(randomness: Randomness) -> list[object]:
        return [randomness.uuid(), randomness.suffix(), randomness.token(), randomness.jitter(1.0), randomness.below(1000)]

    assert draws(Randomness(7)) == draws(Randomness(7))
    assert draws(Randomness(7)) != draws(Randomness(8))


def test_names_and_tokens_have_their_form() -> None:
    """Kubernetes refuses an upper case letter in a name; a short token can be guessed."""
    randomness = Randomness()

    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", randomness.uuid())
    assert re.fullmatch(r"[a-z2-9]{5}", randomness.suffix())
    assert re.fullmatch(r"[0-9a-f]{64}", randomness.token())
    assert re.fullmatch(r"[0-9a-f]{64}", Randomness(3).token())


def test_jitter_only_lengthens() -> None:
    """A backoff that shrinks is no backoff."""
    randomness = Randomness(1)

    assert all(2.0 <= randomness.jitter(2.0) <= 3.0 for _ in range(200))


async def test_durations_are_measured_on_the_loop_so_that_time_can_be_virtual() -> None:
    """Code that waits and code that measures must agree about time."""
    assert SystemClock().monotonic() <= asyncio.get_running_loop().time() <= SystemClock().monotonic()


def test_what_speaks_for_a_process_falls_silent_first_when_it_dies() -> None:
    """Nothing may be written from a ``finally`` of a dead process."""
    said: list[str] = []
    process = Process("m1")
    process.at_death(lambda: said.append("transport is silent"))

    process.die()

    assert process.is_dead
    assert said == ["transport is silent"]


async def test_a_thread_works_in_the_order_of_the_calls() -> None:
    """The journal's batches must reach the disk as they were made."""
    thread = Thread("journal")
    done: list[int] = []

    await asyncio.gather(*(thread.run(done.append, number) for number in range(20)))
    thread.close()

    assert done == list(range(20))


async def test_a_failure_in_the_thread_reaches_the_caller() -> None:
    """A full disk is the writer's to know."""
    thread = Thread("journal")

    def fails() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        await thread.run(fails)
    thread.close()
