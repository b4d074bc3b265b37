"""Taking an agent through all that it is told: turns, new runs and repairs, within one set of limits, as one stream of events."""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from compiler.plan import LimitsPlan
from executor.ports import AgentEnd, AgentEvent, AgentOrder
from executor.turns import NEW_RUN, TOLD, Turn

GOES_ON = frozenset({"finished", "cancelled"})
"""How a turn may end so that the next one is told: a cancel is no failure."""
_LEAST_COST, _LEAST_TIME = Decimal("0.000001"), Decimal("0.001")

Measure = int | Decimal | bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What came of telling an agent one thing. ``thread``: by what name the conversation can be taken up again."""

    end: AgentEnd
    seconds: Decimal
    thread: str | None = None


Tell = Callable[[AgentOrder, Told | None, str], Told]
"""Tells an agent the order's prompt; with what came of the turn before, where the conversation goes on, and a name for its output.

The order's ``turns`` and ``then`` are what may follow; its limits are what is left.
"""


def converse(order: AgentOrder, tell: Tell, *, cumulative: frozenset[str] = frozenset()) -> AgentEnd:
    """Tell an agent its prompt, then each further turn once it has answered or was cancelled, then what the order asks for on top.

    All within the one set of limits, as every measure adds up; ``cumulative`` names what the agent counts on by itself when a
    conversation is taken up again. A new run begins a conversation of its own, in a home that is again as it was at the start.
    """
    course = _Course(cumulative=cumulative)
    with_new_runs = any(turn.fresh for turn in order.turns) or order.then is not None
    home = _Home.keep(order) if with_new_runs else None
    turn: Turn | None = Turn(prompt=order.prompt, cancel=order.cancel, refuse=order.refuse)
    waiting = deque(order.turns)
    while turn is not None:
        if turn.fresh and home is not None:
            home.restore()
        before = course.begin(turn)
        asked = replace(
            order,
            prompt=turn.prompt,
            cancel=turn.cancel,
            refuse=turn.refuse,
            agent=replace(order.agent, limits=course.left(order.agent.limits)),
            turns=tuple(waiting),
        )
        number = course.number
        found = tell(asked, before, f"agent-{number}" if number > 1 else "agent")
        course.add(found)
        if found.end.ended not in GOES_ON or found.end.failed is not None:
            break
        turn = waiting.popleft() if waiting else None if order.then is None else order.then(course.whole())
    return course.whole()


def goes_on(order: AgentOrder) -> bool:
    """Say whether this conversation may be taken up again, so that the agent has to keep it."""
    return not order.turns[0].fresh if order.turns else order.then is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Home:
    """A copy of an agent's home beside it, from before its first turn."""

    home: Path
    kept: Path

    @classmethod
    def keep(cls, order: AgentOrder) -> "_Home":
        kept = order.home.with_name(f"{order.home.name}-at-start")
        shutil.copytree(order.home, kept, symlinks=True)
        return cls(home=order.home, kept=kept)

    def restore(self) -> None:
        """Put the home back in its place: its path may stand in what a provider wrote."""
        for each in self.home.iterdir():
            if each.is_dir() and not each.is_symlink():
                _open_up(each)
                shutil.rmtree(each)
            else:
                each.unlink()
        shutil.copytree(self.kept, self.home, symlinks=True, dirs_exist_ok=True)


def _open_up(folder: Path) -> None:
    """Let all folders in a folder be removed, also those that an agent shut."""
    folder.chmod(0o700)
    for place, names, _ in os.walk(folder):
        for name in names:
            if not Path(place, name).is_symlink():
                Path(place, name).chmod(0o700)


@dataclass(kw_only=True, slots=True)
class _Course:
    """What was told so far, by conversation, and the one stream of it all."""

    cumulative: frozenset[str]
    conversations: list[list[Told]] = field(default_factory=list)
    events: list[AgentEvent] = field(default_factory=list)

    @property
    def told(self) -> list[Told]:
        return [each for conversation in self.conversations for each in conversation]

    @property
    def number(self) -> int:
        """The number of the turn that has begun, from 1."""
        return len(self.told) + 1

    def begin(self, turn: Turn) -> Told | None:
        """Begin a turn; give the one before, where the conversation goes on."""
        if self.conversations:
            what = NEW_RUN if turn.fresh else TOLD
            self.events.append(AgentEvent(kind="harness", data={"what": what, "turn": self.number}))
        if not self.conversations or turn.fresh:
            self.conversations.append([])
        return self.conversations[-1][-1] if self.conversations[-1] else None

    def add(self, told: Told) -> None:
        self.conversations[-1].append(told)
        self.events += told.end.events

    def left(self, limits: LimitsPlan) -> LimitsPlan:
        """Give what is left of the limits; each program counts from nothing, whatever it reports.

        What a turn does not tell cannot be taken off: all that is known to be used is. The cost of the whole stays unknown
        then, and a run's budget reserves the trial's whole limit.
        """
        if not self.told:
            return limits
        time = limits.time_s - sum((each.seconds for each in self.told), Decimal(0))
        cost = None if limits.cost_usd is None else max(limits.cost_usd - self._at_least("cost"), _LEAST_COST)
        turns = None if limits.turns is None else max(limits.turns - int(self._at_least("turns")), 1)
        return replace(limits, time_s=max(time, _LEAST_TIME), cost_usd=cost, turns=turns)

    def whole(self) -> AgentEnd:
        """Give what came of it all so far: how the last turn ended, what all of them used and did."""
        ends = [each.end for each in self.told]
        names = dict.fromkeys(name for each in ends for name in each.measures)
        return replace(
            ends[-1],
            measures={name: self._whole(name) for name in names},
            reasons=_reasons(ends),
            session=ends[0].session,
            versions={name: said for each in ends for name, said in each.versions.items()},
            events=tuple(self.events),
            artefacts=dict(_artefacts(ends)),
        )

    def _at_least(self, name: str) -> Decimal:
        """Give the known part of a measure of it all: of what an agent counts on by itself, the last number that it told."""
        total = Decimal(0)
        for conversation in self.conversations:
            known = [value for each in conversation if (value := each.end.measures.get(name)) is not None]
            total += sum(map(Decimal, known[-1:] if name in self.cumulative else known), Decimal(0))
        return total

    def _whole(self, name: str) -> Measure:
        """Give a measure of it all; one unknown part makes it unknown."""
        counted = [
            told
            for conversation in self.conversations
            for told in (conversation[-1:] if name in self.cumulative else conversation)
        ]
        if len(counted) == 1:
            return counted[0].end.measures.get(name)
        total: int | Decimal = 0
        for each in counted:
            value = each.end.measures.get(name)
            if value is None:
                return None
            total += value
        return total


def _reasons(ends: Sequence[AgentEnd]) -> dict[str, str]:
    """Give the last word on each measure, and of one that is unknown because an earlier turn did not tell it, that turn's word."""
    reasons = {name: why for each in ends for name, why in each.reasons.items()}
    for each in reversed(ends):
        reasons |= {name: why for name, why in each.reasons.items() if each.measures.get(name, 0) is None}
    return reasons


def _artefacts(ends: Sequence[AgentEnd]) -> Iterator[tuple[str, Path]]:
    for number, each in enumerate(ends, 1):
        for name, path in each.artefacts.items():
            yield name if number == 1 else f"{name}-{number}", path
