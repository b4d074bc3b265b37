"""What an arm costs before it does anything: one prompt that asks for nothing, the same in every arm, a few times over."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from compiler.arms import is_scripted, resolve
from compiler.crossing import arm_ids
from compiler.inputs import provider_files
from compiler.plan import ArmPlan, OraclePlan, RunPlan, TaskPlan, TrialPlan
from compiler.prices import routes_plan
from compiler.settings import chosen
from executor.attempt import Observed
from executor.ordering import Orders
from executor.trees import Leaf, pack
from executor.trial import carry_out
from ledger.blobs import Blobs
from ledger.canonical import canonical, digest
from ledger.codec import decimal_text
from ledger.disk import disk_faults
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain
from prereg import clock, places, tool
from prereg.current import complete
from prereg.experiment import experiment_of, spec_at
from prereg.kit import kit_for
from spec_lang.model import Spec

TYPE = "prereg.overhead/v1"
FILE = "overhead.json"
PROMPT = "Reply with the single word OK. Use no tool, read no file and change nothing."
"""The prompt of every measurement."""
FACTS = ("tokens", "input_tokens", "output_tokens", "cache_read", "cache_write", "cost", "time", "turns")
MOST = 20
_PLACES = 6
_GIVEN = (Leaf(path="README.md", data=b"Nothing is to be done here.\n"),)
_REFERENCE = b"""diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-Nothing is to be done here.
+Nothing was done here.
"""
"""What scripted and simulated agents apply; every other agent never sees it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The document that was written, and where."""

    file: Path
    document: Mapping[str, Plain]


def measure(where: Path, *, replicates: int, report: Callable[[int, int], None] = lambda _done, _all: None) -> Measured:
    """Run every arm of a spec ``replicates`` times on the prompt that asks for nothing, arms in turn; write ``overhead.json`` beside it.

    Raises SpecErrors when the spec is faulty; WorldFault when an attempt fails or is no valid environment, or the file cannot be written.
    """
    spec_file = spec_at(where)
    experiment = experiment_of(spec_file)
    written = complete(spec_file, experiment)
    spec = written.loaded.spec
    ids = arm_ids(spec)
    arms = tuple(arm for arm in resolve(spec) if spec.arms[ids[arm.name].name].repeats is None)
    found: dict[str, list[Observed]] = {arm.name: [] for arm in arms}
    with tempfile.TemporaryDirectory(prefix="overhead-", dir=places.scratch()) as made:
        folder = Path(made)
        blobs = {name: Blobs(folder / name) for name in ("pool", "inputs", "artefacts")}
        plan = replace(
            _plan(spec, arms, replicates, blobs, written.inputs), routes=routes_plan(written.loaded, written.inputs)
        )
        kit = kit_for(plan, experiment.root.resolve())
        orders = Orders(
            plan=plan,
            pool=blobs["pool"],
            inputs=blobs["inputs"],
            artefacts=blobs["artefacts"],
            kit=kit,
            scratch=folder / "scratch",
        )
        orders.make_ready()
        for done, trial in enumerate(plan.trials):
            report(done, len(plan.trials))
            observed = carry_out(orders.order(trial, 1))
            found[trial.arm].append(_valid(trial.arm, observed, blobs["artefacts"], simulated=plan.simulated))
    document = _document(arms, found, replicates, simulated=is_scripted(arms))
    file = experiment.root / FILE
    with disk_faults(file):
        file.write_bytes(json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    return Measured(file=file, document=document)


def table(measured: Measured) -> str:
    """Show the means of the arms beside one another."""
    arms = measured.document["arms"]
    assert isinstance(arms, Mapping)
    rows = [["", *FACTS]]
    for name, arm in arms.items():
        assert isinstance(arm, Mapping)
        assert isinstance(arm["mean"], Mapping)
        rows.append([name, *(str(arm["mean"][fact]) if arm["mean"][fact] is not None else "unknown" for fact in FACTS)])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    note = ["SIMULATED or scripted agent: these numbers are no evidence."] if measured.document["simulated"] else []
    return "\n".join([*note, *lines, f"written to {measured.file}"])


def _plan(
    spec: Spec, arms: tuple[ArmPlan, ...], replicates: int, blobs: Mapping[str, Blobs], inputs: Mapping[str, bytes]
) -> RunPlan:
    task = TaskPlan(
        id="overhead",
        set="overhead",
        oracle="none",
        given=blobs["pool"].put(pack(_GIVEN)),
        held_out=blobs["pool"].put(pack(())),
        prompt=blobs["inputs"].put(PROMPT.encode()),
        reference=blobs["pool"].put(_REFERENCE),
    )
    names = {name for arm in spec.arms.values() for name in provider_files(arm.provider)}
    trials = (TrialPlan(task=task.id, arm=arm.name, seed=seed) for seed in range(1, replicates + 1) for arm in arms)
    return RunPlan(
        experiment=spec.id,
        stage=spec.stage,
        simulated=is_scripted(arms),
        arms=arms,
        tasks=(task,),
        oracles={"none": OraclePlan(checks={}, passes=())},
        trials=tuple(trials),
        rules=(),
        measures={},
        collect={},
        sandbox=chosen(spec.sandbox) if spec.sandbox else None,
        concurrency=1,
        budget_usd=None,
        files={name: blobs["inputs"].put(inputs[name]) for name in sorted(names)},
    )


def _valid(arm: str, observed: Observed, artefacts: Blobs, *, simulated: bool) -> Observed:
    """Refuse an attempt that measures nothing."""
    if observed.kind == "graded" and observed.ended == "finished":
        return observed
    where = "" if observed.kind == "graded" else f": {observed.kind}, at the step {observed.step}"
    what = f"an attempt of arm {arm!r} came to nothing{where}"
    got = observed.detail or f"the agent ended as {observed.ended}{_last_words(observed, artefacts)}"
    hint = "prereg doctor tells what this machine can do; the numbers of failed attempts are no overhead"
    if simulated:
        hint = "a simulated agent ends as its profile draws it; the overhead is that of the agent that is to run, so name that one"
    raise WorldFault(Fault(code="overhead", what=what, got=got, hint=hint))


def _last_words(observed: Observed, artefacts: Blobs) -> str:
    """Give the last line of the agent's stderr, which says most of why it failed; the artefacts are gone afterwards."""
    if "stderr" not in observed.blobs:
        return ""
    lines = artefacts.get(observed.blobs["stderr"]).decode("utf-8", "replace").split("\n")
    said = next((line for line in reversed(lines) if line.strip()), "")
    return f"; its stderr ends: {''.join(each for each in said[-300:] if each.isprintable())}" if said else ""


