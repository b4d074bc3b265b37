"""What people judged beside what the checks say: whether anything asks for it, where they disagree, what waits for it."""

from collections.abc import Iterator

from analyzer.frame import Frame, Row
from analyzer.reading import tree
from analyzer.wording import plural
from compiler.plan import AnalysisPlan
from spec_lang.expr.ast import reads


def asks(plan: AnalysisPlan) -> bool:
    """Say whether a measure, a rule or an endpoint reads what people judge."""
    texts = [*plan.measures.values(), *(rule.when for rule in plan.missing)]
    texts += [each.per_arm for each in plan.endpoints if each.per_arm is not None]
    return any("judgment" in reads(tree(text)) for text in texts) or any(
        each.measure == "judgment" for each in plan.endpoints
    )


def disagree(row: Row) -> bool:
    """Say whether a trial was judged a success and does not pass, or passes and was judged to be none."""
    judgment = row.facts.get("judgment")
    if row.outcome is None or judgment == "unjudged":
        return False
    return (judgment == "success") != (row.outcome.verdict == "pass")


def waiting(row: Row) -> bool:
    """Say whether a trial passes its checks and nobody judged it."""
    return row.outcome is not None and row.outcome.verdict == "pass" and row.facts.get("judgment") == "unjudged"


def judging(plan: AnalysisPlan, frame: Frame) -> Iterator[str]:
    """Say what a reader must know of the judgments: revised, late, against the checks, and those that are not there."""
    gathered = frame.gathered
    revised = sum(len(each) > 1 for each in gathered.judgments.values())
    if revised:
        yield f"{plural(revised, 'trial')} judged more than once; the last judgment counts, the report lists all"
    first = gathered.analyzed
    said = [line.seq for each in gathered.judgments.values() for line, _ in each]
    late = 0 if first is None else sum(seq > first for seq in said)
    if late:
        yield f"{plural(late, 'judgment')} of {len(said)} given after results had been analysed"
    against = sum(map(disagree, frame.rows))
    if against:
        yield f"checks and people disagree on {plural(against, 'trial')}; the report lists them"
    open_ = sum(map(waiting, frame.rows)) if asks(plan) else 0
    if open_:
        yield f"{plural(open_, 'trial')} pass their checks and nobody judged them; whether they are correct is unknown"
