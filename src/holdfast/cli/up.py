"""``holdfast up``: runs a whole plane here and says what to try, with the names and sizes of what really runs."""

import logging
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from holdfast.api.longhorn import DiskSchedule
from holdfast.cli.output import complain, tell
from holdfast.cli.running import forever, run_until_stopped
from holdfast.decide import words
from holdfast.kube.collector import relax
from holdfast.plane.data_folder import default_folder
from holdfast.plane.failure import Failure
from holdfast.plane.up import NAMESPACE, Running, Shape, running
from holdfast.simulation.record import Recorder

#: Below this many bytes there are no two sizes for the story.
LEAST_TO_TRY = 8
_NAMED = 5


class Wanted(Struct, frozen=True, kw_only=True):
    """The command line."""

    folder: Path | None
    port: int
    nodes: int
    disks: int
    disk_size: int
    managers: int
    record: Path | None


def serve(wanted: Wanted) -> None:
    """Run until stopped."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    relax()
    folder = (wanted.folder or default_folder()).expanduser().absolute()
    shape = Shape(
        folder=folder, port=wanted.port, nodes=wanted.nodes, disks=wanted.disks, disk_size=wanted.disk_size, managers=wanted.managers
    )
    with ExitStack() as stack:
        record = stack.enter_context(_new_file(wanted.record)) if wanted.record else None
        run_until_stopped(lambda: _work(shape, record))
    complain("Stopped. Nothing is lost: the next start goes on from here.")


async def _work(shape: Shape, record: IO[bytes] | None) -> None:
    async with running(shape, observer=Recorder(record).see if record else None) as what_runs:
        tell("\n".join(announcement(shape, what_runs)))
        await forever()


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A record is of one run, so it is a new file; a run that never began leaves none."""
    try:
        file = path.open("xb")
    except FileExistsError as error:
        raise Failure(f"the record {path} exists already. Name a new file with --record.") from error
    except OSError as error:
        raise Failure(f"the record {path} cannot be written: {error.strerror or error}.") from error
    with file:
        try:
            yield file
        finally:
            if not file.tell():
                path.unlink(missing_ok=True)


def announcement(shape: Shape, what_runs: Running) -> Iterator[str]:
    """What runs, how to reach it, what to try, how to stop."""
    disks = f"{_count(shape.nodes, 'node')} with {_count(shape.disks, 'disk')} of {words.size(shape.disk_size)}"
    yield f"Holdfast runs: {disks}, {_count(shape.managers, 'manager')}, and a Kubernetes API at {what_runs.url}"
    if what_runs.silent_nodes:
        yield f"Not running, and soon not ready: {_few(what_runs.silent_nodes)} of an earlier start (--nodes brings them back)."
    yield ""
    yield f"    export KUBECONFIG={shlex.quote(str(what_runs.kubeconfig))}"
    yield ""
    if not what_runs.disks:
        yield f"No disk is served yet: {what_runs.hindrance}. It is begun anew when that has ended. See what is left:"
        yield ""
        yield f"    kubectl -n {NAMESPACE} get lhds"
    else:
        yield from _story(min(what_runs.disks, key=lambda books: (bool(books.spec.replicas), -_room(books))))
    yield ""
    yield f"Ctrl-C stops it and loses nothing; the next start goes on. To wipe it: rm -r {shlex.quote(str(shape.folder))}"


def _story(books: DiskSchedule) -> Iterator[str]:
    """A grant, a refusal, the reason, and how room helps: on a disk that has the room for it."""
    place = f"{books.spec.node_id}/{books.spec.name}"
    looks = f"    kubectl -n {NAMESPACE} get lhds", f"    {program()} explain disk {place}"
    if _room(books) < LEAST_TO_TRY:
        yield "Every disk is full. See what they hold, and what would help:"
        yield ""
        yield from looks
        return
    first, second = sizes_to_try(_room(books))
    patch = f"kubectl -n {NAMESPACE} patch lhds {books.metadata.name} --type merge -p"
    yield f"Ask {place} for {words.size(first)}, which is granted, and then for {words.size(second)}, which is refused. See both, and why:"
    yield ""
    yield f"""    {patch} '{{"spec":{{"replicas":{{"first":{first}}}}}}}'"""
    yield f"""    {patch} '{{"spec":{{"replicas":{{"second":{second}}}}}}}'"""
    yield from looks
    yield ""
    yield "Give the first back, and the second is granted:"
    yield ""
    yield f"""    {patch} '{{"spec":{{"replicas":{{"first":null}}}}}}'"""
    yield ""
    yield "No replica stands behind an ask that was made by hand: it is swept after a while (setting disk-schedule-orphan-grace)."


def _room(books: DiskSchedule) -> int:
    return max(0, books.status.limit.bytes - books.status.storage_scheduled)


def sizes_to_try(room: int) -> tuple[int, int]:
    """Two sizes that fit one by one and not together, easy to read where there is room for that."""
    first = _whole(room // 4)
    second = _whole(room - first // 2)
    return first, second if second > room - first else room - first // 2


def _whole(size: int) -> int:
    return size - size % 2**30 if size > 2**30 else size


def _few(names: tuple[str, ...]) -> str:
    listed = ", ".join(names[:_NAMED])
    return f"{listed} and {len(names) - _NAMED} more" if len(names) > _NAMED else listed


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def program() -> str:
    """This program as one would type it here."""
    typed = Path(sys.argv[0])
    if typed.name == "__main__.py":
        return "python -m holdfast"
    found = shutil.which(typed.name)
    is_on_path = found is not None and typed.exists() and Path(found).samefile(typed)
    return typed.name if is_on_path else shlex.quote(os.path.relpath(typed))
