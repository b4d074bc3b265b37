"""From a spec and its drawn tasks to the two plans: what to do, and how it is judged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.arms import is_scripted, resolve
from compiler.contamination import predated_models
from compiler.crossing import level_arms
from compiler.draw import Drawn, order_trials
from compiler.facts import candidate_facts
from compiler.identity import meaning
from compiler.inputs import provider_files
from compiler.lower_analysis import decision_plan, endpoint_plans, missing_plans, read_facts
from compiler.overhead import Overheads
from compiler.own_terms import own_fixture, own_limits, own_oracle
from compiler.plan import (
    AnalysisPlan,
    AttemptRule,
    CollectPlan,
    OraclePlan,
    PrivatePlan,
    RunPlan,
    TaskFacts,
    TaskPlan,
)
from compiler.prices import routes_plan
from compiler.private import private_env
from compiler.prompts import Prompt
from compiler.rewrite import measure_texts
from compiler.selection import Selected
from compiler.settings import chosen
from compiler.steps import RepairsPlan
from compiler.task import Candidate
from ledger.canonical import digest
from ledger.plain import Plain
from spec_lang.expr.ast import Expression
from spec_lang.load import Loaded
from spec_lang.model import Oracle, Spec, TaskSet


@dataclass(frozen=True, kw_only=True, slots=True)
class SetTasks:
    """One set on its way into a plan: the rule's result, exclusions by task, the draw, the drawn candidates and prompts."""

    selected: Selected
    excluded: Mapping[str, str]
    drawn: Drawn
    candidates: tuple[Candidate, ...]
    prompts: tuple[Prompt, ...]
    burned: Mapping[str, str] = field(default_factory=dict)


def run_plan(loaded: Loaded, sets: Sequence[SetTasks], inputs: Mapping[str, bytes]) -> RunPlan:
    """Give what execute carries out. It holds nothing of endpoints, decision or claim."""
    spec = loaded.spec
    arms = resolve(spec)
    tasks = tuple(task for each in sets for task in _tasks(spec, each))
    names = [arm.name for arm in arms]
    order = spec.trials.order
    return RunPlan(
        experiment=spec.id,
        stage=spec.stage,
        simulated=is_scripted(arms),
        arms=arms,
        tasks=tasks,
        oracles=dict(oracle for each in sets for oracle in _oracles(spec, each)),
        trials=order_trials(
            [task.id for task in tasks], names, spec.trials.seeds, order, span=loaded.spans.at("trials", "order")
        ),
        rules=tuple(AttemptRule(rule=rule.rule, when=rule.when.text, retry=rule.retry) for rule in spec.missing.rules),
        measures=measure_texts(spec),
        collect=_collect(spec),
        sandbox=chosen(spec.sandbox) if spec.sandbox else None,
        concurrency=spec.trials.concurrency,
        budget_usd=spec.trials.budget.total.base if spec.trials.budget else None,
        files=_files(spec, inputs),
        repairs=_repairs(spec, inputs),
        routes=routes_plan(loaded, inputs),
    )


def analysis_plan(loaded: Loaded, sets: Sequence[SetTasks], overhead: Overheads | None = None) -> AnalysisPlan:
    """Give what is hoped and how it is judged."""
    spec = loaded.spec
    arms = resolve(spec)
    return AnalysisPlan(
        question=spec.question,
        stage=spec.stage,
        simulated=is_scripted(arms),
        tasks=tuple(_facts(spec, each.selected.name, candidate) for each in sets for candidate in each.candidates),
        arms=tuple(arm.name for arm in arms),
        seeds=spec.trials.seeds,
        limits={arm.name: arm.agent.limits for arm in arms},
        collect=_collect(spec),
        measures={name: spec.measures[name].text for name in sorted(spec.measures)},
        missing=missing_plans(spec),
        endpoints=endpoint_plans(spec),
        decision=decision_plan(spec),
        sample_size=_map(meaning(spec.sample_size)),
        threats=spec.threats,
        does_not_show=spec.does_not_show,
        foreknowledge=_map(meaning(spec.foreknowledge)),
        selection={each.selected.name: _selection(spec, each) for each in sets},
        overhead=overhead or {},
        levels=level_arms(spec),
        cache=_map(meaning(spec.trials.cache)) if spec.trials.cache else {},
    )


def _tasks(spec: Spec, each: SetTasks) -> tuple[TaskPlan, ...]:
    tasks = spec.tasks[each.selected.name]
    return tuple(
        _task(each, tasks, candidate, prompt) for candidate, prompt in zip(each.candidates, each.prompts, strict=True)
    )


