"""Proves a task that brings its own checks: doing nothing must fail them, and the reference must pass every one, each time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Literal

from compiler.plan import Chosen
from compiler.task import Reason
from executor.check_order import in_order
from executor.environments import Environment
from executor.gates import SIDES, Gated, ReferenceDoesNotApply, Side, side_tree
from executor.measures import check_facts
from executor.patches import touched
from executor.ports import Built, CheckResult, GradeOrder, Grader, Sandbox
from executor.treatments import reads_stream
from executor.trees import lay
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

Verdict = Literal["pass", "partial", "fail"]
NOT_ASKED = CheckResult(ok=None, detail="it reads what an agent does, and no agent has run")
"""The result of a check of an agent's stream. A gate takes it for one that holds: the others must tell doing nothing from the reference."""

OwnVerdict = Callable[[Mapping[str, Plain], Mapping[str, Plain]], Verdict]
"""Injected: (a candidate's facts, ``CHECK.ok`` and ``CHECK.fact`` of its checks) → what the candidate's own conditions say of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """With what checks are run, and where. ``verdict`` reads the task's conditions; without it every check must hold."""

    graders: Mapping[str, Grader]
    environment: Environment
    sandbox: Sandbox
    scratch: Path
    verdict: Callable[[Mapping[str, Plain]], Verdict] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The results of all checks at one side, in one harvest, and what the task's oracle makes of them."""

    side: Side
    harvest: int
    results: Mapping[str, CheckResult]
    verdict: Verdict

    @property
    def passes(self) -> bool:
        """Whether every check holds that can be asked."""
        return all(each.ok is True or each is NOT_ASKED for each in self.results.values())


def gate_checks(built: Built, *, harvests: int, tools: Tools) -> Gated:
    """Run a task's own checks on the start and with the reference, ``harvests`` times each, every time in a fresh tree.

    Raises:
        WorldFault: A check cannot be run on this machine, or there is no grader of its kind.
    """
    started = monotonic()
    pristine = tools.scratch / "pristine"
    pristine.mkdir(parents=True)
    lay(built.given, pristine)
    runs: list[Run] = []
    try:
        for number in range(1, harvests + 1):
            runs += [run_side(side, number, built, pristine, tools) for side in SIDES]
        reasons = judge(runs)
    except ReferenceDoesNotApply as error:
        reasons = (Reason(code="reference-fails", what="the reference does not apply", detail=str(error)),)
    return Gated(
        tests=built.tests,
        facts={
            "flaky": any(reason.code == "flaky" for reason in reasons),
            **(_dynamic_call_sites(runs) if runs else {}),
        },
        evidence={"gate": "checks", "runs": [_evidence(each) for each in runs]},
        reasons=reasons,
        seconds=Decimal(round((monotonic() - started) * 1000)).scaleb(-3),
    )


def judge(runs: list[Run]) -> tuple[Reason, ...]:
    """Give every reason to reject that the runs give: doing nothing passes, the reference fails, a harvest differs. Pure."""
    reasons = []
    start = {each.verdict for each in runs if each.side == "start"}
    if "pass" in start:
        reasons.append(Reason(code="noop-passes", what="doing nothing already passes"))
    elif "partial" in start:
        reasons.append(Reason(code="noop-passes", what="doing nothing is already partial"))
    failing = next((each for each in runs if each.side == "fix" and not (each.passes and each.verdict == "pass")), None)
    if failing is not None:
        asked = {name: each for name, each in failing.results.items() if each is not NOT_ASKED}
        bad = [f"{name}: {each.detail}" for name, each in asked.items() if each.ok is not True]
        detail = "; ".join(bad)[:1000] or "every check holds, but its conditions under `pass` do not"
        reasons.append(Reason(code="reference-fails", what="the reference does not pass", detail=detail))
    moved = _moved(runs)
    if moved:
        what = "a check does not hold every time"
        reasons.append(Reason(code="flaky", what=what, detail=", ".join(moved)))
    return tuple(reasons)


def _moved(runs: list[Run]) -> list[str]:
    """Name the checks that came out differently in another harvest of the same side."""
    seen: dict[tuple[Side, str], set[bool | None]] = {}
    for run in runs:
        for name, result in run.results.items():
            seen.setdefault((run.side, name), set()).add(result.ok)
    return sorted({name for (_, name), outcomes in seen.items() if len(outcomes) > 1})


def run_side(side: Side, number: int, built: Built, pristine: Path, tools: Tools) -> Run:
    """Run a task's checks once: on the start as it is, or with the reference. Raises ReferenceDoesNotApply."""
    scratch = tools.scratch / f"checks-{number}-{side}"
    scratch.mkdir()
    with side_tree(side, built, pristine, tools.scratch) as root:
        asked = GradeOrder(
            check=Chosen(kind=""),
            root=root,
            pristine=pristine,
            changed=touched(built.reference) if side == "fix" else (),
            answer=built.answer if side == "fix" else None,
            events=(),
            tests=None,
            scratch=scratch,
            sandbox=tools.sandbox,
            path=tuple(map(str, tools.environment.path)),
            mounts=tools.environment.mounts,
        )
        results: dict[str, CheckResult] = {}
        for name, check in in_order(built.checks):
            earlier = {done: result.ok for done, result in results.items()}
            grader = _grader(check, tools)
            results[name] = (
                NOT_ASKED if reads_stream(grader) else grader.grade(replace(asked, check=check, earlier=earlier))
            )
    results = {name: results[name] for name in built.checks}
    return Run(side=side, harvest=number, results=results, verdict=_verdict(results, tools))


def _verdict(results: Mapping[str, CheckResult], tools: Tools) -> Verdict:
    ok = {name: True if each is NOT_ASKED else each.ok for name, each in results.items()}
    if tools.verdict is not None:
        return tools.verdict(check_facts({name: {**each.facts, "ok": ok[name]} for name, each in results.items()}))
    return "pass" if all(each is True for each in ok.values()) else "fail"


def _grader(check: Chosen, tools: Tools) -> Grader:
    grader = tools.graders.get(check.kind)
    if grader is None:
        what = f"there is no grader of kind {check.kind!r}"
        raise WorldFault(Fault(code="no-plugin", what=what, expected=", ".join(sorted(tools.graders)), where="grader"))
    return grader


def _dynamic_call_sites(runs: list[Run]) -> dict[str, Plain]:
    """Give what no search for call sites can see in the starting tree, where a check has searched; a condition may refuse it."""
    told = [each.facts["dynamic_call_sites"] for each in runs[0].results.values() if "dynamic_call_sites" in each.facts]
    found = {str(site) for each in told if isinstance(each, list) for site in each}
    return {"dynamic_call_sites": sorted(found)} if told else {}


def _evidence(run: Run) -> dict[str, Plain]:
    checks: dict[str, Plain] = {name: {"ok": each.ok, **each.facts} for name, each in run.results.items()}
    return {"tree": run.side, "harvest": run.harvest, "checks": checks}
