"""Joins closed issues with the merged pull requests that close them: each issue has one fix, or a reason why not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiler.task import Reason
from executor.reading import Export


@dataclass(frozen=True, kw_only=True, slots=True)
class Linked:
    """One closed issue; ``pull`` is the place of its pull request in the export and ``fix`` its merge commit, where it has one.

    ``closes``: how many issues of the export that pull request closes.
    """

    issue: Mapping[str, Any]
    pull: int | None = None
    fix: str | None = None
    closes: int = 0
    reason: Reason | None = None


def linked(export: Export) -> Iterator[Linked]:
    """Give every issue with its fix, by number. What closes an issue is read off the pull requests, by the issue's address."""
    known = {str(issue["url"]) for issue in export.issues}
    closing: dict[str, list[int]] = {}
    for place, pull in enumerate(export.pulls):
        for url in _closed(pull):
            closing.setdefault(url, []).append(place)
    for issue in sorted(export.issues, key=lambda each: int(each["number"])):
        yield _link(issue, closing.get(str(issue["url"]), []), export.pulls, known)


def _link(
    issue: Mapping[str, Any], places: Sequence[int], pulls: Sequence[Mapping[str, Any]], known: set[str]
) -> Linked:
    if not places:
        what = "no merged pull request closes it"
        return Linked(issue=issue, reason=Reason(code="no-merge", what=what))
    if len(places) > 1:
        numbers = ", ".join(str(pulls[place]["number"]) for place in places)
        what = "several merged pull requests close it, so that no single commit is its fix"
        return Linked(issue=issue, reason=Reason(code="several-merges", what=what, detail=numbers))
    pull = pulls[places[0]]
    commit = pull["mergeCommit"]
    if commit is None:
        what = "the pull request that closes it names no merge commit"
        return Linked(issue=issue, pull=places[0], reason=Reason(code="no-merge-commit", what=what))
    closes = len(known & set(_closed(pull)))
    return Linked(issue=issue, pull=places[0], fix=str(commit["oid"]), closes=closes)


def _closed(pull: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(each["url"]) for each in pull["closingIssuesReferences"]))
