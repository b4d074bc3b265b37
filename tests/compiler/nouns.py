"""Small hand-made candidates, specs and compiled plans for tests of the compiler."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from compiler.identity import spec_document
from compiler.plan import AnalysisPlan, DecisionPlan, Plan, RunPlan, TrialPlan
from compiler.task import Candidate
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from ledger.plain import Plain
from spec_lang.expr.parse import parse
from spec_lang.model import (
    Agent,
    Arm,
    Budget,
    Choice,
    Decision,
    Draw,
    Endpoint,
    Exclusions,
    Foreknowledge,
    Limits,
    Oracle,
    SampleSize,
    Spec,
    TaskSet,
    Trials,
    Wording,
)
from spec_lang.quantity import UNITS, Quantity


def candidate(name: str, **facts: Plain) -> Candidate:
    """Make a kept candidate."""
    return Candidate(id=name, set="fixes", status="kept", facts=facts)


def quantity(number: str, unit: str) -> Quantity:
    """Make ``20 min``."""
    return Quantity(number=Decimal(number), unit=next(each for each in UNITS if each.name == unit))


def spec(threat: str = "one repository", where: str = "subject startswith  'fix'".replace("'", '"')) -> Spec:
    """Make a whole spec."""
    return Spec(
        prereg=1,
        id="small",
        stage="pilot",
        question="Does it?",
        foreknowledge=Foreknowledge(
            access="nothing-run", statement="Nobody ran it.", model_cutoffs={"m": "2026-05-01"}
        ),
        tasks={
            "fixes": TaskSet(
                source=Choice(kind="git-history", options={"at": "abc", "limit": 3, "share": Decimal("0.50")}),
                draw=Draw(sort="commit-hash", shuffle=Choice(kind="python-random-v1", options={"seed": 1}), take=2),
                oracle=Oracle(checks={"fixed": Choice(kind="tests")}, pass_=(parse("fixed.ok"),)),
                where=(parse(where),),
                exclusions=Exclusions(file="exclusions.yaml", reasons={"a": "docs"}),
            )
        },
        agent=Agent(kind="simulated", limits=Limits(time=quantity("20", "min"), cost=quantity("2.50", "USD"))),
        arms={"b": Arm(), "a": Arm(provider=Choice(kind="files"))},
        trials=Trials(
            seeds=2, order=Choice(kind="interleave", options={"seed": 1}), budget=Budget(total=quantity("10", "USD"))
        ),
        endpoints={"cost": Endpoint(role="primary", measure="cost", per_task="mean", compare=parse("a - b"))},
        decision=Decision(
            claim="It does.",
            supported_when=(parse("cost.p < 0.05"),),
            wording=Wording(supported="yes", not_supported="no", no_verdict="unknown"),
        ),
        sample_size=SampleSize(rationale="pilot"),
        threats=(threat,),
        does_not_show="Anything else.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiled:
    """What the pipeline gives, as far as registering needs it."""

    plan: Plan
    plan_bytes: bytes
    plan_digest: str
    spec_bytes: bytes
    spec_digest: str
    prompts: Mapping[str, bytes] = field(default_factory=dict)


PROMPT = b"Fix it."

INPUTS = {"exclusions.yaml": b"- {task: t1, reason: a}\n", "pool/candidates.jsonl": b"{}\n"}


def compiled(threat: str = "one repository") -> Compiled:
    """Compile by hand."""
    spec_bytes = spec_document(spec(threat), INPUTS)
    empty = AnalysisPlan(
        question="Does it?",
        stage="pilot",
        simulated=True,
        tasks=(),
        arms=("a", "b"),
        seeds=1,
        limits={},
        collect={},
        measures={},
        missing=(),
        endpoints=(),
        decision=DecisionPlan(claim="It does.", supported_when=("cost.p < 0.05",), wording={}),
        sample_size={"share": "0.5"},
        threats=(threat,),
        does_not_show="Anything else.",
        foreknowledge={},
        selection={},
    )
    run = RunPlan(
        experiment="small",
        stage="pilot",
        simulated=True,
        arms=(),
        tasks=(),
        oracles={},
        trials=tuple(TrialPlan(task="t1", arm=arm, seed=1) for arm in ("a", "b")),
        rules=(),
        measures={},
        collect={},
        sandbox=None,
        concurrency=1,
        budget_usd=Decimal("10.50"),
    )
    plan = Plan(spec_digest=digest(spec_bytes), run=run, analysis=empty, procedures={})
    plan_bytes = canonical(to_plain(plan))
    return Compiled(
        plan=plan,
        plan_bytes=plan_bytes,
        plan_digest=digest(plan_bytes),
        spec_bytes=spec_bytes,
        spec_digest=digest(spec_bytes),
        prompts={digest(PROMPT): PROMPT},
    )
