"""Plants one bug after the other into a copy of the tree, and counts the seeds that the simulation needs to find it.

    python -m mutants                 every patch beside this file
    python -m mutants ledger-blind    those whose names begin so
    python -m mutants --write         and write docs/planted-bugs.md

A patch is named ``AREA-what.patch``: the area is what is simulated to find it. Its first lines, before the diff, say what the bug is.
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct

from holdfast.simulation.run import run, script_of

HERE = Path(__file__).parent
TREE = HERE.parent
MOST_SEEDS = 2000

#: Runs in a process of its own, on the copy: tells the first seed that fails, and what it broke.
_PROBE = """
import json, sys
from holdfast.simulation.run import run, script_of
area, most = sys.argv[1], int(sys.argv[2])
for seed in range(1, most + 1):
    outcome = run(script_of(area, seed))
    if outcome.violations:
        print(json.dumps({"seed": seed, "promise": outcome.violations[0].promise}))
        break
"""


class Mutant(Struct, frozen=True):
    """A bug, as its patch tells of it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def area(self) -> str:
        return self.name.partition("-")[0]

    @property
    def words(self) -> str:
        said = self.path.read_text(encoding="utf-8").partition("diff --git")[0].partition("--- a/")[0]
        return " ".join(said.split())


class _Told(Struct):
    """What the probe prints, if it finds anything."""

    seed: int = 0
    promise: str = ""


class Finding(Struct, frozen=True):
    """What came of one: the first seed that failed (0 for none) and the promise that it broke."""

    mutant: Mutant
    seed: int
    promise: str


def mutants(prefix: str = "") -> list[Mutant]:
    return [Mutant(path) for path in sorted(HERE.glob("*.patch")) if path.name.startswith(prefix)]


def plant(mutant: Mutant, folder: Path) -> None:
    """A copy of the program with the bug in it."""
    shutil.copytree(TREE / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    # Away from any repository, or git would look for the files in that one.
    surroundings = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    subprocess.run(["git", "apply", "-C1", str(mutant.path)], cwd=folder, env=surroundings, check=True)


def hunt(mutant: Mutant, most: int = MOST_SEEDS) -> Finding:
    """Simulate until it is found."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        plant(mutant, folder)
        surroundings = {**os.environ, "PYTHONPATH": str(folder / "src")}
        probe = [sys.executable, "-c", _PROBE, mutant.area, str(most)]
        told = subprocess.run(probe, cwd=folder, env=surroundings, check=True, capture_output=True, text=True).stdout
    found = _Told() if not told else msgspec.json.decode(told, type=_Told)
    if found.seed and not run(script_of(mutant.area, found.seed)).is_good:
        raise RuntimeError(f"{mutant.name}: seed {found.seed} fails without the bug too")
    return Finding(mutant, found.seed, found.promise)


def table(findings: list[Finding]) -> str:
    rows = [f"| {each.mutant.area} | {each.mutant.words} | {each.promise or 'not found'} | {each.seed or '-'} |" for each in findings]
    return "\n".join(["| area | planted bug | promise that is broken first | seeds |", "|---|---|---|---|", *rows])


_PAGE = """# Planted bugs

A simulation that finds nothing shows nothing, unless it would find something if it were there. Each line is a bug that was planted
on purpose into a copy of the program (the patches are in `mutants/`), and the number of seeds, counted from 1, until the simulation
failed. `make simulate-mutants` plants them all again; this page is written by `make simulate-mutants ARGS=--write`.

{table}
"""


def main() -> None:
    options = argparse.ArgumentParser(prog="make simulate-mutants", description="Plant bugs, and see whether the simulation finds them.")
    options.add_argument("prefix", nargs="?", default="", help="only patches whose names begin so")
    options.add_argument("--write", action="store_true", help="write docs/planted-bugs.md")
    options.add_argument("--seeds", type=int, default=MOST_SEEDS, help="how many to try")
    wanted = options.parse_args()
    findings = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed([pool.submit(hunt, mutant, wanted.seeds) for mutant in mutants(wanted.prefix)]):
            finding = done.result()
            findings.append(finding)
            print(f"{finding.mutant.name}: {f'seed {finding.seed}: {finding.promise}' if finding.seed else 'NOT FOUND'}", flush=True)
    findings.sort(key=lambda finding: finding.mutant.name)
    if wanted.write:
        (TREE / "docs" / "planted-bugs.md").write_text(_PAGE.format(table=table(findings)), encoding="utf-8")
    if missed := [finding.mutant.name for finding in findings if not finding.seed]:
        sys.exit(f"the simulation did not find {', '.join(missed)} within {wanted.seeds} seeds")


if __name__ == "__main__":
    main()
