"""What every attempt used, lost ones among them, and what of it nobody knows: nothing unknown drops out of sight."""

from collections.abc import Iterator, Mapping, Sequence

from analyzer.accounting import Accounts, Total, cache_surprises
from analyzer.document import Facts
from analyzer.page import Cell, Section, cells, number, table
from analyzer.wording import amount, plural
from ledger.plain import Plain

USED: tuple[tuple[str, str, str], ...] = (
    ("cost", "cost", "USD"),
    ("time", "time", "s"),
    ("turns", "turns", ""),
    ("repairs", "repairs", ""),
    ("tool_calls", "calls of tools", ""),
    ("tool_errors", "of them failed", ""),
    ("input_tokens", "tokens read", ""),
    ("cache_read", "read from a cache", ""),
    ("cache_write", "written to a cache", ""),
    ("output_tokens", "tokens written", ""),
)
"""What is added up: fact, its heading, its unit."""


def accounting(facts: Facts) -> Section:
    """Add up per arm, and count what is missing, side by side."""
    accounts, plan = facts.accounts, facts.document.plan
    attempts = [attempt for arm in plan.arms for attempt in accounts.attempts[arm]]
    # Repairs stand there only where a spec allows them.
    used = [each for each in USED if any(each[0] in attempt for attempt in attempts)]
    return Section(
        id="accounting",
        title="What was used, and what is missing",
        lead=(
            "Every attempt counts here, those that were lost, retried or left out among them.",
            "An amount that is not known is in no sum: it is counted beside it.",
        ),
        tables=(
            table(
                "Used by all attempts of an arm",
                ("arm", "attempts", "lost or retried", *(heading for _, heading, _ in used), "share from a cache"),
                [_used(accounts, arm, used) for arm in plan.arms],
            ),
            table("Missing", ("arm", *_MISSING), [_missing(accounts, arm) for arm in plan.arms]),
        ),
        points=tuple(cache_notes(plan.cache, accounts)),
    )


def cache_notes(said: Mapping[str, Plain], accounts: Accounts) -> Iterator[str]:
    """Set what was intended of the provider's cache beside what was read from it."""
    if not said:
        return
    words = f" ({said['statement']})" if said.get("statement") else ""
    yield f"The cache was meant to be: {said['intended']}{words}. What was read from it is measured, and no state is assured."
    yield from cache_surprises(said, accounts)


def _used(accounts: Accounts, arm: str, used: Sequence[tuple[str, str, str]]) -> tuple[Cell, ...]:
    lost = sum(len(row.tries) for row in accounts.rows[arm])
    share, unknown = accounts.from_cache(arm)
    said = "unknown" if share is None else f"{float(share):.1%}"
    return cells(
        arm,
        number(str(len(accounts.attempts[arm]))),
        number(str(lost)),
        *(_sum(accounts.total(arm, name), unit) for name, _, unit in used),
        number(_with(said, unknown)),
    )


def _sum(found: Total, unit: str) -> Cell:
    if found.unknown == found.of:
        return number("unknown" if found.of else "none")
    return number(_with(amount(float(found.known), unit, n=found.of), found.unknown), float(found.known))


def _with(said: str, unknown: int) -> str:
    return f"{said} ({unknown} unknown)" if unknown and said != "unknown" else said


_MISSING = (
    "trials without an outcome",
    "unjudged",
    "of them pass their checks",
    "cost unknown",
    "usage unknown",
    "no cache split",
    "interrupted: no result event",
    "time unknown",
)
"""What can be missing: of trials, then of attempts."""


def _missing(accounts: Accounts, arm: str) -> tuple[Cell, ...]:
    rows, attempts = accounts.rows[arm], accounts.attempts[arm]
    trials, of = f" of {len(rows)}", f" of {plural(len(attempts), 'attempt')}"
    unjudged = [row for row in rows if row.facts.get("judgment") == "unjudged"]
    passing = sum(row.outcome is not None and row.outcome.verdict == "pass" for row in unjudged)
    told = accounts.told[arm]
    tokens = zip(told["input_tokens"], told["output_tokens"], strict=True)
    usage = sum(read is None or written is None for read, written in tokens)
    counts = (
        (sum(row.outcome is None for row in rows), trials),
        (len(unjudged), trials),
        (passing, ""),
        (accounts.total(arm, "cost").unknown, of),
        (usage, of),
        (accounts.total(arm, "cache_read").unknown, of),
        (sum(each is not True for each in told["result_event"]), of),
        (accounts.total(arm, "time").unknown, of),
    )
    return cells(arm, *(number(f"{count}{whole}") for count, whole in counts))
