"""The design and what became of it: changes, contamination, threats, limits of the claim, digests, the next run."""

from collections.abc import Iterator, Mapping

from analyzer.document import Facts
from analyzer.gather import used_up
from analyzer.page import Cell, Section, cells, code, number, table
from analyzer.verdict import Shown
from analyzer.wording import figure, plural
from ledger.plain import Plain
from ledger.records import Infrastructure


def changes(facts: Facts) -> Section:
    """Show registrations, deviations and peeks, also where there was none."""
    document, gathered = facts.document, facts.frame.gathered
    registrations = [
        cells(
            each.name + (" (carried out)" if each.name == document.registration else ""),
            each.registration.created_at_untrusted,
            each.registration.access,
            each.registration.reason or "first registration",
            "; ".join(map(str, each.registration.changes)) or "none",
        )
        for each in document.registrations
    ]
    return Section(
        id="changes",
        title="Changes, deviations and looks",
        lead=(_foreknowledge(document.plan.foreknowledge),),
        tables=(
            table(
                "Registrations, oldest first",
                ("registration", "at (as claimed)", "seen before it, at least", "reason", "what changed"),
                registrations,
                empty="none was given to this report",
            ),
            table(
                "Deviations from the plan",
                ("ledger line", "what", "reason"),
                [cells(number(str(line.seq)), each.what, each.reason) for line, each in gathered.deviations],
            ),
            table(
                "Trials that took more than one attempt: each is a deviation from one attempt a tool and task",
                ("trial", "attempt", "what came of it", "why"),
                list(_again(facts)),
                empty="none: every trial had its one attempt",
            ),
            table(
                "Runs of this experiment before this one; none is pooled with it",
                ("run", "carried out", "outcomes it had then", "last line of its ledger then"),
                [
                    cells(each.run, each.registration, number(str(each.outcomes)), code(each.head))
                    for each in (gathered.opened.earlier if gathered.opened else ())
                ],
            ),
            table(
                "Endpoints that were registered or changed after outcomes had been seen: post hoc",
                ("endpoint", "when, and on which observation"),
                [cells(code(name), why) for name, why in document.verdict.post_hoc.items()],
            ),
            table(
                "Looks at outcomes before the run was closed",
                ("ledger line", "at (as claimed)", "what was shown", "outcomes there were", "reason"),
                [
                    cells(number(str(line.seq)), line.at, each.what, number(str(each.outcomes)), each.reason)
                    for line, each in gathered.peeks
                ],
            ),
        ),
    )


def _again(facts: Facts) -> Iterator[tuple[Cell, ...]]:
    """Give the lost attempts of trials that were tried again: what the world or the environment did, and no verdict on the agent."""
    for row in facts.frame.rows:
        if row.attempts < 2:
            continue
        for each in row.lost:
            if used_up(each):
                came, why = "USED UP ITS LIMITS", f"rule {each.rule}: a retry of a result"
            elif isinstance(each, Infrastructure):
                came, why = "INFRASTRUCTURE", f"rule {each.rule}: {each.detail}"
            else:
                came, why = "INVALID ENVIRONMENT", each.detail
            yield cells(row.trial.id, number(str(each.attempt)), came, why)


def contamination(facts: Facts) -> Section:
    """Flag tasks that a model may have seen in training."""
    rows = [cells(task.id, ", ".join(task.predates)) for task in facts.document.plan.tasks if task.predates]
    return Section(
        id="contamination",
        title="Contamination",
        tables=(
            table(
                "Tasks whose solution may be in a model's training data",
                ("task", "models whose cut-off is not before it"),
                rows,
                empty="no task is flagged: each is dated after the cut-off of every model used, or no date or cut-off is known",
            ),
        ),
    )


def threats(facts: Facts) -> Section:
    """Repeat the threats that were stated up front."""
    return Section(id="threats", title="Threats to validity, stated beforehand", points=facts.document.plan.threats)


def limits(facts: Facts) -> Section:
    """Say what this run does not show, whatever its verdict."""
    return Section(id="limits", title="What this does not show", lead=(facts.document.plan.does_not_show,))


def provenance(facts: Facts) -> Section:
    """Name what everything was worked out from, and the command that does it again."""
    document, verdict = facts.document, facts.document.verdict
    rows = [
        ("spec.json", verdict.spec_digest),
        ("plan.json", verdict.plan_digest),
        ("ledger, last line before any analysis", verdict.ledger_head),
        ("verdict.json", document.verdict_digest),
        *((f"registration {each.name}", each.digest) for each in document.registrations),
    ]
    return Section(
        id="provenance",
        title="Digests, and how to derive this again",
        lead=(
            f"Experiment {document.experiment}, run {document.run}, registration {document.registration}.",
            "Evidence tier: none is claimed here. Times and proofs are unverified on this page; only prereg audit prints a tier.",
        ),
        tables=(
            table(
                "SHA-256 of what this report stands on",
                ("document", "digest"),
                [cells(name, code(each)) for name, each in rows],
            ),
        ),
        commands=(document.command,) if document.command else (),
    )


def next_run(facts: Facts) -> Section:
    """Size the next run from the spread of this one, by the registered formula."""
    sized = facts.document.verdict.sizing
    rationale = facts.document.plan.sample_size
    lead = [f"Rationale of this run's size: {rationale.get('rationale', 'not stated')}."]
    if rationale.get("statement"):
        lead.append(str(rationale["statement"]))
    if not sized:
        lead.append("No formula for a next run is registered.")
        return Section(id="next", title="Size of the next run", lead=tuple(lead))
    n = sized.get("n")
    said = plural(n, "task") if isinstance(n, int) else f"unknown: {sized.get('reason')}"
    if isinstance(n, int) and isinstance(floor := sized.get("floor"), int) and n < floor:
        said += f"; but below {floor} tasks the exact test cannot reach its level, so take {floor} at least"
    rows = [(name, _figure(sized.get(name))) for name in ("formula", "endpoint", "effect", "alpha", "power", "sigma")]
    lead.append(
        f"For the registered effect the next run needs {said}."
        if n is not None
        else f"How many tasks the next run needs is {said}."
    )
    return Section(
        id="next",
        title="Size of the next run",
        lead=tuple(lead),
        points=(
            "sigma is estimated from this run alone, and the number of tasks is no surer: prereg power says how far it may be off",
            "the next run takes new tasks, drawn by the same rule",
        ),
        tables=(table("How it is worked out", ("name", "value"), [cells(name, number(each)) for name, each in rows]),),
    )


def _foreknowledge(known: Mapping[str, Plain]) -> str:
    return f"Before registering: {known.get('access', 'not stated')}. {known.get('statement', '')}".strip()


def _figure(value: Shown) -> str:
    return figure(value) if isinstance(value, int | float) else "unknown" if value is None else str(value)
