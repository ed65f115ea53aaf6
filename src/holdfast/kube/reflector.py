"""Keeps one cache true: lists once, then watches from there, for ever.

- A watch that ends or is cut is taken up where it stood, which a bookmark may have moved on. Nothing is listed again for that.
- When the server no longer knows what happened since (410), or refuses in another way that a new try at the same revision would
  not mend, everything is listed again and the cache tells the difference, deletions too.
- After every failure comes a wait, longer each time. A watch that ends at once is a failure too, or a server that closes every
  watch would be stormed. Only a watch that lived for a while makes the waits short again.
- Waits for a server that is not heard and for one that refuses are counted apart: after an outage most watches are answered with
  410 first, and a wait as long as the outage would leave the cache old while the server is back already.
- A connection can die without a word. So no watch is trusted longer than some minutes.
"""

import asyncio
import logging
from contextlib import aclosing
from typing import Generic, NoReturn

from holdfast.api.errors import ApiError, Expired, ServiceUnavailable, TooManyRequests
from holdfast.api.kinds import kind_of
from holdfast.api.meta import ObjectT
from holdfast.api.wire import Unreachable
from holdfast.kube.backoff import Backoff
from holdfast.kube.cache import Cache
from holdfast.kube.client import Client
from holdfast.kube.metrics import Metrics
from holdfast.kube.refusals import advised
from holdfast.kube.stray_cancel import unless_asked
from holdfast.process import Process

log = logging.getLogger(__name__)

#: Events taken in one turn of the loop: about 5 ms.
_TURN = 500
#: A watch that lived this long has worked, in seconds.
_LIVED = 1.0
#: A server that is away is tried so often, in seconds, and up to half as seldom: everybody waits for it.
_LONGEST_SILENCE = 10.0
#: The server is asked to end a watch after five to ten minutes (``Client.watch``): one that is still open then, is dead.
_LONGEST_WATCH = 660.0


class Reflector(Generic[ObjectT]):
    """Feeds a cache from a client."""

    def __init__(self, client: Client, process: Process, cache: Cache[ObjectT], metrics: Metrics) -> None:
        self._client = client
        self._clock = process.clock
        self._cache = cache
        self._kind = kind_of(cache.type).resource
        self._metrics = metrics
        self._unheard = Backoff(process, longest=_LONGEST_SILENCE)
        self._refused = Backoff(process)
        self._revision = ""  # "" wants a listing
        self._has_listed = False

    async def run(self) -> NoReturn:
        """Until cancelled; no failure ends it."""
        while True:
            worked, backoff = False, self._refused
            try:
                worked = await self._list_and_watch()
            except Expired as gone:
                log.info("watch of %s: the server has forgotten revision %s, listing again: %s", self._kind, self._revision, gone)
                self._revision = ""
            except Unreachable as failure:
                backoff = self._unheard
                log.warning("watch of %s: %s", self._kind, failure)
            except (TooManyRequests, ServiceUnavailable) as failure:
                log.warning("watch of %s: %s", self._kind, failure)
            except ApiError as refusal:
                log.warning("watch of %s: refused, listing again: %s", self._kind, advised(refusal))
                self._revision = ""
            except Exception as mistake:  # a cache that silently stands still is worse than one that tries on
                log.error("watch of %s failed: %r", self._kind, mistake)  # noqa: TRY400 - the traceback is for the debug level
                log.debug("watch of %s failed", self._kind, exc_info=mistake)
                self._revision = ""
            self._metrics.watch_ended(self._kind)
            if not worked:
                await asyncio.sleep(backoff.delay())

    async def _list_and_watch(self) -> bool:
        try:
            if not self._revision:
                await self._list()
            return await self._watch()
        except asyncio.CancelledError as cancelled:
            raise unless_asked(cancelled) from None

    async def _list(self) -> None:
        self._cache.listing_begins()
        listing = await self._client.list(self._cache.type, self._cache.namespace)
        await self._cache.replace(listing.items, int(listing.resource_version or 0))
        self._revision = listing.resource_version
        if self._has_listed:
            self._metrics.listed_again(self._kind)
        self._has_listed = True

    async def _watch(self) -> bool:
        """Whether the watch lived, when the server has ended it as servers do."""
        started = self._clock.monotonic()
        try:
            async with (
                asyncio.timeout(_LONGEST_WATCH),
                aclosing(self._client.watch(self._cache.type, self._cache.namespace, since=self._revision)) as events,
            ):
                told = 0
                async for event in events:
                    told += 1
                    if told % _TURN == 0:
                        await asyncio.sleep(0)  # thousands of events may lie ready: others want to run too
                    if event.type == "DELETED":
                        self._cache.saw_gone(event.object)
                    elif event.type == "BOOKMARK":
                        self._cache.passed(int(event.resource_version))
                    else:
                        self._cache.saw(event.object)
                    self._revision = event.resource_version
        except TimeoutError:
            log.info("watch of %s: silent for too long, opening another", self._kind)
        finally:
            lived = self._clock.monotonic() - started >= _LIVED
            if lived:
                self._unheard.reset()
                self._refused.reset()
        return lived
