"""Turns what was observed of an attempt into the one record that the ledger keeps of it, by the registered rules."""

from collections.abc import Iterator, Mapping

from executor.attempt import Observed, TrialOrder
from executor.history import WORLD
from executor.measures import check_facts
from executor.ports import Rules
from executor.versions import differing
from ledger.codec import decimal_text
from ledger.plain import Plain
from ledger.records import Deviation, Infrastructure, InvalidEnvironment, Outcome, Verdict


def settle(
    order: TrialOrder,
    observed: Observed,
    rules: Rules,
    earlier: Mapping[str, str] | None,
    *,
    simulated: bool,
    machine: str,
) -> Outcome | Infrastructure | InvalidEnvironment:
    """Judge an attempt: an invalid environment is never scored; a matching rule that asks for a retry is no outcome; the rest is one.

    ``earlier`` are the versions of this arm's first outcome; an attempt with others is an invalid environment.
    """
    before, after = differing(earlier or {}, observed.versions)
    if before:
        detail = "its programs are not those of the arm's earlier attempts"
        return _invalid(order, observed, rules, detail, {"versions": before}, {"versions": after})
    if observed.kind == "invalid":
        return _invalid(order, observed, rules, observed.detail, observed.expected, observed.got)
    if observed.kind == "failed" and observed.ended is None:
        return _lost(order, observed, WORLD)  # no agent came to an end: no registered rule can speak of it
    verdict = _verdict(order, observed, rules)
    matched = rules.retry(facts(order, observed, verdict))
    if matched is not None and observed.kind != "skipped":  # another attempt would find the same programs missing
        return _lost(order, observed, matched[0])
    if observed.kind == "failed" or verdict is None:
        return _lost(order, observed, WORLD)
    assert observed.ended is not None
    return Outcome(
        trial=order.trial.id,
        attempt=order.attempt,
        task=order.trial.task,
        arm=order.trial.arm,
        seed=order.trial.seed,
        verdict=verdict,
        ended=observed.ended,
        measures=observed.measures,
        reasons=observed.reasons,
        checks=observed.checks,
        versions=observed.versions,
        blobs=observed.blobs,
        machine=machine,
        simulated=simulated,
    )


def facts(order: TrialOrder, observed: Observed, verdict: Verdict | None) -> dict[str, Plain]:
    """Give what registered rules read of an attempt; None is unknown."""
    limits = order.arm.agent.limits
    return {
        **observed.measures,
        "verdict": verdict,
        "judgment": "unjudged",
        "stop": observed.ended,
        "arm": order.arm.said,
        "task": order.trial.task,
        "seed": order.trial.seed,
        "limits.time": decimal_text(limits.time_s),
        "limits.cost": None if limits.cost_usd is None else decimal_text(limits.cost_usd),
        "limits.turns": limits.turns,
    }


def deviation_of(observed: Observed) -> Iterator[Deviation]:
    """Give what was not as planned and changes no outcome; a run notes each once."""
    if observed.copied is not None:
        yield Deviation(what="workspaces are copies, no overlay mounts", reason=observed.copied)


def deviated(record: InvalidEnvironment, arm: str) -> Deviation:
    """Give the deviation that a tool's change under the run is: the attempt is void, and so is every matrix that would mix the two."""
    return Deviation(
        what=f"a tool of {arm} changed within the run, at attempt {record.attempt} of {record.trial}",
        reason=f"{_versions(record.expected)} became {_versions(record.got)}; nothing more was started with it",
    )


def _versions(said: Mapping[str, Plain]) -> str:
    found = said.get("versions")
    return ", ".join(f"{name} {each}" for name, each in found.items()) if isinstance(found, Mapping) else "unknown"


def _verdict(order: TrialOrder, observed: Observed, rules: Rules) -> Verdict | None:
    if observed.kind == "skipped":
        return "skipped"
    if observed.kind != "graded":
        return None
    return rules.verdict(order.task.oracle, check_facts(observed.checks))


def _lost(order: TrialOrder, observed: Observed, rule: str) -> Infrastructure:
    return Infrastructure(
        trial=order.trial.id,
        attempt=order.attempt,
        rule=rule,
        step=observed.step,
        detail=observed.detail or f"the registered rule {rule} asks for another attempt",
        ended=observed.ended,
        measures=observed.measures,
        reasons=observed.reasons,
        versions=observed.versions,
        blobs=observed.blobs,
    )


def _invalid(
    order: TrialOrder,
    observed: Observed,
    rules: Rules,
    detail: str,
    expected: Mapping[str, Plain],
    got: Mapping[str, Plain],
) -> InvalidEnvironment:
    measures = {**observed.measures, "environment_ok": False}
    matched = rules.retry({**facts(order, observed, None), "environment_ok": False})
    return InvalidEnvironment(
        trial=order.trial.id,
        attempt=order.attempt,
        detail=detail,
        rule=None if matched is None else matched[0],
        expected=expected,
        got=got,
        measures=measures,
        versions=observed.versions,
        blobs=observed.blobs,
    )
