"""The official Python client at the same work, in its own environment: prints one JSON line with its figures."""

import json
import os
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from kubernetes import client
from kubernetes.informer.informer import ADDED, MODIFIED, SharedInformer

REQUESTS_FOR = 0.6


class Canned:
    """What the client's deserialiser wants of an answer."""

    def __init__(self, path: str) -> None:
        self.data = Path(path).read_text()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def requests_per_second(url: str, in_flight: int) -> float:
    """One pod, read again and again, by so many threads at once."""
    configuration = client.Configuration(host=url)
    configuration.connection_pool_maxsize = in_flight
    core = client.CoreV1Api(client.ApiClient(configuration))
    done, begun = [0] * in_flight, time.perf_counter()

    def reader(place: int) -> None:
        while time.perf_counter() - begun < REQUESTS_FOR:
            core.read_namespaced_pod("pod-00001", "team-1")
            done[place] += 1

    threads = [threading.Thread(target=reader, args=(place,)) for place in range(in_flight)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - begun)


def main() -> None:
    url, nodes_file, pods_file, last_revision = sys.argv[1:]
    configuration = client.Configuration(host=url)
    api = client.ApiClient(configuration)
    nodes, pods = Canned(nodes_file), Canned(pods_file)
    start = time.perf_counter()
    decoded = [decode(api, nodes, "V1NodeList"), decode(api, pods, "V1PodList")]
    decode_seconds = time.perf_counter() - start
    del decoded, nodes, pods

    core = client.CoreV1Api(api)
    by_node, by_app = defaultdict(set), defaultdict(set)
    begun, ended, done = [], [], threading.Event()

    def index(pod: client.V1Pod) -> None:
        key = pod.metadata.namespace, pod.metadata.name
        by_node[pod.spec.node_name].add(key)
        by_app[pod.metadata.labels["app"]].add(key)

    def changed(pod: client.V1Pod) -> None:
        if not begun:
            begun.append(time.perf_counter())
        index(pod)
        if pod.metadata.resource_version == last_revision:
            ended.append(time.perf_counter())
            done.set()

    requests = {f"requests_{in_flight}": requests_per_second(url, in_flight) for in_flight in (1, 16, 128)}
    before = resident()
    informer = SharedInformer(core.list_pod_for_all_namespaces)
    informer.add_event_handler(ADDED, index)
    informer.add_event_handler(MODIFIED, changed)
    informer.start()
    done.wait()
    held = resident() - before
    print(json.dumps(requests | {"decode_seconds": decode_seconds, "watch_seconds": ended[0] - begun[0], "resident": held}), flush=True)
    os._exit(0)  # the watch thread is in a blocking read


def decode(api: client.ApiClient, answer: Canned, kind: str) -> object:
    try:
        return api.deserialize(answer.data, kind, "application/json")
    except (TypeError, AttributeError):
        return api.deserialize(answer, kind)


main()
