"""The journal on disk: SQLite in WAL mode, ``synchronous=FULL``, driven by one thread.

The file is locked for as long as the journal is open: two servers on one data folder would each believe in their own memory. It
is readable by its owner only. A file that is not ours, or that a newer program wrote, is refused and left as it is.
"""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from holdfast.embedded.journal import Change, DataFolderError, JournalFailed, Kept, Loaded
from holdfast.process import Thread

#: "Hold" in ASCII, in the header of the file: tells our file from other SQLite files.
APPLICATION_ID = 0x486F6C64
FORMAT = 1
FILE_NAME = "objects.sqlite"

_TABLES = (
    "CREATE TABLE objects (key TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE TABLE counter (revision INTEGER NOT NULL)",
    "INSERT INTO counter VALUES (0)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)
_ROW = "(?, ?, ?)"
_PUT = "INSERT INTO objects VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, data = excluded.data"
#: Only while we have the file open: the counter follows what is put, whatever the order of the rows.
_FOLLOW = "CREATE TEMP TRIGGER follow BEFORE INSERT ON objects BEGIN UPDATE counter SET revision = max(revision, NEW.revision); END"
#: Each number of rows is a statement of its own, that SQLite keeps prepared.
_ROWS = 64


class SqliteJournal:
    """Objects in ``objects.sqlite`` of a data folder, which is made when it is missing."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._thread = Thread("journal")
        self._database: sqlite3.Connection | None = None
        self._is_closed = False

    async def load(self) -> Loaded:
        try:
            return await self._thread.run(self._load)
        except BaseException:
            await self.close()
            raise

    def commit(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        return self._thread.start(lambda: self._write(changes))

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        await self._thread.run(self._let_go)
        self._thread.close()

    def _load(self) -> Loaded:
        try:
            self._make_file()
            self._database = sqlite3.connect(self.path, timeout=0, isolation_level=None)
            self._prepare(self._database)
            (revision,) = self._database.execute("SELECT revision FROM counter").fetchone()
            return Loaded(revision, [Kept(*row) for row in self._database.execute("SELECT key, revision, data FROM objects")])
        except OSError as failure:
            why = failure.strerror or failure
            message = f"the data folder {self.path.parent} can not be used: {why}. Choose another one, or make it writable."
            raise DataFolderError(message) from failure
        except (sqlite3.Error, TypeError) as failure:
            raise DataFolderError(self._words(failure)) from failure

    def _make_file(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made by us, not by SQLite, so that it is never readable by others, not even for a moment. The WAL file takes its mode.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        # A file is only as durable as its name.
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _prepare(self, database: sqlite3.Connection) -> None:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Judge the file before anything writes to it. Taking the lock comes first: the file may be growing in other hands.
        database.execute("BEGIN EXCLUSIVE")
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != APPLICATION_ID and (application or version or tables):
            message = f"{self.path} belongs to another program. Choose another data folder."
            raise DataFolderError(message)
        if version > FORMAT:
            message = (
                f"{self.path} was written by a newer holdfast (format {version}; this one knows {FORMAT}). "
                "Use that version, or choose another data folder."
            )
            raise DataFolderError(message)
        self.path.chmod(0o600)
        if not tables:
            for statement in _TABLES:
                database.execute(statement)
        database.execute("COMMIT")
        database.execute(_FOLLOW)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        # Fewer, larger checkpoints: each one costs a sync of the whole file.
        database.execute("PRAGMA wal_autocheckpoint = 4000")
        database.execute("PRAGMA journal_size_limit = 67108864")

    def _words(self, failure: Exception) -> str:
        text = str(failure)
        if "locked" in text:
            return (
                f"the data folder {self.path.parent} is in use by another running holdfast. Stop that one, or choose another data folder."
            )
        if "not a database" in text:
            return f"{self.path} is no database of holdfast. Choose another data folder, or move the file away."
        return f"{self.path} can not be read: {text}. Restore it from a copy, or choose another data folder."

    def _write(self, changes: Sequence[Change]) -> None:
        if self._database is None:
            message = "the journal is closed"
            raise JournalFailed(message)
        # Within a batch only the last word on each key has to reach the disk.
        last = {change.key: change for change in changes}.values()
        revision = changes[-1].revision
        try:
            if len(last) <= _ROWS and all(change.data is not None for change in last):
                # One statement is a transaction of its own. After each, this thread waits until the loop lets go of the interpreter,
                # which takes longer than the statement: a batch in several is twice as long under way.
                self._database.execute(_puts(len(last)), [value for change in last for value in change])
            else:
                self._write_mixed(self._database, last, revision)
        except sqlite3.Error as failure:
            if not self._did_commit(self._database, revision):
                raise JournalFailed(str(failure)) from failure

    @staticmethod
    def _write_mixed(database: sqlite3.Connection, last: Collection[Change], revision: int) -> None:
        database.execute("BEGIN IMMEDIATE")
        database.executemany(_PUT, [change for change in last if change.data is not None])
        database.executemany("DELETE FROM objects WHERE key = ?", [(change.key,) for change in last if change.data is None])
        database.execute("UPDATE counter SET revision = ?", (revision,))
        database.execute("COMMIT")

    @staticmethod
    def _did_commit(database: sqlite3.Connection, revision: int) -> bool:
        """A COMMIT may fail after it took effect: what the file says is what counts."""
        with contextlib.suppress(sqlite3.Error):
            if database.in_transaction:
                database.execute("ROLLBACK")
            return bool(database.execute("SELECT revision FROM counter").fetchone() == (revision,))
        return False

    def _let_go(self) -> None:
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None


@lru_cache(maxsize=_ROWS)
def _puts(rows: int) -> str:
    return _PUT.replace(_ROW, ", ".join([_ROW] * rows))
