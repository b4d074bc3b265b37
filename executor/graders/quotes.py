"""The ``quotes`` check: every line that the answer quotes stands in a file, with the number that it is given."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from executor.ports import CheckResult, GradeOrder
from ledger.plain import Plain

_FENCE = re.compile(r"\s*(```+|~~~+)([^`]*)")
_NUMBERED = re.compile(r"\s*(\d+)(?::|\t|\s*[|→])\s?(.*)")


class QuotesGrader:
    """Compares line by line, without spaces at the ends. What is told has numbers of lines, never their text."""

    kind: ClassVar[str] = "quotes"

    def grade(self, order: GradeOrder) -> CheckResult:
        """Hold the answer's quotations against the file of the *starting* tree: what an agent writes into it is no evidence.

        A line may stand behind its number (``1000: text``), which must be right then. Without an answer, and with nothing quoted,
        it does not hold.
        """
        if order.answer is None:
            return CheckResult(ok=False, facts={"count": 0, "invented": 0}, detail="there is no final answer")
        path = str(order.check.options["path"])
        file = order.pristine / path
        if file.is_symlink() or not file.is_file():
            return CheckResult(ok=False, facts={"count": 0, "invented": 0}, detail=f"{path}: no such file")
        lines = [line.strip() for line in file.read_bytes().decode("utf-8", "replace").split("\n")]
        found = [_places(line, lines) for line in _quotes(order.answer)]
        wanted = order.check.options.get("lines")
        first, last = (int(str(each)) for each in wanted) if isinstance(wanted, Sequence) else (1, len(lines))
        asked = set(range(first, last + 1))
        invented = sum(not places for places in found)
        beside = sum(bool(places) and not places & asked for places in found)
        missing = len(asked.difference(*found)) if wanted is not None else 0
        facts: dict[str, Plain] = {"count": len(found), "invented": invented, "beside": beside, "missing": missing}
        detail = f"{len(found)} lines quoted, {invented} of them invented, {beside} beside those asked for, {missing} missing"
        return CheckResult(ok=bool(found) and not invented and not beside and not missing, facts=facts, detail=detail)


def _quotes(answer: str) -> Iterator[str]:
    """Give what is quoted: lines of fenced blocks, however far they are set in, and lines behind ``>``.

    As in CommonMark a fence with a word behind it closes nothing, so that no line can be hidden behind one, and three
    backticks with others later on their line open nothing.
    """
    fence = None
    for line in answer.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.fullmatch(line)
        if fence is None and mark is not None:
            fence = mark[1]
        elif fence is not None and mark is not None and mark[1].startswith(fence) and not mark[2].strip():
            fence = None
        elif line.strip() and (fence is not None or line.lstrip().startswith(">")):
            yield (line if fence is not None else line.lstrip().removeprefix(">")).strip()


def _places(line: str, lines: Sequence[str]) -> frozenset[int]:
    """Give the lines of the file, from 1, that a quotation may be: of this text, or the one whose number stands before it."""
    same = {number for number, each in enumerate(lines, 1) if each == line}
    numbered = _NUMBERED.fullmatch(line)
    if not same and numbered is not None:
        number, text = int(numbered[1]), numbered[2].strip()
        same = {number} if 0 < number <= len(lines) and lines[number - 1] == text else set()
    return frozenset(same)
