"""Grading what an agent left, and sending it back while that does not pass and repairs are left: the rounds of one attempt."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from executor.attempt import Notebook, TrialOrder
from executor.grading import grade
from executor.measures import check_facts, unknown_measures
from executor.ports import AgentEnd, Workspace
from executor.storable import storable_end
from executor.turns import Turn, steps_of
from executor.workspace import Change, Template, capture
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.plain import Plain

ROUNDS = "rounds"
"""Artefact: verdict and results of the checks of every round, the last included."""
REPAIRS, FIRST_VERDICT = "repairs", "first_verdict"
"""Facts of an attempt where its run has repairs: how often the agent was sent back, and the verdict before that."""

Checks = Mapping[str, Mapping[str, Plain]]


@dataclass(kw_only=True, slots=True)
class Rounds:
    """The rounds of one attempt. ``graded`` are the results of each; ``seconds`` went into grading while the agent waited."""

    order: TrialOrder
    start: Template
    workspace: Workspace
    own_files: tuple[str, ...]
    folder: Path
    notebook: Notebook
    graded: list[tuple[str, Checks]] = field(default_factory=list)
    seconds: Decimal = Decimal(0)
    _change: Change | None = None
    _standing: Checks | None = None
    """Results for the workspace as it stands; None once the agent works on."""

    def then(self, end: AgentEnd) -> Turn | None:
        """Grade what the agent left; give what it is told next: nothing when it passes, or when all repairs are used."""
        repairs, rules = self.order.repairs, self.order.rules
        if repairs is None or rules is None:
            return None
        begin = time.monotonic()
        self.checks(storable_end(end), self.capture())
        self.notebook.step = "agent"
        self.seconds += Decimal(repr(time.monotonic() - begin))
        if self.graded[-1][0] == "pass" or len(self.graded) > repairs.at_most:
            return None
        self._set_aside(len(self.graded))
        text = Blobs(self.order.inputs).get(repairs.say).decode("utf-8")
        return Turn(prompt=text, fresh=not steps_of(self.order.agent, self.order.arm.agent).say)

    def capture(self) -> Change:
        """Take out the change as it stands."""
        if self._change is None:
            self.notebook.step = "capture"
            self._change = change = capture(self.workspace, without=self.own_files)
            self.notebook.keep("change", change.patch)
            self.notebook.notes += [each for each in change.notes if each not in self.notebook.notes]
            if change.notes:
                self.notebook.keep("notes", "\n".join(change.notes).encode())
        return self._change

    def checks(self, end: AgentEnd, change: Change) -> Checks:
        """Judge the change by every check, once; the agent's own folder is not looked at."""
        if self._standing is None:
            self.notebook.step = "grading"
            folder = self.folder / f"graded-{len(self.graded) + 1}"
            folder.mkdir()
            self._standing = grade(self.order, self.start, change, end, folder, self.notebook)
            if self.order.rules is not None:
                verdict = self.order.rules.verdict(self.order.task.oracle, check_facts(self._standing))
                self.graded.append((verdict, self._standing))
        return self._standing

    def note(self) -> None:
        """Note, where there may be repairs, how the rounds went."""
        if self.order.repairs is not None and self.graded:
            self.notebook.measures |= {REPAIRS: len(self.graded) - 1, FIRST_VERDICT: self.graded[0][0]}
            told: list[Plain] = [
                {"verdict": verdict, "checks": {name: dict(each) for name, each in checks.items()}}
                for verdict, checks in self.graded
            ]
            self.notebook.keep(ROUNDS, canonical(told))

    def _set_aside(self, number: int) -> None:
        """Keep this round's artefacts under names of their own: the agent works on, and the next round has the plain names."""
        for name in list(self.notebook.blobs):
            if name == "change" or name == "notes" or name.partition(".")[0] in self.order.checks:
                self.notebook.blobs[f"{ROUNDS}.{number}.{name}"] = self.notebook.blobs.pop(name)
        self._change = self._standing = None


def ungraded(order: TrialOrder, why: str) -> tuple[dict[str, Plain], dict[str, str]]:
    """Give the measures of an attempt in which no agent ran: nothing was spent, the rest is unknown; and the reasons."""
    measures, reasons = unknown_measures(why)
    names = () if order.repairs is None else (REPAIRS, FIRST_VERDICT)
    return {**measures, **dict.fromkeys(names)}, {**reasons, **dict.fromkeys(names, why)}
