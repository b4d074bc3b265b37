"""Hand-made plans and ledgers of system N for the analyzer's tests."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from analyzer.judge import judge
from analyzer.verdict import Verdict
from compiler.plan import (
    AnalysisPlan,
    Chosen,
    DecisionPlan,
    EndpointPlan,
    LimitsPlan,
    MissingPlan,
    TaskFacts,
    TrialPlan,
)
from ledger.canonical import digest
from ledger.chain import encode
from ledger.plain import Plain
from ledger.records import KINDS, Claimed, Closed, Infrastructure, Line, Opened, Outcome, Record

SPEC, PLAN = digest(b"spec"), digest(b"plan")
GENESIS = digest(b"registration")
ARMS = ("baseline", "neuralmind")
KIND_OF = {noun: kind for kind, noun in KINDS.items()}

RULES = (
    MissingPlan(rule="timeout", when='stop == "timeout"', value={"solved": "false", "cost": "limits.cost"}),
    MissingPlan(rule="harness_failure", when='not result_event or terminal_reason == "api_error"', retry=5),
    MissingPlan(rule="impure", when="not environment_ok", retry=5),
)

ENDPOINTS = (
    EndpointPlan(
        name="cost",
        role="primary",
        unit="USD",
        measure="cost",
        per_task="mean",
        compare="neuralmind - baseline",
        test=Chosen(kind="wilcoxon-signed-rank", options={"alternative": "less", "zeros": "wilcox"}),
    ),
    EndpointPlan(
        name="solved",
        role="co-primary",
        unit="pp",
        measure="solved",
        per_task="majority",
        compare="neuralmind - baseline",
        test=Chosen(kind="mcnemar-exact", options={"alternative": "two-sided"}),
        interval=Chosen(kind="newcombe-paired", options={"level": "0.95"}),
    ),
    EndpointPlan(
        name="relative_cost",
        role="effect",
        unit="share",
        measure="cost",
        per_task="mean",
        compare="neuralmind / baseline - 1",
        statistic="median",
        interval=Chosen(kind="bootstrap-percentile", options={"level": "0.95", "resamples": 10000, "seed": 20261014}),
    ),
    EndpointPlan(name="cost_per_solved", role="secondary", unit="USD", per_arm="sum(cost) / count(solved)"),
    EndpointPlan(
        name="turns",
        role="secondary",
        unit="turn",
        measure="turns",
        per_task="mean",
        compare="neuralmind - baseline",
        statistic="median",
    ),
)

DECISION = DecisionPlan(
    claim="NeuralMind lowers a coding agent's cost per task without lowering its solve rate",
    supported_when=(
        "cost.p < 0.05",
        "relative_cost.upper < 0",
        "solved.count(neuralmind) >= solved.count(baseline) - 1 task",
    ),
    wording={
        "supported": "NeuralMind lowered cost per task without lowering the solve rate",
        "not_supported": "no difference shown, or a loss",
        "no_verdict": "the run is incomplete, nothing is claimed",
    },
)


def plan_of(tasks: int = 20, seeds: int = 3, **changes: object) -> AnalysisPlan:
    """System N's analysis over so many tasks."""
    plan = AnalysisPlan(
        question="Does it cost less?",
        stage="confirmatory",
        simulated=False,
        tasks=tuple(TaskFacts(id=f"t{number:02}", set="fixes", use="decision") for number in range(1, tasks + 1)),
        arms=ARMS,
        seeds=seeds,
        limits={arm: LimitsPlan(time_s=Decimal(1200), cost_usd=Decimal(2), turns=60) for arm in ARMS},
        collect={},
        measures={"solved": 'verdict == "pass"'},
        missing=RULES,
        endpoints=ENDPOINTS,
        decision=DECISION,
        sample_size={
            "rationale": "pilot",
            "next": {
                "formula": "wilcoxon-are",
                "endpoint": "relative_cost",
                "effect": "0.15",
                "alpha": "0.05",
                "power": "0.8",
            },
        },
        threats=("One repository",),
        does_not_show="That the saving carries over.",
        foreknowledge={"access": "nothing-run", "statement": "Nobody has run an agent on them."},
        selection={},
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def trials_of(plan: AnalysisPlan) -> tuple[TrialPlan, ...]:
    """All trials, interleaved by seed as a run plans them."""
    return tuple(
        TrialPlan(task=task.id, arm=arm, seed=seed)
        for seed in range(1, plan.seeds + 1)
        for task in plan.tasks
        for arm in plan.arms
    )


@dataclass(frozen=True, kw_only=True)
class Shot:
    """What one attempt gives; a ``rule`` makes it a lost one."""

    cost: str | None = "1"
    solved: bool = True
    ended: str = "finished"
    rule: str | None = None
    more: Mapping[str, Plain] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    verdict: str | None = None

    @property
    def measures(self) -> dict[str, Plain]:
        timeout = self.ended == "timeout"
        usual: dict[str, Plain] = {
            "cost": self.cost,
            "time": "61.5",
            "turns": 12,
            "result_event": None if timeout else True,
            "environment_ok": True,
            "terminal_reason": None if timeout else "completed",
        }
        return {**usual, **self.more}


Shots = Callable[[str, str, int], Shot | Sequence[Shot]]


def records_of(plan: AnalysisPlan, shots: Shots, *, closed: bool = True, **gaps: str) -> list[Record]:
    """The records of a run: every trial claimed and ended, lost attempts first."""
    opened = Opened(
        run="run",
        registration="0001",
        registration_id="r",
        plan_digest=PLAN,
        spec_digest=SPEC,
        tool={},
        host={},
        simulated=False,
    )
    records: list[Record] = [opened]
    outcomes = attempts = 0
    for trial in trials_of(plan):
        given = shots(trial.task, trial.arm, trial.seed)
        for attempt, shot in enumerate([given] if isinstance(given, Shot) else given, start=1):
            name = {"trial": trial.id, "attempt": attempt}
            place = {"task": trial.task, "arm": trial.arm, "seed": trial.seed}
            records.append(Claimed(**name, **place, machine="m"))  # type: ignore[arg-type]
            attempts += 1
            if shot.rule is not None:
                records.append(
                    Infrastructure(
                        **name, rule=shot.rule, step="agent", detail="lost", ended=shot.ended, measures=shot.measures
                    )  # type: ignore[arg-type]
                )
                continue
            outcomes += 1
            verdict = shot.verdict or ("pass" if shot.solved else "fail")
            records.append(
                Outcome(
                    **name,  # type: ignore[arg-type]
                    **place,  # type: ignore[arg-type]
                    verdict=verdict,  # type: ignore[arg-type]
                    ended=shot.ended,  # type: ignore[arg-type]
                    measures=shot.measures,
                    reasons=shot.reasons,
                    versions={"agent": "2.1.287"},
                    machine="m",
                )
            )
    if closed:
        records.append(
            Closed(
                outcomes=outcomes,
                attempts=attempts,
                gaps={name.replace("__", "/"): rule for name, rule in gaps.items()},
            )
        )
    return records


def chained(records: Iterable[Record]) -> tuple[Line, ...]:
    """Put records into a chain."""
    lines: list[Line] = []
    prev = GENESIS
    for seq, record in enumerate(records, start=1):
        line = Line(
            seq=seq,
            prev=prev,
            kind=KIND_OF[type(record)],
            at=f"2026-10-20T08:{seq // 60 % 60:02}:{seq % 60:02}Z",
            record=record,
        )
        prev = digest(encode(line))
        lines.append(line)
    return tuple(lines)


def lines_of(plan: AnalysisPlan, shots: Shots, *, closed: bool = True, **gaps: str) -> tuple[Line, ...]:
    """A whole ledger; ``gaps`` are written ``t01__baseline__1="rule"``."""
    return chained(records_of(plan, shots, closed=closed, **gaps))


def judged(plan: AnalysisPlan, lines: Sequence[Line]) -> Verdict:
    """Judge."""
    return judge(plan, lines, spec_digest=SPEC, plan_digest=PLAN, trials=trials_of(plan))


def cheaper(task: str, arm: str, seed: int) -> Shot:
    """Every task 20 % to 39 % cheaper with the treatment, all solved."""
    base = 100 + int(task[1:]) * 7 + seed
    cost = base * (80 - int(task[1:])) // 100 if arm == "neuralmind" else base
    return Shot(cost=f"{cost / 100:.2f}")
