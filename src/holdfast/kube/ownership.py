"""Which manager works on which key, so that two seldom do the same work. Nothing rests on it: two that disagree lose time, not truth.

Every manager keeps a Lease of its own. Who has renewed within the last seconds is *live*, told by the local monotonic clock
from when its record was seen to change. A key belongs to the live manager whose hash with the key is the highest (rendezvous):
all that know the same managers agree, and when one comes or goes, only its keys move.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import NoReturn, Protocol

from holdfast.api.core import Lease, LeaseSpec
from holdfast.api.errors import ApiError, NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.api.timestamps import seconds_of
from holdfast.api.wire import Unreachable
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.keys import Key
from holdfast.kube.leases import Observed, renewal_time
from holdfast.kube.refusals import advised
from holdfast.process import Process, Tasks

log = logging.getLogger(__name__)

PREFIX = "holdfast-manager-"
LABELS = {"app.kubernetes.io/name": "holdfast", "app.kubernetes.io/component": "manager"}

#: In seconds.
RENEWAL = 5.0
DURATION = 15.0
#: After this time without a renewal anybody may delete the Lease.
LONG_DEAD = 10 * DURATION
#: Between two looks for such Leases.
BURIAL = 60.0


class Ownership(Protocol):
    """Says whose a key is, and tells when that may have changed."""

    def owns(self, key: Key) -> bool:
        """Whether this process works on the key."""
        ...

    def on_change(self, handler: Callable[[], None]) -> Callable[[], None]:
        """Call the handler when other keys may be ours than before. The result ends it."""
        ...

    async def run(self) -> None:
        """Keep up with who is there, until cancelled."""
        ...


class SoleOwner:
    """For a process that works alone: everything is its own."""

    def owns(self, _key: Key) -> bool:
        return True

    def on_change(self, _handler: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    async def run(self) -> None:
        """Nobody comes and nobody goes."""


class Members:
    """A set of names among which keys are shared out."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._hashes = [(name, blake2b(name.encode() + b"\0", digest_size=8)) for name in sorted(self.names)]

    def owner(self, key: Key) -> str:
        """The name to which the key belongs; costs one hash a member."""
        text = f"{key.namespace}/{key.name}".encode()
        best, highest = "", b""
        for name, begun in self._hashes:
            hashed = begun.copy()
            hashed.update(text)
            digest = hashed.digest()
            if digest > highest:
                best, highest = name, digest
        return best


class SharedOwnership:
    """Shares keys with all managers of the namespace. ``Runtime(ownership=...)`` makes one over its caches.

    This process counts itself as live in any case: at worst it works on what others work on too.
    """

    def __init__(self, client: Client, process: Process, caches: Caches, *, namespace: str) -> None:
        self._client = client
        self._process = process
        self._namespace = namespace
        self._lease_name = PREFIX + process.name
        self._leases = caches.of(Lease, namespace)
        self._observed: dict[str, Observed] = {}
        self._members = Members([process.name])
        self._handlers: tuple[Callable[[], None], ...] = ()

    @property
    def live(self) -> frozenset[str]:
        """The managers among which keys are shared out now."""
        return self._members.names

    def owns(self, key: Key) -> bool:
        return self._members.owner(key) == self._process.name

    def on_change(self, handler: Callable[[], None]) -> Callable[[], None]:
        self._handlers += (handler,)

        def end() -> None:
            self._handlers = tuple(other for other in self._handlers if other is not handler)

        return end

    async def run(self) -> None:
        """Keep the own Lease and watch those of the others, until cancelled."""
        end = self._leases.on_change(self._heard)
        try:
            async with Tasks() as tasks:
                tasks.spawn(self._keep_own(), name="own lease")
                tasks.spawn(self._bury(), name="leases of the dead")
                while True:
                    # A Lease that stands still makes no event: somebody has to look at the clock.
                    await asyncio.sleep(self._process.randomness.jitter(1.0, 0.1))
                    self._take_stock()
        finally:
            end()

    async def leave(self) -> None:
        """Say goodbye, so that others take over at once. For an orderly end, after ``run``: a process that is killed says nothing."""
        try:
            await self._client.delete(Lease, self._lease_name, self._namespace)
        except (ApiError, Unreachable) as failure:
            log.info("could not delete lease %s, it will run out: %s", self._lease_name, failure)

    async def _keep_own(self) -> NoReturn:
        while True:
            try:
                async with asyncio.timeout(DURATION):
                    await self._renew()
            except (ApiError, Unreachable, TimeoutError) as failure:
                log.warning("cannot renew lease %s: %s", self._lease_name, advised(failure) or "no answer in time")
            await asyncio.sleep(self._process.randomness.jitter(RENEWAL, 0.1))

    async def _renew(self) -> None:
        held = self._leases.get(self._lease_name)
        now = renewal_time(self._process.clock.now(), held.spec.renew_time if held is not None else "")
        try:
            await self._client.patch(Lease, self._lease_name, self._namespace, {"spec": {"renewTime": now}})
        except NotFound:
            metadata = ObjectMeta(name=self._lease_name, namespace=self._namespace, labels=LABELS)
            spec = LeaseSpec(holder_identity=self._process.name, lease_duration_seconds=int(DURATION), acquire_time=now, renew_time=now)
            await self._client.create(Lease(metadata=metadata, spec=spec))

    def _heard(self, change: Change[Lease]) -> None:
        lease = change.object
        name = lease.metadata.name
        if not name.startswith(PREFIX):
            return
        if change.new is None:
            self._observed.pop(name, None)
        else:
            self._see(name, lease)
        self._take_stock()

    def _see(self, name: str, lease: Lease) -> None:
        known = self._observed.get(name)
        observed = known or self._observed.setdefault(name, Observed())
        observed.see(lease, self._process.clock.monotonic())
        if known is None and self._looks_dead(lease):
            # Seen for the first time, and old by its own word. Should its clock be wrong, its next renewal corrects us.
            observed.since -= DURATION

    def _looks_dead(self, lease: Lease) -> bool:
        renewed = seconds_of(lease.spec.renew_time)
        return renewed is not None and self._process.clock.now() - renewed > DURATION

    def _take_stock(self) -> None:
        now = self._process.clock.monotonic()
        live = {name.removeprefix(PREFIX) for name, seen in self._observed.items() if now - seen.since < DURATION}
        live.add(self._process.name)
        if live == self._members.names:
            return
        log.info("managers: %s", ", ".join(sorted(live)))
        self._members = Members(live)
        for handler in self._handlers:
            handler()

    async def _bury(self) -> NoReturn:
        """Delete the Leases of managers that are long dead. Everybody may: a renewal meanwhile makes the deletion fail."""
        while True:
            await asyncio.sleep(self._process.randomness.jitter(BURIAL))
            await self._bury_once()

    async def _bury_once(self) -> None:
        now = self._process.clock.monotonic()
        for name, seen in tuple(self._observed.items()):
            lease = self._leases.get(name)
            if lease is None or name == self._lease_name or now - seen.since < LONG_DEAD:
                continue
            metadata = lease.metadata
            try:
                await self._client.delete(Lease, name, self._namespace, uid=metadata.uid, resource_version=metadata.resource_version)
            except (ApiError, Unreachable) as failure:
                log.debug("cannot delete lease %s: %s", name, failure)
