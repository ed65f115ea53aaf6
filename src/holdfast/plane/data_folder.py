"""The folder that a control plane on one machine lives in.

It belongs to one running process at a time and to Holdfast alone: a folder that holds anything else is refused, so that
``--data`` pointed at the wrong place changes nothing there. The lock file is the mark that says it is ours, and is the first
file made, so that no crash leaves a folder half claimed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.plane.failure import Failure

_LOCK = "holdfast.lock"


def default_folder() -> Path:
    """Where state of a user's programs belongs (XDG)."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "holdfast"


@contextmanager
def held(folder: Path) -> Iterator[Path]:
    """The folder, made if it is missing, while it is ours alone."""
    try:
        descriptor = _opened(folder)
    except (NotADirectoryError, FileExistsError) as error:
        raise Failure(
            f"the data folder {folder} is not a folder, or lies below something that is none. Choose another with --data."
        ) from error
    except OSError as error:
        raise Failure(f"the data folder {folder} cannot be used: {error.strerror or error}. Choose another with --data.") from error
    try:
        _lock(descriptor, folder)
        yield folder
    finally:
        os.close(descriptor)  # this unlocks too


def _opened(folder: Path) -> int:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = folder / _LOCK
    if not lock.exists() and any(folder.iterdir()):
        raise Failure(
            f"the data folder {folder} holds files that are not Holdfast's: nothing was changed. Choose an empty or new folder with --data."
        )
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not os.access(folder, os.W_OK | os.X_OK):
        os.close(descriptor)
        raise PermissionError(13, "Permission denied")
    return descriptor


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        who = f"holdfast up (process {owner})" if owner else "another holdfast up"
        raise Failure(f"the data folder {folder} is in use by {who}. Stop that one first, or choose another folder with --data.") from error
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
