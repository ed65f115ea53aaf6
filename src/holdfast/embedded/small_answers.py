"""Answers that leave in one piece, head and all.

Most answers are a few hundred bytes of JSON. aiohttp puts each of them together from a dozen parts, which costs more than to
decide many a request. So a plain one is written out here; what is special in any way is left to aiohttp.
"""

from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter

from holdfast.api.wire import Answer

#: Beyond this many bytes one more copy would be felt.
_LARGEST = 64 * 1024
_HEADERS = {"content-type": "application/json"}


def suits(answer: Answer, request: web.BaseRequest) -> bool:
    """Whether nothing is special about it."""
    is_usual = request.version == HttpVersion11 and request.keep_alive and request.method != "HEAD"
    return is_usual and answer.headers == _HEADERS and len(answer.body) <= _LARGEST


class SmallAnswer(web.StreamResponse):
    """One that suits. ``now`` is in seconds."""

    def __init__(self, answer: Answer, request: web.BaseRequest, now: float) -> None:
        super().__init__(status=answer.status)
        self._answer = answer
        self._request = request
        self._date = _date(int(now))

    @property
    def keep_alive(self) -> bool:
        return True

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Nothing is sent before the end."""
        return request.writer

    async def write_eof(self, data: bytes = b"") -> None:
        transport = self._request.transport
        if transport is None:
            raise ConnectionResetError("the client has hung up")
        body = self._answer.body + data
        transport.write(_head(self._answer.status, len(body), self._date) + body)
        await self._request.writer.drain()


@lru_cache(maxsize=1024)
def _head(status: int, length: int, date: str) -> bytes:
    line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
    return f"{line}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nDate: {date}\r\n\r\n".encode()


@lru_cache(maxsize=2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