def _task(each: SetTasks, tasks: TaskSet, candidate: Candidate, prompt: Prompt) -> TaskPlan:
    material = candidate.material
    assert material is not None  # a kept candidate has its material; the selection refuses any other
    fixture = own_fixture(candidate)
    return TaskPlan(
        id=candidate.id,
        set=each.selected.name,
        oracle=_oracle_name(each, candidate) if tasks.oracle.from_ == "task" else each.selected.name,
        given=material.given,
        held_out=material.held_out,
        prompt=prompt.digest,
        tests=material.tests,
        reference=material.reference,
        answer=material.answer,
        gold_files=candidate.gold_files,
        requires=candidate.requires,
        environment=chosen(tasks.environment) if tasks.environment else None,
        limits=own_limits(candidate),
        steps=prompt.steps,
        fixture=None if fixture is None else digest(fixture.data),
        private=_private(tasks, candidate),
    )


def _private(tasks: TaskSet, candidate: Candidate) -> PrivatePlan | None:
    env = private_env(tasks.source)
    if env is None or candidate.private is None:
        return None
    return PrivatePlan(store_env=env, record=candidate.private)


def _oracles(spec: Spec, each: SetTasks) -> Iterator[tuple[str, OraclePlan]]:
    """Give a set's oracle by its name, or each drawn task's own."""
    oracle = spec.tasks[each.selected.name].oracle
    if oracle.from_ != "task":
        yield each.selected.name, _oracle(oracle)
        return
    for candidate in each.candidates:
        yield _oracle_name(each, candidate), own_oracle(candidate)


def _oracle_name(each: SetTasks, candidate: Candidate) -> str:
    return f"{each.selected.name}/{candidate.id}"


def _oracle(oracle: Oracle) -> OraclePlan:
    return OraclePlan(
        checks={
            name: check.text if isinstance(check, Expression) else chosen(check)
            for name, check in sorted(oracle.checks.items())
        },
        passes=tuple(each.text for each in oracle.pass_),
        partial=tuple(each.text for each in oracle.partial),
    )


def _collect(spec: Spec) -> dict[str, CollectPlan]:
    return {
        name: CollectPlan(
            file=each.file,
            path=each.path,
            type=each.type,
            lines=each.lines,
            where={path: each.where[path] for path in sorted(each.where)},
        )
        for name, each in sorted(spec.collect.items())
    }


def _repairs(spec: Spec, inputs: Mapping[str, bytes]) -> RepairsPlan | None:
    said = spec.trials.repairs
    return None if said is None else RepairsPlan(at_most=said.at_most, say=digest(inputs[said.say]))


def _files(spec: Spec, inputs: Mapping[str, bytes]) -> dict[str, str]:
    """Give the digests of the files that providers write, by their name in the spec."""
    names = {name for arm in spec.arms.values() for name in provider_files(arm.provider)}
    return {name: digest(inputs[name]) for name in sorted(names)}


def _facts(spec: Spec, name: str, candidate: Candidate) -> TaskFacts:
    facts = candidate_facts(candidate)
    return TaskFacts(
        id=candidate.id,
        set=name,
        use=spec.tasks[name].use,
        category=candidate.category,
        facts=read_facts(spec, spec.tasks[name].source.kind, facts),
        predates=predated_models(spec, candidate),
        limits=own_limits(candidate),
    )


def _selection(spec: Spec, each: SetTasks) -> Plain:
    """Say how one set's tasks were chosen, in counts and ids, so that a report needs no pool."""
    excluded, gated = each.excluded, each.selected.gated
    said = spec.tasks[each.selected.name].exclusions
    reasons = said.reasons if said else {}
    return {
        "found": each.selected.found,
        "dropped": dict(each.selected.dropped),
        "eligible": len(each.selected.eligible),
        "gated": {task: gated[task].code for task in sorted(gated)},
        "excluded": {key: sum(reason == key for reason in excluded.values()) for key in sorted(reasons)},
        "excluded_tasks": dict(excluded),
        "reasons": {key: reasons[key] for key in sorted(reasons)},
        **({"burned": dict(each.burned)} if each.burned else {}),
        "passed": dict(each.drawn.passed),
        "order": list(each.drawn.order),
        "drawn": list(each.drawn.taken),
        "disjoint_from": list(spec.tasks[each.selected.name].disjoint_from),
    }


def _map(value: Plain) -> dict[str, Plain]:
    assert isinstance(value, Mapping)
    return dict(value)
