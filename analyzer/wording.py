"""How numbers, verdicts and stages read on a page; where too few tasks carry no percentage, none is printed."""

from analyzer.verdict import Condition, Shown, Status, Verdict

CARRIES_PERCENT = 6
"""The fewest tasks for which a share is printed in percent; below it, counts only."""

STATUS: dict[Status, str] = {
    "supported": "SUPPORTED",
    "not_supported": "NOT SUPPORTED",
    "no_verdict": "NO VERDICT",
}

TOLD = 1e-300
"""Smaller probabilities are not told apart: doubles soon end."""

UNKNOWN = "unknown"
NONE = "none"
_FRACTION = " (fraction)"

STAGES = {
    "smoke": "SMOKE TEST: it checks that the harness works; its runs are pooled with nothing and are evidence of nothing",
    "pilot": "PILOT: it tries out the design and sizes the next run; it is not evidence for the claim",
    "exploratory": "EXPLORATORY: it looks for what to test next; it confirms nothing",
}
SIMULATED = "SIMULATED: the outcomes were made up by a simulated or scripted agent; they are evidence of nothing about any agent"


def banner(stage: str, *, simulated: bool) -> tuple[str, ...]:
    """Give the sentences that stand on every page; none for a confirmatory run of a real agent."""
    said = (SIMULATED,) if simulated else ()
    return (*said, STAGES[stage]) if stage in STAGES else said


SMOKE = "A smoke run decides nothing, whatever the conditions say: it checks that the harness works."
_NEVER = "false"
"""The condition by which the compiler keeps a smoke run from ever being decided."""


def never_decided(verdict: Verdict) -> bool:
    """Say whether a run is of the stage that decides nothing; ``SMOKE`` says so in words."""
    return verdict.stage == "smoke"


def decidable(verdict: Verdict) -> tuple[Condition, ...]:
    """Give the conditions that its author wrote for a verdict; what makes a smoke run undecidable is a sentence, and no condition."""
    return tuple(each for each in verdict.decidable if each.text != _NEVER or not never_decided(verdict))


def label(stage: str, *, simulated: bool) -> str:
    """Give the words that stand beside every verdict, such as ``SIMULATED PILOT``; empty for a confirmatory run."""
    return " ".join(each.partition(":")[0] for each in banner(stage, simulated=simulated))


def amount(value: Shown, unit: str, *, n: int, signed: bool = False) -> str:
    """Write an amount with its unit; a share of fewer than six tasks as a plain fraction of 1."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    sign = "+" if signed and value > 0 else ""
    if unit in ("share", "pp"):
        if n < CARRIES_PERCENT:
            return f"{sign}{figure(value)}{_FRACTION}"
        return f"{sign}{value * 100:.1f} {'pp' if unit == 'pp' else '%'}"
    return f"{sign}{figure(value)}{suffix(unit, value)}"


def tick(number: float, unit: str, *, n: int, signed: bool = False) -> str:
    """Write what stands at a mark of an axis: an amount, without the word for a fraction, which would run into the next one."""
    return amount(round(number, 9) + 0.0, unit, n=n, signed=signed).removesuffix(_FRACTION)


def suffix(unit: str, value: float) -> str:
    """Give what follows a number of a unit; counts and plain numbers have none."""
    if unit in ("", "number", "count", "bool", "value", "text"):
        return ""
    return f" {unit}{'s' if unit in ('turn', 'task', 'trial', 'token') and abs(value) != 1 else ''}"


def figure(value: float) -> str:
    """Write a number with four digits that matter, no exponent where a person would write none."""
    if isinstance(value, int) or value == int(value):
        return f"{value:.0f}" if abs(value) < 1e15 else f"{value:.4g}"
    if abs(value) < 1e-4:
        return f"{value:.2e}"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{float(f'{value:.4g}'):.10f}".rstrip("0").rstrip(".")


def probability(value: Shown) -> str:
    """Write a p-value: three digits that matter, never a zero; near the end of the doubles only that it lies below."""
    if not isinstance(value, int | float):
        return UNKNOWN
    if value < TOLD:
        return f"below {TOLD:g}"
    return "1" if value == 1 else f"{value:.3g}" if value >= 1e-4 else f"{value:.1e}"


def plural(number: int, noun: str, *, many: str | None = None) -> str:
    """Write a count with its noun; ``many`` where it takes more than an s."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"
