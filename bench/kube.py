"""The client runtime against the official Python client: the same server, the same bytes, each in a fresh process, in turns."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import objects
from bench.harness import ROUNDS, Area, median

PEER = Path(".cache/bench/kubernetes/bin/python")


def measured(*command: str) -> dict[str, float]:
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def main() -> None:
    area = Area("kube")
    with tempfile.TemporaryDirectory() as folder:
        nodes, pods = Path(folder, "nodes.json"), Path(folder, "pods.json")
        nodes.write_bytes(objects.listing("Node", [objects.node(n) for n in range(objects.NODES)]))
        pods.write_bytes(objects.listing("Pod", [objects.pod(n) for n in range(objects.PODS)]))
        area.say(f"lists of {nodes.stat().st_size / 1e6:.0f} MB and {pods.stat().st_size / 1e6:.0f} MB")
        server = subprocess.Popen([sys.executable, "-m", "bench.replay_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        work = [url, str(nodes), str(pods), objects.LAST_REVISION]
        ours, theirs = [], []
        try:
            for turn in range(ROUNDS):
                ours.append(measured(sys.executable, "-m", "bench.peers.our_client", *work))
                theirs.append(measured(str(PEER), "bench/peers/official_client.py", *work))
                area.say(
                    f"round {turn + 1} of {ROUNDS}: decode {ours[-1]['decode_seconds']:.3f} s against {theirs[-1]['decode_seconds']:.1f} s"
                )
        finally:
            server.communicate("")
    report(area, ours, theirs)
    area.finish()


def report(area: Area, ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> None:
    def both(figure: str) -> tuple[float, float]:
        return median([one[figure] for one in ours]), median([one[figure] for one in theirs])

    us, them = both("decode_seconds")
    things = objects.NODES + objects.PODS
    area.add(
        f"decode {objects.NODES:,} nodes and {objects.PODS:,} pods",
        things / us,
        "objects/s",
        better="higher",
        reference="kubernetes 37",
        reference_value=things / them,
        goal=20,
    )
    us, them = both("watch_seconds")
    area.add(
        "watch events through cache and two indexes",
        objects.EVENTS / us,
        "events/s",
        better="higher",
        reference="kubernetes 37",
        reference_value=objects.EVENTS / them,
    )
    us, them = both("resident")
    area.add("memory of the cache, nodes and pods", us / 1e6, "MB", better="lower", goal=100)
    area.add(
        "memory of the cache against pods alone",
        us / 1e6,
        "MB",
        better="lower",
        reference="kubernetes 37, pods only",
        reference_value=them / 1e6,
    )
    area.add("longest pause of the collector", 1000 * median([one["longest_pause"] for one in ours]), "ms", better="lower", goal=20)


if __name__ == "__main__":
    main()
