"""What happened, in lines that a person can read: when, who, what.

Times are seconds since the world began. The same seed gives the same lines, byte for byte, on any machine.
"""

import asyncio


class Trace:
    """Keeps lines, if they are wanted: ask ``keeps`` before words are made that cost something."""

    def __init__(self, *, keeps: bool) -> None:
        self.keeps = keeps
        self.lines: list[str] = []
        self._began: float | None = None

    def say(self, who: str, what: str) -> None:
        if not self.keeps:
            return
        now = asyncio.get_running_loop().time()
        if self._began is None:
            self._began = now
        self.lines.append(f"{now - self._began:10.4f}  {who:<10}  {what}")
