"""Reading git patches: the lines that they change, and the names on those lines."""

import builtins
import keyword
import re
from collections.abc import Iterator

from executor.repository import run_git
from ledger.errors import WorldFault

_LEAST_SIGNS, _LEAST_WORDS = 12, 2
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_DECORATION = re.compile(r"^(?:#|//|/\*|\*)\s*|\s*[,;{(\[]$")
_OTHER_LANGUAGES = """
    abstract any arguments async await boolean break case catch class const constructor continue debugger declare default
    delete do else enum export extends false finally for from function get if implements import in instanceof interface
    keyof length let log map message module namespace never new null number object of package private protected public push
    readonly require return set size slice static string super switch this throw true try type typeof undefined unknown
    use value values var void while with yield
    Array Boolean Date Error Infinity JSON Map Math NaN Number Object Promise RangeError RegExp Set String Symbol TypeError
    args cls get items keys kwargs name self
"""
_EVERYWHERE = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_OTHER_LANGUAGES.split()))
"""Words of the languages themselves: they stand on changed lines, and give nothing away."""


_RENAMED = re.compile(rb"^rename from ([^\"].*)$", re.MULTILINE)


def touched(patch: bytes) -> tuple[str, ...]:
    """Give the paths that a git patch changes, adds or removes, as git reads it; none of what is no patch: applying it tells."""
    if not patch.strip():
        return ()
    try:
        listed = run_git(["-C", "/", "apply", "--numstat", "-z", "-"], stdin=patch)
    except WorldFault as fault:
        if fault.reasons[0].code != "git":
            raise
        return ()
    paths = {line.split(b"\t", 2)[2] for line in listed.split(b"\0")[:-1]}
    return tuple(sorted(path.decode("utf-8", "replace") for path in {*paths, *_RENAMED.findall(patch)}))


def changed_lines(patch: bytes) -> Iterator[str]:
    """Give the lines that a patch removes or adds, without their sign; a file's name is no line, nor is a binary's."""
    left = right = 0
    for line in patch.decode("utf-8", "replace").split("\n"):
        if left <= 0 and right <= 0:
            head = re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
            if head is not None:
                left, right = (1 if count is None else int(count) for count in head.groups())
            continue
        if line.startswith("\\"):
            continue
        if line.startswith(("-", "+")):
            yield line[1:]
        left -= not line.startswith("+")
        right -= not line.startswith("-")


def substantial_lines(patch: bytes) -> tuple[str, ...]:
    """Give the changed lines that say something (12 signs and two words at least), stripped of what decorates a line."""
    found = set()
    for line in changed_lines(patch):
        said = _DECORATION.sub("", _DECORATION.sub("", line.strip())).strip()
        if len(re.sub(r"\s", "", said)) >= _LEAST_SIGNS and len(re.findall(r"\w+", said)) >= _LEAST_WORDS:
            found.add(said)
    return tuple(sorted(found))


def names_on_changed_lines(patch: bytes) -> tuple[str, ...]:
    """Give the names on changed lines of a patch, either side: code's own, without literal texts, comments and language words."""
    found: set[str] = set()
    for line in changed_lines(patch):
        code = _TEXT.sub(" ", line)
        code = re.split(r"(?:^|\s)(?:#|//|/\*|\*)(?:\s|$)", code, maxsplit=1)[0]
        found |= {name for name in _NAME.findall(code) if len(name) > 2}
    return tuple(sorted(found - _EVERYWHERE))
