"""Files that only their owner may read, written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, content: bytes) -> None:
    """Put content at a path, mode 0600, in one step: a reader sees the old file or the new one."""
    # mkstemp makes the file with mode 0600, so it is never open to others, not even for a moment
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
