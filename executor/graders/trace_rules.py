"""The rules of a ``trace`` check: what must, must not, or must only happen, in which order, and what may be claimed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from executor.graders.trace_events import Moment
from executor.protection import matches
from ledger.canonical import canonical
from ledger.plain import Plain

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_LONGEST, _OVERLAP = 2000, 400
"""A longer sentence or line is searched in pieces that overlap: how long a search takes must not be the agent's choice."""

Moments = Sequence[Moment]
Options = Mapping[str, Plain]


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A rule that does not hold: at which event (None: something is missing), and why, without any text of agent or file."""

    rule: str
    at: int | None
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.why}" + ("" if self.at is None else f" (event {self.at})")


def judge(rule: Options, moments: Moments) -> Broken | None:
    """Hold one rule against a stream; give the first way in which it is broken.

    ``after`` and ``until`` narrow the stream: to what follows the first such event, and comes before the next such one. Where
    ``after`` never happens nothing is left, so that nothing is forbidden there and nothing found.
    """
    seen = _window(rule, moments)
    for key, judged in _FORMS.items():
        if key in rule:
            found = judged(rule, seen, moments)
            return None if found is None else Broken(rule=str(rule["rule"]), at=found[0], why=found[1])
    raise AssertionError(f"a rule without a form: {sorted(rule)}")  # the schema lets none through


_Found = tuple[int | None, str]


def _never(rule: Options, seen: Moments, _all: Moments) -> _Found | None:
    found = next((each for each in seen if fits(_map(rule["never"]), each)), None)
    return None if found is None else (found.number, f"{_named(found)}, which must not be")


def _some(rule: Options, seen: Moments, _all: Moments) -> _Found | None:
    found = [each for each in seen if fits(_map(rule["some"]), each)]
    least, most = rule.get("least"), rule.get("most")
    least = least if isinstance(least, int) else 1
    if len(found) < least:
        return None, f"{len(found)} found, at least {least} needed"
    if isinstance(most, int) and len(found) > most:
        return found[most].number, f"{len(found)} found, at most {most} allowed"
    return None


def _order(rule: Options, seen: Moments, _all: Moments) -> _Found | None:
    """Each must be found behind the one before; the first of each counts, so that doing it early and again late is no order."""
    wanted, last = _maps(rule["order"]), 0
    for place, each in enumerate(wanted, 1):
        found = next((moment for moment in seen if fits(each, moment)), None)
        if found is None:
            return None, f"number {place} of its order is not found"
        if found.number <= last:
            return found.number, f"{_named(found)}, number {place} of its order, comes too early"
        last = found.number
    return None


def _only(rule: Options, seen: Moments, _all: Moments) -> _Found | None:
    allowed, among = _maps(rule["only"]), _map(rule["among"])
    odd = next((each for each in seen if fits(among, each) and not any(fits(one, each) for one in allowed)), None)
    return None if odd is None else (odd.number, f"{_named(odd)}, which is none of those allowed")


def _claim(rule: Options, seen: Moments, all_: Moments) -> _Found | None:
    """What is claimed must have come to its end before, anywhere in the stream."""
    backing = [each for each in all_ if fits(_map(rule["backed_by"]), each)]
    for each in seen:
        if fits(_map(rule["claim"]), each) and not any((one.done or one.number) < each.number for one in backing):
            return each.number, "a claim of what did not happen"
    return None


_FORMS: Mapping[str, Callable[[Options, Moments, Moments], _Found | None]] = {
    "never": _never,
    "some": _some,
    "order": _order,
    "only": _only,
    "claim": _claim,
}


def _window(rule: Options, moments: Moments) -> Moments:
    if "after" in rule:
        first = next((n for n, each in enumerate(moments) if fits(_map(rule["after"]), each)), len(moments))
        moments = moments[first + 1 :]
    if "until" in rule:
        last = next((n for n, each in enumerate(moments) if fits(_map(rule["until"]), each)), len(moments))
        moments = moments[:last]
    return moments


def fits(wanted: Options, moment: Moment) -> bool:
    """Say whether a moment is what a rule speaks of. A refused call is no call."""
    if "harness" in wanted:
        return moment.what == wanted["harness"]
    if "says" in wanted:
        return moment.what == "says" and _says(wanted, moment.text)
    if moment.what != "call" or moment.refused or wanted["call"] not in ("any", moment.does):
        return False
    return all(fit(wanted[key], moment) for key, fit in _DETAILS.items() if key in wanted)


def _says(wanted: Options, text: str) -> bool:
    """Look for a sentence that says it, and does not say what stands under ``unless``; in what is said, capitals are no difference."""
    flags = re.ASCII | re.IGNORECASE
    says = re.compile(str(wanted["says"]), flags)
    unless = re.compile(str(wanted["unless"]), flags) if "unless" in wanted else None
    return any(
        says.search(each) and not (unless and unless.search(each))
        for sentence in _SENTENCE.split(text)
        for each in _pieces(sentence)
    )


def _matches(pattern: Plain, moment: Moment) -> bool:
    wanted = re.compile(str(pattern), re.ASCII)
    return any(wanted.search(each) for line in moment.text.split("\n") for each in _pieces(line))


def _pieces(text: str) -> Iterator[str]:
    step = _LONGEST - _OVERLAP
    return (text[place : place + _LONGEST] for place in range(0, max(len(text) - _OVERLAP, 1), step))


def _path(glob: Plain, moment: Moment) -> bool:
    """A glob matches a path in the workspace, however much of the way to it an agent writes down."""
    return moment.path is not None and matches(moment.path, (str(glob), f"**/{glob}"))


_DETAILS: Mapping[str, Callable[[Plain, Moment], bool]] = {
    "tool": lambda glob, moment: fnmatchcase(moment.tool, str(glob)),
    "args": lambda args, moment: canonical(dict(moment.args)) == canonical(args),  # in Python true is 1
    "path": _path,
    "matches": _matches,
    "ranged": lambda ranged, moment: moment.ranged is ranged,
    "failed": lambda failed, moment: moment.failed is failed,
}


def _named(moment: Moment) -> str:
    """Name a moment by its tool, and by nothing that it was given or said."""
    if moment.what == "call":
        return f"a call of {moment.tool[:80]}"
    return "a message" if moment.what == "says" else f"`{moment.what}`"


def _map(said: Plain) -> Options:
    assert isinstance(said, Mapping)
    return said


def _maps(said: Plain) -> list[Options]:
    assert isinstance(said, Sequence)
    return [_map(each) for each in said]
