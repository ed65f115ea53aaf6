"""One leader among many processes, by a Lease.

Why two never lead at once, as long as clocks run at about the same rate:

- A leader trusts its lease for ``renew_deadline`` from the moment at which it *sent* the last renewal that succeeded. Its work is
  cancelled when that time is over, whether the server can be reached or not.
- Others take the lease only when its record has not changed for the longer ``duration`` since they *saw* it change, which was
  after the server had it, which was after it was sent.
- Every take-over is guarded by the resourceVersion, so of two only one succeeds.

All three are measured with the monotonic clock. A write of a leader that was delayed on its way may still arrive after another
one leads: where that matters, put ``Leadership.epoch`` into what is written; it grows with every change of leader.

A lease that somebody deletes by hand protects nobody: a process that has never seen it takes the place at once, and the holder hears
of it with its next renewal.

The lease is given back on an orderly end (the work is done, or ``step_down``), not when the process is cancelled or dies: then
nothing may be written any more, and it runs out.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from holdfast.api.core import Lease, LeaseSpec
from holdfast.api.errors import ApiError, Conflict, NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.leases import Observed, renewal_time
from holdfast.process import Process, Tasks
from holdfast.process.clock import Clock

log = logging.getLogger(__name__)


#: Less time than this is of no use for a request.
_MOMENT = 0.01


class Terms(Struct, frozen=True, kw_only=True):
    """The times of an election, in seconds."""

    duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < self.retry_period < self.renew_deadline < self.duration:
            raise ValueError("an election needs retry period < renew deadline < duration")


class Leadership:
    """The right to lead, for now."""

    def __init__(self, epoch: int, clock: Clock) -> None:
        self.epoch = epoch
        self.lost = asyncio.Event()
        self._clock = clock
        self.until = clock.monotonic()

    @property
    def holds(self) -> bool:
        """Whether this process may act as the leader at this moment."""
        return not self.lost.is_set() and self._clock.monotonic() < self.until

    @property
    def remaining(self) -> float:
        return self.until - self._clock.monotonic()


class LeaderElection:
    """One process's part in the election for one lease."""

    def __init__(self, client: Client, process: Process, *, namespace: str, name: str, terms: Terms | None = None) -> None:
        self._client = client
        self._process = process
        self._clock = process.clock
        self._namespace = namespace
        self._name = name
        self._terms = terms or Terms()
        # A process that starts again under its name is another one: it knows nothing of what its forerunner had begun.
        self.identity = f"{process.name}_{process.randomness.suffix(10)}"
        self._observed = Observed()
        self._stepping_down = asyncio.Event()
        self._lease = Lease()
        self._highest = 0

    def step_down(self) -> None:
        """End ``run`` in an orderly way: stop the work, then give the lease back."""
        self._stepping_down.set()

    async def run(self, work: Callable[[Leadership], Awaitable[None]]) -> None:
        """Lead whenever it falls to us, and do the work then. Ends when the work is done or after ``step_down``.

        The work is cancelled when the leadership is lost, and begun again when it comes back.
        """
        while not self._stepping_down.is_set():
            leadership = await self._try_to_lead()
            if leadership is None:
                await self._rest(self._process.randomness.jitter(self._terms.retry_period, 0.2))
                continue
            log.info("%s leads %s, epoch %d", self.identity, self._name, leadership.epoch)
            async with Tasks() as tasks:
                working = tasks.spawn(_await(work(leadership)), name=f"work of the leader of {self._name}")
                keeping = tasks.spawn(self._keep(leadership), name=f"renewal of {self._name}")
                await asyncio.wait((working, keeping), return_when=asyncio.FIRST_COMPLETED)
                is_done = working.done()
            # Here the work has ended, whichever of the two was first.
            if leadership.holds:
                await self._give_back()
            leadership.lost.set()
            log.info("%s no longer leads %s", self.identity, self._name)
            if is_done:
                return

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stepping_down.wait()
        except TimeoutError:
            return

    async def _try_to_lead(self) -> Leadership | None:
        try:
            async with asyncio.timeout(self._terms.renew_deadline):
                return await self._acquire()
        except Conflict:
            return None
        except (ApiError, Unreachable, TimeoutError) as failure:
            log.warning("%s cannot try to lead %s: %s", self.identity, self._name, str(failure) or "no answer in time")
            return None

    async def _acquire(self) -> Leadership | None:
        try:
            lease = await self._client.get(Lease, self._name, self._namespace)
        except NotFound:
            return await self._create()
        spec, now = lease.spec, self._clock.monotonic()
        self._observed.see(lease, now)
        self._highest = max(self._highest, spec.lease_transitions)
        is_anothers = spec.holder_identity not in ("", self.identity)
        if is_anothers and now - self._observed.since < max(self._terms.duration, spec.lease_duration_seconds):
            return None
        # Also when it is in our own name (an attempt whose answer was lost, or a leadership that we gave up): a new time begins.
        return await self._take(lease)

    async def _create(self) -> Leadership | None:
        if self._clock.monotonic() - self._observed.since < self._terms.duration:
            return None  # somebody has deleted the lease, and its holder may not know yet
        now = renewal_time(self._clock.now())
        spec = LeaseSpec(
            holder_identity=self.identity,
            lease_duration_seconds=int(self._terms.duration),
            acquire_time=now,
            renew_time=now,
            lease_transitions=self._highest + 1,
        )
        started = self._clock.monotonic()
        self._lease = await self._client.create(Lease(metadata=ObjectMeta(name=self._name, namespace=self._namespace), spec=spec))
        return self._leadership(started)

    async def _take(self, lease: Lease) -> Leadership:
        now = renewal_time(self._clock.now(), lease.spec.renew_time)
        spec = LeaseSpec(
            holder_identity=self.identity,
            lease_duration_seconds=int(self._terms.duration),
            acquire_time=now,
            renew_time=now,
            lease_transitions=self._highest + 1,
        )
        started = self._clock.monotonic()
        self._lease = await self._client.change(lease, replace(lease, spec=spec), guarded=True)
        return self._leadership(started)

    def _leadership(self, started: float) -> Leadership:
        self._highest = self._lease.spec.lease_transitions
        leadership = Leadership(self._highest, self._clock)
        leadership.until = started + self._terms.renew_deadline
        return leadership

    async def _keep(self, leadership: Leadership) -> None:
        """Renew until the leadership is lost or to be given back."""
        while True:
            await self._rest(max(_MOMENT, min(self._terms.retry_period, leadership.remaining)))
            if self._stepping_down.is_set():
                return
            if leadership.remaining < _MOMENT:
                leadership.lost.set()
                return
            started = self._clock.monotonic()
            try:
                async with asyncio.timeout(leadership.remaining):
                    if not await self._renew():
                        leadership.lost.set()
                        return
            except (ApiError, Unreachable, TimeoutError) as failure:
                log.warning("%s cannot renew %s: %s", self.identity, self._name, str(failure) or "no answer in time")
            else:
                leadership.until = started + self._terms.renew_deadline

    async def _renew(self) -> bool:
        """False when the lease is somebody else's."""
        try:
            await self._write_renewal()
        except Conflict:
            self._lease = await self._client.get(Lease, self._name, self._namespace)
            if self._lease.spec.holder_identity != self.identity:
                return False
            # An earlier renewal of ours whose answer was lost, or a label that somebody put on it.
            await self._write_renewal()
        except NotFound:
            return False
        return True

    async def _write_renewal(self) -> None:
        before = self._lease
        spec = replace(before.spec, renew_time=renewal_time(self._clock.now(), before.spec.renew_time))
        self._lease = await self._client.change(before, replace(before, spec=spec), guarded=True)

    async def _give_back(self) -> None:
        lease = self._lease
        try:
            async with asyncio.timeout(self._terms.retry_period):
                await self._client.change(lease, replace(lease, spec=replace(lease.spec, holder_identity="")), guarded=True)
        except (ApiError, Unreachable, TimeoutError) as failure:
            log.info("%s could not give back %s, it will run out: %s", self.identity, self._name, str(failure) or "no answer in time")


async def _await(work: Awaitable[None]) -> None:
    await work