def _document(
    arms: Sequence[ArmPlan], found: Mapping[str, Sequence[Observed]], replicates: int, *, simulated: bool
) -> dict[str, Plain]:
    held: dict[str, Plain] = {arm.name: _arm(arm, found[arm.name]) for arm in arms}
    return {
        "type": TYPE,
        "prompt": {"text": PROMPT, "digest": digest(PROMPT.encode())},
        "replicates": replicates,
        "simulated": simulated,
        "arms": held,
        "differences": _differences(arms, found),
        "tool": dict(tool.identity()),
        "created_at_untrusted": clock.now(),
    }


def _arm(arm: ArmPlan, found: Sequence[Observed]) -> dict[str, Plain]:
    """Give what one arm used: each replicate, the mean, and whether the replicates agree to the last unit."""
    values = {name: [each.measures.get(name) for each in found] for name in FACTS}
    options = digest(canonical(dict(arm.agent.options)))
    return {
        "agent": {"kind": arm.agent.kind, "model": arm.agent.model, "options": options},
        "provider": arm.provider.kind,
        "versions": dict(found[0].versions),
        "replicates": [{name: each.measures.get(name) for name in FACTS} for each in found],
        "mean": {name: _text(_mean(each)) for name, each in values.items()},
        "identical": {name: len(set(map(str, each))) == 1 and None not in each for name, each in values.items()},
        "reasons": {name: found[0].reasons[name] for name in FACTS if name in found[0].reasons},
    }


def _differences(arms: Sequence[ArmPlan], found: Mapping[str, Sequence[Observed]]) -> dict[str, Plain]:
    """Give the means of each arm less those of the control, the first arm whose provider adds nothing; within each level."""
    differences: dict[str, Plain] = {}
    for level in dict.fromkeys(arm.level for arm in arms):
        here = [arm for arm in arms if arm.level == level]
        control = next((arm.name for arm in here if arm.provider.kind == "none"), None)
        for arm in here if control is not None else ():
            if arm.name != control:
                differences[f"{arm.name} - {control}"] = _difference(found[arm.name], found[str(control)])
    return differences


def _difference(more: Sequence[Observed], less: Sequence[Observed]) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for name in FACTS:
        one, other = (_mean([each.measures.get(name) for each in side]) for side in (more, less))
        found[name] = None if one is None or other is None else _text(one - other)
    return found


def _mean(values: Sequence[Plain]) -> Fraction | None:
    """Give an exact mean; one unknown value makes it unknown."""
    known = [Fraction(str(each)) for each in values if isinstance(each, int | str)]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(values) else None


def _text(number: Fraction | None) -> str | None:
    """Write a number, rounded to six places."""
    if number is None:
        return None
    return decimal_text(round(Decimal(number.numerator) / Decimal(number.denominator), _PLACES))
