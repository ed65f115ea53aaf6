"""A plain HTTP server that answers two lists and one watch with prepared bytes, so that only clients are measured.

Prints its port and serves until its standard input ends.
"""

import asyncio
import sys

from aiohttp import web

from bench import objects


async def main() -> None:
    everything = {
        "nodes": ("Node", [objects.node(n) for n in range(objects.NODES)]),
        "pods": ("Pod", [objects.pod(n) for n in range(objects.PODS)]),
    }
    pages: dict[tuple[str, str, str], bytes] = {}

    def page(plural: str, limit: str, start: str) -> bytes:
        """Prepared once: neither client waits for it in the rounds that count."""
        if (plural, limit, start) not in pages:
            kind, items = everything[plural]
            end = int(start or 0) + (int(limit) or len(items))
            pages[plural, limit, start] = objects.listing(kind, items[int(start or 0) : end], str(end) if end < len(items) else "")
        return pages[plural, limit, start]

    stream = b"".join(objects.events())

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.query.get("watch", "").lower() not in {"true", "1"}:
            asked = request.query.get("limit", "0"), request.query.get("continue", "")
            return web.Response(body=page(request.match_info["plural"], *asked), content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        if request.match_info["plural"] == "pods":
            for start in range(0, len(stream), 65536):
                await response.write(stream[start : start + 65536])
        await ended.wait()
        return response

    ended = asyncio.Event()
    app = web.Application()
    app.router.add_get("/api/v1/{plural}", answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    ended.set()
    await runner.cleanup()


asyncio.run(main())
