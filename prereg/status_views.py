"""How far a run is, and what a look at its outcomes showed, as JSON documents and as tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from analyzer.interim import AMOUNTS, Average
from analyzer.wording import SIMULATED, UNKNOWN, amount, plural
from prereg.peeking import Looked
from prereg.status import Status
from prereg.tables import draw

_DECIDES_NOTHING = (
    "interim numbers: unpaired, no missing-data rule applied, no test and no interval; they decide nothing"
)


def status_json(found: Status) -> dict[str, Any]:
    """The counts of a run."""
    return found.document


def status_text(found: Status) -> str:
    """The counts of a run as a table: what it is, how far it has come, what its attempts came to, what stands beside."""
    told = found.document
    lost: Mapping[str, int] = told["lost_attempts"]
    rows: list[tuple[str, str]] = [
        ("run", f"{told['run']}, {told['state']}"),
        ("registration", told["registration"]),
        *([("agent", SIMULATED.partition(":")[0] + ": nothing of this is evidence")] if told["simulated"] else []),
        ("trials", _trials(told)),
        (
            "attempts",
            f"{told['attempts']}"
            + (f", {told['unfinished_attempts']} unfinished" if told["unfinished_attempts"] else ""),
        ),
        *([("lost attempts", ", ".join(f"{count} by {rule}" for rule, count in lost.items()))] if lost else []),
        ("deviations", str(told["deviations"] or "none")),
        ("looks at outcomes", plural(told["looks"], "look") + " before the close" if told["looks"] else "none"),
        ("analyzed", "yes" if told["analyzed"] else "no"),
        ("ledger", plural(told["lines"], "line") + _torn(told["torn_bytes"])),
        ("head", told["ledger_head"]),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    return draw(table)


def _trials(told: Mapping[str, Any]) -> str:
    said = f"{told['outcomes']} of {told['planned']} have an outcome"
    if told["remaining"]:
        said += f", {told['remaining']} to go"
    return said + (f", {plural(told['gaps'], 'gap')}" if told["gaps"] else "")


def _torn(size: int) -> str:
    return f", and {plural(size, 'byte')} of a line that was cut short" if size else ""


def looked_json(found: Looked) -> dict[str, Any]:
    """What was seen, and the line that remembers the look."""
    return {
        "run": found.run,
        "simulated": found.simulated,
        "outcomes": found.outcomes,
        "planned": found.planned,
        "arms": {name: asdict(each) for name, each in found.arms.items()},
        "looks": found.times,
        "recorded": {"line": found.line.seq, "at": found.line.at, "kind": found.line.kind},
    }


def looked_text(found: Looked) -> str:
    """What was seen, arm by arm, in one table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("so far")
    for arm in found.arms:
        table.add_column(arm, justify="right")
    for name, values in _rows(found):
        table.add_row(name, *values)
    said = [SIMULATED] if found.simulated else []
    return "\n".join([*said, draw(table), _DECIDES_NOTHING])


def looked_talk(found: Looked) -> Sequence[str]:
    """Say that the look stands in the ledger, and where it will be read."""
    line, seen = f"line {found.line.seq} of the ledger", plural(found.outcomes, "outcome")
    told = f"the {_ordinal(found.times)} before the close; every report of this run will say so"
    return (f"{line} remembers this look at {seen}, {told}",)


def _rows(found: Looked) -> Iterable[tuple[str, list[str]]]:
    arms = list(found.arms.values())
    yield "outcomes", [f"{each.outcomes} of {each.planned}" for each in arms]
    for verdict in arms[0].verdicts if arms else ():
        if any(each.verdicts[verdict] for each in arms):
            yield verdict, [str(each.verdicts[verdict]) for each in arms]
    for name in arms[0].measures if arms else ():
        told = [each.measures[name] for each in arms]
        if any(each.yes is not None for each in told):
            yield f"{name}, yes", [_yes(each) for each in told]
        elif any(each.mean is not None for each in told):
            unit = AMOUNTS.get(name, "")
            yield f"{name}, mean", [amount(each.mean, unit, n=9) for each in told]
            yield f"{name}, median", [amount(each.median, unit, n=9) for each in told]
            if any(each.known < arm.outcomes for each, arm in zip(told, arms, strict=True)):
                yield (
                    f"{name}, known of",
                    [f"{each.known} of {arm.outcomes}" for each, arm in zip(told, arms, strict=True)],
                )


def _yes(each: Average) -> str:
    return UNKNOWN if each.yes is None else f"{each.yes} of {each.known} known"


def _ordinal(number: int) -> str:
    word = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{word}"
