"""Every number again: the command that works each of them out without this page, and what comes out."""

from collections.abc import Callable, Iterator, Sequence

from analyzer.derivation import NUMBERS, Derivation
from analyzer.document import Facts
from analyzer.page import Section
from analyzer.rederive import endpoints
from analyzer.rederive_amounts import MOST_TRIALS, amounts, from_ledger
from analyzer.rederive_rates import next_size, rates, sturdiness

SOURCES: tuple[Callable[[Facts], Iterator[Derivation]], ...] = (endpoints, rates, sturdiness, amounts, next_size)
"""What numbers there are, in the order of the report."""


def derivations(facts: Facts) -> tuple[Derivation, ...]:
    """Gather every number that the calculator can give again."""
    return tuple(each for source in SOURCES for each in source(facts))


def again(run: str, found: Sequence[Derivation], facts: Facts) -> Section:
    """Print a command for every number of a run's report, after the one that works all of them out."""
    file, ledger = f"runs/{run}/{NUMBERS}", f"runs/{run}/ledger.jsonl"
    read = tuple(from_ledger(facts, ledger))
    large = f"The run has more than {MOST_TRIALS} trials: its spreads and sums have no line, and are worked out of {ledger}."
    return Section(
        id="again",
        title="Every number again",
        lead=(
            f"Each line of {file} is one number of this page with all that it is worked out from.",
            "The calculator needs nothing else of the run; that the lines come from the ledger is what prereg audit checks.",
            *((large,) if read else ()),
            "The commands are run in the folder of the experiment. Above each command stands what comes out of it, rounded.",
        ),
        commands=(
            f"# all of them\nprereg stat < {file}",
            *(each.command(file) for each in found),
            *read,
        ),
    )
