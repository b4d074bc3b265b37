"""The replay agent: plays a recording again, its commands run for real; where the world answers differently it says so. Never evidence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import ClassVar

from compiler.plan import AgentPlan
from executor.agents.jobs import run_job
from executor.ports import AgentEnd, AgentEvent, AgentOrder, Sandbox
from executor.turns import EVERY_STEP, Steps
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_VERSION = "1"
_KEYS = frozenset({"steps", "answer", "measures", "session"})
_STEPS = frozenset({"run", "patch", "write", "exit", "stdout"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One recorded step: a command with what it said then, a patch to apply, or a file to write."""

    run: tuple[str, ...] | None = None
    patch: str | None = None
    write: Mapping[str, str] | None = None
    exit: int = 0
    stdout: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """What an agent did once: its steps, its final answer, what was measured of it, and what its init event said."""

    steps: tuple[Step, ...]
    answer: str | None = None
    measures: Mapping[str, int | Decimal | bool | None] = field(default_factory=dict)
    session: Mapping[str, Plain] = field(default_factory=dict)


class ReplayAgent:
    """Plays ``recordings/TASK/ARM/SEED.json``, else ``TASK/ARM.json``, else ``TASK.json``."""

    kind: ClassVar[str] = "replay"
    simulated: ClassVar[bool] = True
    steps: ClassVar[Steps] = EVERY_STEP
    needs_reference: ClassVar[bool] = False
    measures: ClassVar[frozenset[str]] = frozenset(
        {
            "cost",
            "turns",
            "tokens",
            "input_tokens",
            "output_tokens",
            "cache_read",
            "cache_write",
            "tool_calls",
            "tool_errors",
        }
        | {"calls_before_first_edit", "left_running"}
    )

    def versions(self, agent: AgentPlan, sandbox: Sandbox) -> Mapping[str, str]:
        """Give the version that the plan names for what was recorded, else the player's."""
        del sandbox
        return {"agent": agent.version or _VERSION}

    def command(self, agent: AgentPlan, flags: tuple[str, ...]) -> tuple[str, ...]:
        """It starts no program of its own; model and flags are what could differ between arms."""
        return ("replay", "--model", agent.model or "", *flags)

    def run(self, order: AgentOrder) -> AgentEnd:
        """Play every step. A step that comes out otherwise is a divergence: the attempt is no outcome."""
        recording = read_recording(_find(order))
        events: list[AgentEvent] = []
        for number, step in enumerate(recording.steps, 1):
            said = _play(order, step, number)
            events.append(AgentEvent(kind="tool_call", data={"name": _name(step), "edits": step.run is None}))
            if said is not None:
                return _diverged(number, said, tuple(events))
        return AgentEnd(
            ended="finished",
            result_event=True,
            terminal_reason="completed",
            answer=recording.answer,
            measures={"left_running": 0, **recording.measures},
            reasons=dict.fromkeys(self.measures, "the recording does not say"),
            session=recording.session,
            events=tuple(events),
        )


def _name(step: Step) -> str:
    return "run" if step.run is not None else "patch" if step.patch is not None else "write"


def _play(order: AgentOrder, step: Step, number: int) -> str | None:
    """Play a step for real; give how it diverged, or None."""
    if step.write is not None:
        script = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"'
        for path, text in step.write.items():
            ran = run_job(order, ("sh", "-c", script, "sh", path), name=f"step-{number}", stdin=text.encode())
            if ran.end.exit_code != 0:
                return f"{path} cannot be written"
        return None
    if step.patch is not None:
        ran = run_job(order, ("git", "apply", "-"), name=f"step-{number}", stdin=step.patch.encode())
        return None if ran.end.exit_code == 0 else "the patch does not apply"
    assert step.run is not None
    ran = run_job(order, step.run, name=f"step-{number}")
    if ran.end.exit_code != step.exit:
        return f"exit {ran.end.exit_code}, recorded {step.exit}"
    said = ran.stdout.read_text("utf-8", "replace")
    return None if step.stdout is None or said == step.stdout else "its output is not what was recorded"


def _diverged(number: int, said: str, events: tuple[AgentEvent, ...]) -> AgentEnd:
    return AgentEnd(
        ended="error",
        result_event=False,
        terminal_reason="diverged",
        answer=None,
        measures={"cost": Decimal(0)},
        events=events,
        failed=("replay", f"step {number} diverged from its recording: {said}"),
    )


def _find(order: AgentOrder) -> Path:
    folder = (order.base or Path()) / str(order.agent.options.get("recordings", ""))
    names = (f"{order.task}/{order.arm}/{order.seed}.json", f"{order.task}/{order.arm}.json", f"{order.task}.json")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    what = f"there is no recording of {order.trial}"
    raise WorldFault(Fault(code="no-recording", what=what, expected=" or ".join(names), where="agent.recordings"))


def read_recording(path: Path) -> Recording:
    """Read a recording. Raises WorldFault (``recording``) when it is none; the fault names the key."""
    try:
        data = json.loads(path.read_bytes(), parse_float=Decimal)
        _known(data, _KEYS, "the recording")
        return Recording(
            steps=tuple(_step(each) for each in data["steps"]),
            answer=data.get("answer"),
            measures={name: _measure(name, value) for name, value in data.get("measures", {}).items()},
            session=data.get("session", {}),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        what = f"{path.name} is no recording: {problem}"
        raise WorldFault(Fault(code="recording", what=what, where="agent.recordings")) from problem


def _step(data: Mapping[str, object]) -> Step:
    _known(data, _STEPS, "a step")
    run, patch, write = data.get("run"), data.get("patch"), data.get("write")
    if sum(each is not None for each in (run, patch, write)) != 1:
        raise ValueError("a step has one of run, patch, write")
    stdout, code = data.get("stdout"), data.get("exit", 0)
    return Step(
        run=tuple(map(str, run)) if isinstance(run, list) else None,
        patch=patch if isinstance(patch, str) else None,
        write={str(name): str(text) for name, text in write.items()} if isinstance(write, dict) else None,
        exit=code if isinstance(code, int) else 0,
        stdout=stdout if isinstance(stdout, str) else None,
    )


def _measure(name: str, value: object) -> int | Decimal | bool | None:
    if isinstance(value, int | Decimal) or value is None:
        return value
    try:
        return Decimal(str(value))
    except InvalidOperation as problem:
        raise ValueError(f"measures.{name} is no number") from problem


def _known(data: Mapping[str, object], keys: frozenset[str], what: str) -> None:
    unknown = sorted(set(data) - keys)
    if unknown:
        raise ValueError(f"{what} has no {unknown[0]}; it has {', '.join(sorted(keys))}")
