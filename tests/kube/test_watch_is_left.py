"""Leaving a watch needs nobody's consent."""

import asyncio

from tests.support.served import cluster

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.wire import Answer, Request
from holdfast.kube.connect import find
from holdfast.kube.http_transport import HttpTransport
from holdfast.process import SystemClock


async def test_a_watch_that_is_left_lets_go_of_its_connection_at_once(tmp_path):
    """A farewell over TLS waits for the server; one that hangs would keep the socket open beyond the end of the loop."""
    async with cluster(tmp_path) as served:
        target = find(served.kubeconfig, None, {}, SystemClock())
        transport = HttpTransport(target.server, tls=target.tls, credentials=target.credentials)
        since = (await served.client.list(DiskSchedule, "longhorn-system")).resource_version
        query = (("watch", "1"), ("resourceVersion", since), ("allowWatchBookmarks", "true"))
        stream = await transport.open(Request("GET", "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/diskschedules", query))
        assert not isinstance(stream, Answer)
        (connection,) = transport._connected().sockets

        await stream.close()
        await asyncio.sleep(0)

        assert connection.fileno() == -1
        await transport.close()
