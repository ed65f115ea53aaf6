"""Writes docs/performance.md from build/bench/*.json, with machine and date."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from bench.harness import BUILD, table

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
TITLES = {
    "embedded": (
        "The embedded API",
        "make bench-embedded",
        "against etcd and kube-apiserver with our client over HTTPS, both syncing to the same disk; the embedded API serves no pods, so"
        " both held ConfigMaps",
    ),
    "kube": (
        "The client runtime",
        "make bench-kube",
        "against the official `kubernetes` package in its own environment and against the informers of client-go, which spoke JSON;"
        " same server, same bytes",
    ),
    "simulation": ("The simulation", "make bench-simulation", "on one core, in one process, with every fault of the usual profile"),
    "ledger": ("The ledger", "make bench-ledger", "against the bare cost of the same writes, and against a loop that only sums"),
}


def main() -> None:
    cpu = next(
        (line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
        "unknown",
    )
    lines = [
        "# Performance",
        "",
        "Written by `make bench-report` from the last runs; do not edit. Contenders take turns in the same run, medians of five rounds.",
        "Ratios carry over to other machines, absolute figures do not. A benchmark never fails on time; `make bench-check` lists missed goals.",
        "",
        f"Machine: {os.cpu_count()} cores, {cpu}, Linux {platform.release().split('-')[0]}, Python {platform.python_version()}."
        f" Date: {datetime.now(UTC):%Y-%m-%d}.",
    ]
    for path in sorted(BUILD.glob("*.json")):
        title, command, how = TITLES[path.stem]
        lines += ["", f"## {title} (`{command}`)", "", f"Measured {how}.", "", table(json.loads(path.read_text()))]
    PAGE.write_text("\n".join(lines) + "\n")
    print(f"wrote {PAGE.relative_to(PAGE.parent.parent)}")


if __name__ == "__main__":
    main()
