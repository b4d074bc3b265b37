"""How sturdy the verdict is: against its missing data, against the seed of its intervals, against unequal failures."""

from collections.abc import Iterator, Sequence

from analyzer.document import Facts
from analyzer.fragility import Fragility
from analyzer.imbalance import Imbalance
from analyzer.page import Cell, Section, Table, cells, code, number, table
from analyzer.sensitivity import MOST_TRIALS, read_names, scenarios, touched
from analyzer.wording import STATUS, amount, plural, probability


def robust(facts: Facts) -> Section:
    """Show three ways in which the result could hang on something that nobody meant to decide it."""
    weighed = facts.weighed
    return Section(
        id="robust",
        title="How sturdy this is",
        lead=(
            "Does the result hang on what nobody meant to decide it: on missing data, on the seed of random draws, on failures of one arm?",
        ),
        points=tuple(_remarks(weighed)),
        tables=(_missing(facts), _seeds(weighed), _balance(facts)),
    )


def _missing(facts: Facts) -> Table:
    verdict = facts.document.verdict
    trials = touched(facts.settled, read_names(facts.document.plan))
    rows = [cells("as registered", STATUS[verdict.status], "")]
    if len(facts.settled) > MOST_TRIALS and trials:
        rows.append(cells("worst cases", "not worked out", f"more than {MOST_TRIALS} trials"))
    for each in scenarios(facts.document.plan, facts.settled, trials):
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


def _seeds(weighed: Sequence[Fragility]) -> Table:
    rows = []
    for each in weighed:

        def show(found: float, each: Fragility = each) -> str:
            return amount(found, each.unit, n=len(each.differences), signed=True)

        seeded = " to ".join(map(show, each.seeded))
        if each.lower is None or each.upper is None:
            rows.append((code(each.name), number(seeded), number("none"), Cell(text=each.why), Cell(text="")))
            continue
        law = Cell(text=f"none: {each.why}") if each.ideal is None else number(" to ".join(map(show, each.ideal)))
        bands = [show(low) if low == high else f"{show(low)} … {show(high)}" for low, high in (each.lower, each.upper)]
        rows.append(
            (
                code(each.name),
                number(seeded),
                law,
                Cell(text=f"lower {bands[0]}; upper {bands[1]}" if each.fragile else "the same ends"),
                Cell(text="; ".join(each.flips) or "none", tone="bad" if each.flips else ""),
            )
        )
    return table(
        "Seeded intervals beside the exact law of infinitely many resamples, which has no seed",
        ("endpoint", "as seeded", "exact law", "other seeds may print", "conditions they could turn"),
        rows,
        empty="no interval that was worked out rests on a seed",
    )


def _balance(facts: Facts) -> Table:
    """Compare each arm with the baseline by the trials that failed for reasons other than the task, by Fisher's test."""
    return table(
        "Imbalance between arms: Fisher's exact test over trials, as a warning light and not as evidence",
        ("trials that were", "of the baseline", "arm", "in that arm", "p"),
        [_imbalance(each) for each in facts.imbalances],
        empty="there is one arm only",
    )


def _imbalance(each: Imbalance) -> tuple[Cell, ...]:
    p = each.p
    return cells(
        each.label,
        number(f"{each.one[0]} of {sum(each.one)} ({each.baseline})"),
        each.arm,
        number(f"{each.other[0]} of {sum(each.other)}"),
        Cell(text=probability(p), tone="bad" if p < 0.05 else "number"),
    )


def _remarks(weighed: Sequence[Fragility]) -> Iterator[str]:
    for each in weighed:
        if each.flips:
            hint = "more resamples, or a bound that no end comes near, would not hang on it"
            yield f"{each.name}: another seed could turn {'; '.join(each.flips)}; {hint}."
        elif each.fragile:
            yield f"{each.name}: other seeds may print another end; no condition of the decision turns."
