"""What was acknowledged is there after the next start, and files that are not ours are left alone."""

import sqlite3
import stat
from pathlib import Path

import pytest
from tests.support.raw_api import CONFIG_MAPS, CRDS, WIDGETS, serving, with_widgets

from holdfast.embedded.journal import Change, DataFolderError, JournalFailed
from holdfast.embedded.sqlite_journal import FILE_NAME, SqliteJournal


def contents(folder: Path) -> bytes:
    return (folder / FILE_NAME).read_bytes()


async def refused(folder: Path) -> str:
    journal = SqliteJournal(folder)
    with pytest.raises(DataFolderError) as error:
        await journal.load()
    return str(error.value)


async def test_everything_is_there_after_a_restart(tmp_path):
    """A restart is a pause, not a loss: objects, versions and kinds."""
    async with serving(SqliteJournal(tmp_path)) as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, spec={"size": 1})
        await api.has("a", "b")
        await api.delete(f"{CONFIG_MAPS}/b")
        before = [await api.get(CONFIG_MAPS), await api.get(WIDGETS), await api.get(CRDS)]

    async with serving(SqliteJournal(tmp_path)) as api:
        after = [await api.get(CONFIG_MAPS), await api.get(WIDGETS), await api.get(CRDS)]
        assert after == before
        assert int((await api.has("c"))[0]["metadata"]["resourceVersion"]) > int(before[0].version)


async def test_a_watch_goes_on_over_a_restart_from_the_last_revision_and_not_from_before(tmp_path):
    """Whoever saw everything need not list again; whoever may have missed something must."""
    async with serving(SqliteJournal(tmp_path)) as api:
        await api.has("a", "b")
        last = api.server.store.revision

    async with serving(SqliteJournal(tmp_path)) as api:
        current, old = await api.watch(CONFIG_MAPS, resourceVersion=last), await api.watch(CONFIG_MAPS, resourceVersion=last - 1)
        await api.has("c")

        assert await current.told() == ("ADDED", "c")
        assert (await old.next())["object"]["code"] == 410
        await current.close()


async def test_the_file_is_for_its_owner_only(tmp_path):
    """It holds Secrets."""
    folder = tmp_path / "new" / "data"
    async with serving(SqliteJournal(folder)) as api:
        await api.has("a")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}

    assert modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_a_folder_in_use_is_refused(tmp_path):
    """Two servers would each believe in their own memory."""
    async with serving(SqliteJournal(tmp_path)) as api:
        assert "in use by another" in await refused(tmp_path)
        await api.has("a")

    async with serving(SqliteJournal(tmp_path)) as api:
        assert (await api.get(CONFIG_MAPS)).names == ["a"]


async def test_another_programs_database_is_refused_and_untouched(tmp_path):
    """A mistyped folder must not cost somebody's data."""
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = contents(tmp_path)

    assert "another program" in await refused(tmp_path)
    assert contents(tmp_path) == before


async def test_a_file_that_is_no_database_is_refused_and_untouched(tmp_path):
    """The same for any other file."""
    (tmp_path / FILE_NAME).write_bytes(b"dear diary " * 500)

    assert "no database" in await refused(tmp_path)
    assert contents(tmp_path) == b"dear diary " * 500


async def test_a_newer_file_is_refused_and_untouched(tmp_path):
    """An older program would lose what it does not understand."""
    async with serving(SqliteJournal(tmp_path)) as api:
        await api.has("a")
    with sqlite3.connect(tmp_path / FILE_NAME) as file:
        file.execute("PRAGMA user_version = 99")
    file.close()

    assert "newer holdfast (format 99" in await refused(tmp_path)
    with sqlite3.connect(tmp_path / FILE_NAME) as file:
        assert file.execute("SELECT count(*) FROM objects").fetchone()[0] > 0
    file.close()


