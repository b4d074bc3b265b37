"""Globs over repository paths."""

import re
from functools import cache


@cache
def pattern(glob: str) -> re.Pattern[str]:
    """Translate a glob: ``**`` crosses folders (``a/**/b`` also matches ``a/b``), ``*`` and ``?`` stay inside one."""
    out, at = [], 0
    while at < len(glob):
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            out.append(".*")
            at += 2
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(glob[at], re.escape(glob[at])))
            at += 1
    return re.compile("".join(out) + r"\Z", re.DOTALL)


def matching(paths: tuple[str, ...], glob: str) -> tuple[str, ...]:
    """Give the paths that a glob matches as a whole, in their order."""
    wanted = pattern(glob)
    return tuple(path for path in paths if wanted.match(path))
