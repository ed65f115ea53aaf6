"""``holdfast explain disk``: reads what a verdict rests on and lets the deciding code say why."""

from pathlib import Path

import msgspec
from msgspec import Struct

from holdfast.api.longhorn import BackingImage, Replica, Setting
from holdfast.api.struct import encode
from holdfast.cli import dump
from holdfast.cli.disks import subject_of
from holdfast.cli.output import tell
from holdfast.cli.reach import reached
from holdfast.cli.running import run
from holdfast.cli.sources import Live, Saved, Source
from holdfast.decide import settings
from holdfast.decide.explain import Explanation, explain
from holdfast.decide.explain_text import text
from holdfast.decide.foreign_books import explain_noted
from holdfast.kube.retry import IMPATIENT
from holdfast.process import Process


class Question(Struct, frozen=True, kw_only=True):
    """The command line."""

    disk: str
    as_json: bool
    dump: Path | None
    kubeconfig: Path | None
    context: str | None
    namespace: str


def explain_disk(question: Question) -> None:
    """Answer it on stdout."""
    found = run(_answer(question))
    tell(msgspec.json.format(encode(found), indent=2).decode() if question.as_json else text(found))


async def _answer(question: Question) -> Explanation:
    process, namespace = Process("explain"), question.namespace
    if question.dump is not None:
        return await explained(Saved(dump.read(question.dump, namespace)), question.disk, namespace, process.clock.now())
    async with reached(process, question.kubeconfig, question.context, patience=IMPATIENT) as connection:
        return await explained(Live(connection.client, namespace), question.disk, namespace, process.clock.now())


async def explained(source: Source, reference: str, namespace: str, now: float) -> Explanation:
    """The explanation of the disk that is meant, from as few reads as it takes."""
    subject = await subject_of(source, reference, namespace)
    books = subject.books
    used = tuple([setting for name in settings.USED if (setting := await source.get(Setting, name)) is not None])
    replicas = await source.all(Replica) if books.spec.replicas else ()
    images = await source.all(BackingImage) if books.spec.backing_images else ()
    explains = explain if subject.has_schedule else explain_noted
    return explains(books, subject.node, used, replicas, images, now)
