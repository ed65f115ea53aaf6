r"""Regular expressions of schemas: Go's syntax (RE2), run by Python's engine.

The two agree on nearly all that schemas hold. Where they do not, the pattern is translated (``$`` and ``\z`` mean the very end,
classes are ASCII, POSIX classes) or refused, as Go refuses it (look-around and back references).
"""

import re

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7F", "blank": "\\t ", "cntrl": "\\x00-\\x1F\\x7F", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@[-`{-~", "space": "\\t\\n\\v\\f\\r ", "upper": "A-Z",
    "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_WORDS = {
    "missing ), unterminated subpattern": "missing closing )",
    "unbalanced parenthesis": "unexpected )",
    "unterminated character set": "missing closing ]",
    "nothing to repeat": "missing argument to repetition operator",
    "multiple repeat": "invalid nested repetition operator",
}
_PERL_ONLY = ("(?=", "(?!", "(?<=", "(?<!", "(?#", "(?P=", "(?(", "(?>")


class BadPattern(ValueError):
    """The pattern is none for Go; the text says why, in Go's words."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Ready to ``search``; raises ``BadPattern``."""
    try:
        return re.compile(_translated(pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError) as failure:
        words = next((ours for theirs, ours in _WORDS.items() if theirs in str(failure)), str(failure))
        raise BadPattern(f"error parsing regexp: {words}: `{pattern}`") from None


def _translated(pattern: str) -> str:
    out: list[str] = []
    position, in_class = 0, False
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            escape = pattern[position : position + 2]
            if not in_class and len(escape) == 2 and escape[1] in "123456789":
                raise BadPattern(f"error parsing regexp: invalid escape sequence: `{escape}`")
            if escape == "\\Z":
                raise BadPattern("error parsing regexp: invalid escape sequence: `\\Z`")
            out.append("\\Z" if escape == "\\z" else escape)
            position += 2
            continue
        if in_class:
            posix = re.match(r"\[:(\^?)([a-z]+):\]", pattern[position:])
            if posix and posix[2] in _POSIX and not posix[1]:
                out.append(_POSIX[posix[2]])
                position += len(posix[0])
                continue
            # a bare [ inside a class is an ordinary character; Python warns of it
            out.append("\\[" if char == "[" else char)
            in_class = char != "]" or out[-2] in {"[", "[^"}
        elif char == "[":
            in_class = True
            opening = "[^" if pattern[position + 1 : position + 2] == "^" else "["
            out.append(opening)
            position += len(opening)
            continue
        else:
            perl = next((prefix for prefix in _PERL_ONLY if pattern.startswith(prefix, position)), None)
            if perl:
                raise BadPattern(f"error parsing regexp: invalid or unsupported Perl syntax: `{perl}`")
            out.append("\\Z" if char == "$" else char)
        position += 1
    return "".join(out)
