"""The registered conditions as pure predicates over plain facts, to be handed down to code that may not know the language."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from compiler.facts import judge_conditions
from compiler.own_terms import own_oracle
from compiler.plan import Chosen, HarvestPlan, OraclePlan, RunPlan
from compiler.task import Candidate
from executor.keeping import Judged, Keep
from executor.ports import Rules
from ledger.errors import Fault, IntegrityFault
from ledger.plain import Plain
from spec_lang.diagnostics import SpecErrors
from spec_lang.expr.ast import Node
from spec_lang.expr.evaluate import evaluate
from spec_lang.expr.parse import parse
from spec_lang.expr.scope import Scope, oracle, trial
from spec_lang.expr.values import Value

UNKNOWN_FACT = "unknown-fact"
"""The code of a reason that says that a condition cannot be judged, not that it does not hold."""


def plan_rules(plan: RunPlan) -> Rules:
    """Give the rules of a run: the oracles' conditions and the missing-data rules that ask for a retry."""
    return PlanRules(plan=plan)


def own_verdict(candidate: Mapping[str, Plain], facts: Mapping[str, Plain]) -> Literal["pass", "partial", "fail"]:
    """Judge the checks of a task by the conditions that it brings along among its own facts."""
    return _judged(own_oracle(Candidate(id="", set="", status="kept", facts=candidate)), facts)


def keep_predicate(plan: HarvestPlan) -> Keep:
    """Give the selection rule of a harvest."""
    return Selection(plan=plan)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Says of a candidate's facts whether its set's conditions hold; what is absent is unknown."""

    plan: HarvestPlan

    def __call__(self, name: str, facts: Mapping[str, Plain]) -> Judged:
        """Judge one candidate of one set."""
        asked = next(each for each in self.plan.sets if each.name == name)
        reasons = judge_conditions(asked.where, asked.source.kind, facts)
        if not reasons:
            return Judged(holds=True)
        open_ = all(each.code == UNKNOWN_FACT for each in reasons)
        return Judged(holds=None if open_ else False, reasons=reasons)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanRules:
    """The rules of one run plan; plain data, so that it travels to a worker."""

    plan: RunPlan

    def verdict(self, oracle: str, facts: Mapping[str, Plain]) -> Literal["pass", "partial", "fail"]:
        """Judge the checks of one trial, given as ``CHECK.ok`` and ``CHECK.fact``; an unknown condition does not hold."""
        return _judged(self.plan.oracles[oracle], facts)

    def retry(self, facts: Mapping[str, Plain]) -> tuple[str, int] | None:
        """Give (rule, retries) when the first rule that matches the trial's facts asks for a retry, else None."""
        plan = self.plan
        collect = {name: each.type for name, each in plan.collect.items()}
        known = _read(trial(tuple(each.said for each in plan.arms), collect, {}), facts)
        # Every measure is written out over facts alone, so their order does not matter.
        known |= {name: evaluate(_tree(text), known) for name, text in plan.measures.items()}
        for rule in plan.rules:
            if evaluate(_tree(rule.when), known) is True:
                return None if rule.retry is None else (rule.rule, rule.retry)
        return None


def _judged(planned: OraclePlan, facts: Mapping[str, Plain]) -> Literal["pass", "partial", "fail"]:
    known = _read(_oracle_scope(planned), facts)
    for name, check in planned.checks.items():
        if isinstance(check, str):
            known[f"{name}.ok"] = evaluate(_tree(check), known)
    if all(evaluate(_tree(each), known) is True for each in planned.passes):
        return "pass"
    if planned.partial and all(evaluate(_tree(each), known) is True for each in planned.partial):
        return "partial"
    return "fail"


def _oracle_scope(planned: OraclePlan) -> Scope:
    return oracle(
        {name: each.kind if isinstance(each, Chosen) else "condition" for name, each in planned.checks.items()}
    )


def _read(scope: Scope, facts: Mapping[str, Plain]) -> dict[str, Value]:
    try:
        return dict(scope.read(facts))
    except ValueError as fault:
        # A grader or an agent gave a fact of another type than the catalogue says: never guessed at.
        raise IntegrityFault(Fault(code="fact", what=f"a fact is not of its declared type: {fault}")) from fault


@lru_cache(maxsize=4096)
def _tree(text: str) -> Node:
    try:
        return parse(text).tree
    except SpecErrors as fault:
        raise IntegrityFault(
            Fault(code="plan", what="the plan holds text that is no expression", got=text, where="plan.json: run")
        ) from fault
