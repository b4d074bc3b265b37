"""The demo: a whole experiment in one go, from a git history to an audited verdict, and then what tampering meets."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.verdict import Condition
from analyzer.wording import figure
from ledger.canonical import canonical
from ledger.errors import Faults, IntegrityFault
from prereg import api
from prereg.audited import NOT_PROVEN

STARTER, RUN = "task-outcome", "demo"


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """One step: what was done, the command that does it, what came of it, and which file to open."""

    title: str
    command: str | None = None
    lines: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A way of tampering with a copy, the reasons for which it was refused, and where it was done."""

    how: str
    reasons: tuple[str, ...] = field(default_factory=tuple)


def demo(folder: Path) -> Iterator[Told]:
    """Leave a finished, simulated experiment in ``folder`` and tell it step by step.

    Raises WorldFault when the folder is in use or something is missing. Nothing needs a key, a network or a container.
    """
    spec, run = folder / "spec.yaml", folder / "runs" / RUN
    api.init(folder, STARTER)
    yield Told(
        title="An experiment folder with a small git history of real bug fixes",
        command=f"prereg init {folder}",
        open=(f"{spec}: the pre-registration, with its decision rule", f"{folder}/pocketkit: the history"),
    )
    api.check(spec)
    found = api.harvest(spec)
    counts = f"{len(found.pool.candidates)} commits seen, {sum(each.status == 'kept' for each in found.pool.candidates)} kept"
    yield Told(
        title="Tasks harvested: each starts from the parent of a fix; the fix's own tests are held out, and proved twice",
        command=f"prereg harvest {spec}",
        lines=(f"{counts}; prereg tasks {folder} says why each was dropped",),
        open=(f"{folder}/pool/candidates.jsonl",),
    )
    locked = api.compile_(spec)
    entry = locked.entry
    yield Told(
        title="Locked, before any run: drawn tasks, order of trials, endpoints, decision rule",
        command=f"prereg compile {spec}",
        lines=(
            f"spec digest {entry.registration.spec['digest']}",
            f"plan digest {entry.registration.plan['digest']}: {entry.registration.plan['trials']} trials",
        ),
        open=(f"{folder}/registry/{entry.name}/plan.json",),
    )
    now = api.execute(folder, RUN).progress
    yield Told(
        title="Carried out with a SIMULATED agent; every change was graded by running the held-out tests",
        command=f"prereg execute {folder} --run {RUN}",
        lines=(f"{now.outcomes} outcomes from {now.attempts} attempts; each attempt was claimed before it started",),
        open=(f"{run}/ledger.jsonl",),
    )
    verdict = api.analyze(run).verdict
    yield Told(
        title="Judged by the registered rule, which has no knobs",
        command=f"prereg analyze {run}",
        lines=(
            *(f"{_word(each.holds)}  {each.text:<24}  read {_read(each)}" for each in verdict.conditions),
            f"SIMULATED, {verdict.stage}: {verdict.status}: {verdict.wording}",
        ),
        open=(f"{run}/report.html", f"{run}/report.md", f"{run}/verdict.json"),
    )
    audited = api.audit(run, expect=verdict.spec_digest)
    yield Told(
        title="Audited: every arrow derived again from the bytes",
        command=f"prereg audit {run} --expect {verdict.spec_digest}",
        lines=(*(f"{each.status}  {each.name}" for each in audited.checks), f"not proven: {NOT_PROVEN[0]}, and more"),
    )
    for refused in _tampered(folder):
        yield Told(title=f"Tampered with in a copy: {refused.how}", lines=refused.reasons)
    yield Told(
        title="Finished",
        lines=(
            f"The experiment stays in {folder}. Change {spec} and run prereg analyze {run}: it refuses, and says what differs.",
            "An experiment of your own: prereg init my-experiment, and docs/language.md.",
        ),
    )


def _word(holds: bool | None) -> str:
    return {True: "holds      ", False: "fails      ", None: "undecidable"}[holds]


def _read(condition: Condition) -> str:
    return ", ".join(
        figure(each) if isinstance(each, int | float) and not isinstance(each, bool) else str(each)
        for each in condition.values.values()
    )


def _tampered(folder: Path) -> Iterator[Refused]:
    """Tamper with copies, one way each, and give what prereg says; a copy that is accepted is our bug."""
    for how, act in _WAYS:
        with tempfile.TemporaryDirectory(prefix="prereg-demo-") as scratch:
            copy = Path(scratch) / folder.name
            shutil.copytree(folder, copy, symlinks=True)
            act(copy)
            try:
                api.analyze(copy / "runs" / RUN)
            except IntegrityFault as refusal:
                yield Refused(how=how, reasons=_reasons(refusal))
            else:
                message = f"{how}: the verdict was not refused"
                raise RuntimeError(message)


def _reasons(refusal: Faults) -> tuple[str, ...]:
    found = []
    for each in refusal.reasons[:2]:
        found.append(f"refused (exit 4): {each.what}")
        if each.expected is not None or each.got is not None:
            found.append(f"  expected {each.expected}, got {each.got}")
    return tuple(found)


def _cheaper(copy: Path) -> None:
    """Make one trial cheap after the fact, as someone would who edits a results file."""
    ledger = copy / "runs" / RUN / "ledger.jsonl"
    lines = ledger.read_bytes().split(b"\n")
    for number, line in enumerate(lines):
        if line and (record := json.loads(line)).get("kind") == "outcome" and record["measures"].get("cost"):
            record["measures"]["cost"] = "0.01"
            lines[number] = canonical(record)
            break
    ledger.write_bytes(b"\n".join(lines))


def _shorter(copy: Path) -> None:
    """Drop the last line."""
    ledger = copy / "runs" / RUN / "ledger.jsonl"
    lines = ledger.read_bytes().rstrip(b"\n").split(b"\n")
    ledger.write_bytes(b"\n".join(lines[:-1]) + b"\n")


def _softer(copy: Path) -> None:
    """Widen the margin after the result, so far that the result would have passed."""
    spec = copy / "spec.yaml"
    spec.write_text(spec.read_text("utf-8").replace("solved.lower >= -30 pp", "solved.lower >= -40 pp"), "utf-8")


_WAYS: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("one cost in the ledger made smaller", _cheaper),
    ("the ledger's last line dropped", _shorter),
    ("the decision rule softened after the result", _softer),
)
