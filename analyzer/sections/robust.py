"""How sturdy the verdict is: against its missing data, against the seed of its intervals, against unequal failures."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.document import Facts
from analyzer.fragility import Fragility, fragility
from analyzer.missing import Settled
from analyzer.page import Cell, Section, Table, cells, code, number, table
from analyzer.rates import side_by_side
from analyzer.sensitivity import MOST_TRIALS, read_names, scenarios, touched
from analyzer.wording import STATUS, amount, plural, probability


def robust(facts: Facts) -> Section:
    """Show three ways in which the result could hang on something that nobody meant to decide it."""
    weighed = list(_weighed(facts))
    return Section(
        id="robust",
        title="How sturdy this is",
        points=tuple(_remarks(weighed)),
        tables=(_missing(facts), _seeds(weighed), _balance(facts)),
    )


def _missing(facts: Facts) -> Table:
    verdict = facts.document.verdict
    trials = touched(facts.settled, read_names(facts.document.plan))
    rows = [cells("as registered", STATUS[verdict.status], "")]
    if len(facts.settled) > MOST_TRIALS and trials:
        rows.append(cells("worst cases", "not worked out", f"more than {MOST_TRIALS} trials"))
    for each in scenarios(facts.document.plan, facts.settled):
        turned = each.status != verdict.status
        rows.append(
            cells(
                f"everything missing against {each.against}",
                Cell(text=STATUS[each.status], tone="bad" if turned else ""),
                "the verdict hangs on what is missing" if turned else "the same verdict",
            )
        )
    if not trials:
        rows.append(cells("worst cases", STATUS[verdict.status], "nothing is missing"))
    return table(
        f"Missing data: {plural(len(trials), 'trial')} decided by a rule or unknown, taken as badly as any trial for one arm "
        "and as well as any for the others",
        ("if", "the verdict is", "so"),
        rows,
    )


def _weighed(facts: Facts) -> Iterator[Fragility]:
    verdict = facts.document.verdict
    for endpoint in facts.document.plan.endpoints:
        pairing = facts.pairings.get(endpoint.name)
        if pairing is None:
            continue
        conditions = (*verdict.decidable, *verdict.conditions)
        found = fragility(endpoint, pairing, verdict.endpoints[endpoint.name], conditions)
        if found is not None:
            yield found


def _seeds(weighed: list[Fragility]) -> Table:
    rows = []
    for each in weighed:

        def show(found: float, each: Fragility = each) -> str:
            return amount(found, each.unit, n=each.n, signed=True)

        seeded = " to ".join(map(show, each.seeded))
        if each.ideal is None or each.lower is None or each.upper is None:
            rows.append((code(each.endpoint), number(seeded), number("none"), Cell(text=each.why), Cell(text="")))
            continue
        bands = [show(low) if low == high else f"{show(low)} … {show(high)}" for low, high in (each.lower, each.upper)]
        rows.append(
            (
                code(each.endpoint),
                number(seeded),
                number(" to ".join(map(show, each.ideal))),
                Cell(text=f"lower {bands[0]}; upper {bands[1]}" if each.fragile else "the same ends"),
                Cell(text="; ".join(each.flips) or "none", tone="bad" if each.flips else ""),
            )
        )
    return table(
        "Seeded intervals beside the exact law of infinitely many resamples, which has no seed",
        ("endpoint", "as seeded", "exact law", "other seeds may print", "conditions they could turn"),
        rows,
        empty="no interval of this run rests on a seed",
    )


def _balance(facts: Facts) -> Table:
    """Compare each arm with the baseline by the trials that failed for reasons other than the task, by Fisher's test."""
    rows = []
    for label, hit in (
        ("lost an attempt (infrastructure, environment, retry)", lambda each: bool(each.row.lost)),
        ("decided by a missing-data rule", lambda each: each.rule is not None),
        ("excluded", lambda each: each.fate == "excluded"),
        ("stopped at a limit or by an error", _stopped),
    ):
        counts = {arm: [0, 0] for arm in facts.document.plan.arms}
        for each in facts.settled:
            counts[each.row.trial.arm][0 if hit(each) else 1] += 1
        for baseline, *others in side_by_side(facts.document.plan):
            rows += [_imbalance(label, baseline, arm, counts) for arm in others]
    return table(
        "Imbalance between arms: Fisher's exact test over trials, as a warning light and not as evidence",
        ("trials that were", "of the baseline", "arm", "in that arm", "p"),
        rows,
        empty="there is one arm only",
    )


def _imbalance(label: str, baseline: str, arm: str, counts: Mapping[str, Sequence[int]]) -> tuple[Cell, ...]:
    import numpy as np  # noqa: PLC0415
    from scipy.stats import fisher_exact  # noqa: PLC0415  # scipy.stats takes most of a second to load

    p = float(fisher_exact(np.array([counts[baseline], counts[arm]])).pvalue)
    return cells(
        label,
        number(f"{counts[baseline][0]} of {sum(counts[baseline])} ({baseline})"),
        arm,
        number(f"{counts[arm][0]} of {sum(counts[arm])}"),
        Cell(text=probability(min(p, 1.0)), tone="bad" if p < 0.05 else "number"),
    )


def _stopped(each: Settled) -> bool:
    return each.row.outcome is not None and each.row.outcome.ended not in ("finished", "skipped")


def _remarks(weighed: list[Fragility]) -> Iterator[str]:
    for each in weighed:
        if each.flips:
            yield f"{each.endpoint}: another seed could turn {'; '.join(each.flips)}. The exact law has no seed: register that."
        elif each.fragile:
            yield f"{each.endpoint}: other seeds may print another end; no condition of the decision turns."
