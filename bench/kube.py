"""The client runtime against the official Python client and Go's: the same server, the same bytes, each in a fresh process, in turns."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import objects
from bench.harness import ROUNDS, Area, median

PEER = Path(".cache/bench/kubernetes/bin/python")
GO = Path(".cache/bench/go/informer")


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
        ours, theirs, gos = [], [], []
        try:
            for turn in range(ROUNDS):
                ours.append(measured(sys.executable, "-m", "bench.peers.our_client", *work))
                theirs.append(measured(str(PEER), "bench/peers/official_client.py", *work))
                gos.append(measured(str(GO), url, objects.LAST_REVISION))
                rates = " against ".join(f"{objects.EVENTS / one[-1]['watch_seconds']:,.0f}" for one in (ours, theirs, gos))
                area.say(f"round {turn + 1} of {ROUNDS}: {rates} events/s")
        finally:
            server.communicate("")
    report(area, ours, theirs, gos)
    area.finish()


Figures = Sequence[dict[str, float]]


def report(area: Area, ours: Figures, theirs: Figures, gos: Figures) -> None:
    peers = {"kubernetes 37": theirs, "client-go 0.36": gos}

    def of(figures: Figures, figure: str) -> float:
        return median([one[figure] for one in figures])

    things = objects.NODES + objects.PODS
    area.add(
        f"decode {objects.NODES:,} nodes and {objects.PODS:,} pods",
        things / of(ours, "decode_seconds"),
        "objects/s",
        better="higher",
        reference="kubernetes 37",
        reference_value=things / of(theirs, "decode_seconds"),
        goal=20,
    )
    for (peer, figures), goal in zip(peers.items(), (10, 1), strict=True):
        area.add(
            "watch events through cache and two indexes",
            objects.EVENTS / of(ours, "watch_seconds"),
            "events/s",
            better="higher",
            reference=peer,
            reference_value=objects.EVENTS / of(figures, "watch_seconds"),
            ratio=median([them["watch_seconds"] / us["watch_seconds"] for us, them in zip(ours, figures, strict=True)]),
            goal=goal,
        )
    for in_flight in (1, 16, 128):
        figure = f"requests_{in_flight}"
        for peer, figures in peers.items():
            area.add(
                f"get of one pod, {in_flight} in flight",
                of(ours, figure),
                "/s",
                better="higher",
                reference=peer,
                reference_value=of(figures, figure),
            )
    held = of(ours, "resident") / 1e6
    area.add("memory of the cache, nodes and pods", held, "MB", better="lower", goal=100)
    for peer, figures in {"kubernetes 37, pods only": theirs, "client-go 0.36": gos}.items():
        area.add(
            "memory of the cache",
            held,
            "MB",
            better="lower",
            reference=peer,
            reference_value=of(figures, "resident") / 1e6,
            goal=1,
        )
    area.add("longest pause of the collector", 1000 * of(ours, "longest_pause"), "ms", better="lower", goal=20)


if __name__ == "__main__":
    main()