@pytest.mark.parametrize("place", ["a file", "a file/below"])
async def test_a_folder_that_can_not_be_is_refused_with_words(tmp_path, place):
    """What happened, to which folder, and what to do."""
    (tmp_path / "a file").write_text("")

    words = await refused(tmp_path / place)

    assert str(tmp_path / place) in words
    assert "Choose another" in words


async def test_a_damaged_file_is_refused_with_words(tmp_path):
    """Half a database must not be served as if it were whole."""
    async with serving(SqliteJournal(tmp_path)) as api:
        await api.has(*(f"a{number}" for number in range(200)), data={"k": "x" * 500})
    whole = contents(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))

    assert str(tmp_path) in await refused(tmp_path)


async def test_a_full_disk_fails_the_batch_and_only_the_batch(tmp_path):
    """The room comes back one day; until then nothing is half done."""
    journal = SqliteJournal(tmp_path)
    async with serving(journal) as api:
        await api.has("a", data={"k": "1"})
        assert journal._database is not None
        await journal._thread.run(journal._database.execute, "PRAGMA max_page_count = 1")

        refusal = await api.post(CONFIG_MAPS, {"metadata": {"name": "b"}, "data": {"k": "x" * 100_000}})

        assert (refusal.code, refusal.reason) == (503, "ServiceUnavailable")
        assert "full" in refusal.words
        await journal._thread.run(journal._database.execute, "PRAGMA max_page_count = 1000000")
        await api.has("c")

    async with serving(SqliteJournal(tmp_path)) as api:
        assert (await api.get(CONFIG_MAPS)).names == ["a", "c"]


async def test_a_batch_is_written_whole_and_its_last_word_counts(tmp_path):
    """A key that changes twice in one batch is as it was last."""
    journal = SqliteJournal(tmp_path)
    await journal.load()
    await journal.commit([Change("k/a/1", 1, b"old"), Change("k/a/2", 2, b"x"), Change("k/a/1", 3, b"new"), Change("k/a/2", 4, None)])
    await journal.close()

    again = SqliteJournal(tmp_path)
    assert await again.load() == (4, [("k/a/1", 3, b"new")])
    await again.close()


@pytest.mark.parametrize("size", [1, 2, 64, 65, 300])
async def test_a_batch_of_any_size_is_there_after_a_restart(tmp_path, size):
    """Small batches are written in another way than large ones: neither may lose a row or the place in the count."""
    journal = SqliteJournal(tmp_path)
    await journal.load()
    await journal.commit([Change(f"k/a/{number}", number + 1, b"old") for number in range(size)])
    await journal.commit([Change(f"k/a/{number}", size + number + 1, b"new") for number in range(size)])
    await journal.close()

    again = SqliteJournal(tmp_path)
    assert await again.load() == (2 * size, [(f"k/a/{number}", size + number + 1, b"new") for number in range(size)])
    await again.close()


async def test_the_count_never_falls_back_behind_a_key_that_changed_twice(tmp_path):
    """Rows reach the disk in the order of their first change, revisions do not: the next start would give one out again."""
    journal = SqliteJournal(tmp_path)
    await journal.load()
    await journal.commit([Change("k/a/1", 1, b"old"), Change("k/a/2", 2, b"x"), Change("k/a/1", 3, b"new")])
    await journal.commit([Change("k/a/2", 4, None)])
    await journal.commit([Change("k/a/1", 5, b"newer")])
    await journal.close()

    again = SqliteJournal(tmp_path)
    assert await again.load() == (5, [("k/a/1", 5, b"newer")])
    await again.close()


async def test_a_commit_after_the_end_fails(tmp_path):
    """A server that is closing refuses; it does not crash."""
    journal = SqliteJournal(tmp_path)
    await journal.load()
    await journal._thread.run(journal._let_go)

    with pytest.raises(JournalFailed):
        await journal.commit([Change("k/a/1", 1, b"x")])
    await journal.close()
    await journal.close()
