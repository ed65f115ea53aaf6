"""One script of kubectl commands for two homes of the same API: ours and the real one. What is said must be the same.

Left out of the comparison is what no two clusters share: uids, revisions, moments and ages, addresses, names of passing files,
and the widths of columns that follow from those. The words of errors may differ; that there is one, and the exit code, may not.
"""

import asyncio
import difflib
import re
import shlex
from typing import Any

from msgspec import Struct
from tests.support.kubectl import Kubectl, Said

from holdfast.process import Tasks

_SECOND = r"\d+(?:\.\d+)?"
_SAME = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4} \S+)?"), "MOMENT"),
    (re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "MOMENT"),
    (re.compile(r'(resourceVersion"?: )"\d+"'), r'\1"REVISION"'),
    (re.compile(r"(Resource Version: +)\d+"), r"\1REVISION"),
    (re.compile(r"https://127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\S*/(LIVE|MERGED)-\d+/"), r"\1/"),
    (re.compile(rf"\b(?:\d+d)?(?:\d+h)?(?:\d+m)?{_SECOND}s\b|\b\d+[mhd](?:\d+[smh])?\b"), "AGE"),
    (re.compile(r"(?<=\S) {2,}| *\t *"), "  "),
    (re.compile(r" +$", re.MULTILINE), ""),
)


def comparable(text: str) -> str:
    """The text without what differs between any two clusters."""
    for pattern, same in _SAME:
        text = pattern.sub(same, text)
    return text


class Given(Struct, frozen=True):
    """A command that is sent something: objects for its standard input, and variables for its environment."""

    command: str
    objects: Any = None
    environment: dict[str, str] = {}


class BothHomes:
    """Two kubectls of one version, each at a home of its own, in a namespace of the same name."""

    def __init__(self, ours: Kubectl, real: Kubectl, namespace: str) -> None:
        self.ours = ours
        self.real = real
        self.namespace = namespace

    async def say_the_same(self, *script: str | Given) -> list[Said]:
        """Run the commands one after the other at both homes. Every difference is told at once. The answers are those of the real one."""
        answers, differences = [], []
        for step in script:
            call = step if isinstance(step, Given) else Given(step)
            ours, real = await self.both(*shlex.split(call.command), given=call.objects, **call.environment)
            answers.append(real)
            differences += _differences(call.command, ours, real)
        assert not differences, "ours (-) and the real one (+) differ:\n" + "\n".join(differences)
        return answers

    async def both(self, *arguments: str, given: Any = None, **environment: str) -> tuple[Said, Said]:
        """One call at both homes at once: ours, the real one."""
        here = ("--namespace", self.namespace, *arguments)
        async with Tasks() as tasks:
            calls = [tasks.spawn(kubectl.says(*here, given=given, **environment), name=arguments[0]) for kubectl in (self.ours, self.real)]
            ours, real = await asyncio.gather(*calls)
        return ours, real


def _differences(command: str, ours: Said, real: Said) -> list[str]:
    found = []
    if ours.code != real.code:
        found.append(f"$ kubectl {command}\n  exit code {ours.code} and {real.code}\n  {ours.err.strip()}\n  {real.err.strip()}")
    elif bool(ours.err.strip()) != bool(real.err.strip()):
        found.append(f"$ kubectl {command}\n  one of them complains: {ours.err.strip()!r} and {real.err.strip()!r}")
    if "--for=delete" in command:
        return found  # it is silent where the object was gone before kubectl looked
    lines = comparable(ours.out).splitlines(), comparable(real.out).splitlines()
    if lines[0] != lines[1]:
        found.append("\n".join([f"$ kubectl {command}", *difflib.unified_diff(*lines, lineterm="", n=2)]))
    return found
