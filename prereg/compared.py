"""A comparison of runs as a JSON document and as text."""

from typing import Any

from analyzer.compare import Chance, Compared, Spread
from analyzer.rates import Tries
from analyzer.wording import SIMULATED, amount, figure, plural
from prereg.comparing import Comparison


def document(found: Comparison) -> dict[str, Any]:
    """Give ``compare --json``.

    ``{"one", "other", "simulated", "notes", "arms": {ARM: {"tasks", "solved": {"one", "other"}, "flips": {"count", "rate", "lower",
    "upper", "kappa", "tasks": [{"task", "one", "other", "ended"}]}, "disagreement": {"between": {"chance", "lower", "upper"},
    "within_one", "within_other"}, "measures": {NAME: {"unit", "n", "one", "other", "ratio": {"lower", "median", "upper"}, "widest":
    {"task", "one", "other"}}}, "left_out": {TASK: why}}}}``. What is not known is null.
    """
    one, other = found.labels
    return {
        "one": one,
        "other": other,
        "simulated": found.simulated,
        "notes": list(found.notes),
        "arms": {each.arm: _arm(each) for each in found.arms},
    }


def text(found: Comparison) -> str:
    """Say flips, disagreement and spread, arm by arm."""
    lines = [SIMULATED] if found.simulated else []
    lines.append(f"one: {found.labels[0]}    other: {found.labels[1]}")
    lines += found.notes
    for each in found.arms:
        lines += ["", *_told(each)]
    return "\n".join(lines)


def _arm(each: Compared) -> dict[str, Any]:
    agreed = each.agreed
    lower, upper = agreed.flip_wilson95 if agreed is not None else (None, None)
    return {
        "tasks": each.tasks,
        "solved": {"one": each.solved[0], "other": each.solved[1]},
        "flips": {
            "count": len(each.flips),
            "rate": None if agreed is None else agreed.flip_rate,
            "lower": lower,
            "upper": upper,
            "kappa": None if agreed is None else agreed.kappa,
            "tasks": [
                {"task": flip.task, "one": _of(flip.one), "other": _of(flip.other), "ended": list(flip.ended)}
                for flip in each.flips
            ],
        },
        "disagreement": {
            "between": _disagreement(each.between),
            "within_one": _disagreement(each.within[0]),
            "within_other": _disagreement(each.within[1]),
        },
        "measures": {name: _spread(spread) for name, spread in each.spreads.items()},
        "left_out": dict(each.left_out),
    }


def _disagreement(each: Chance | None) -> dict[str, Any] | None:
    if each is None:
        return None
    lower, upper = each.ends or (None, None)
    return {"chance": each.value, "lower": lower, "upper": upper}


def _spread(each: Spread) -> dict[str, Any]:
    ratio = None if each.ratios is None else dict(zip(("lower", "median", "upper"), each.ratios, strict=True))
    task, one, other = each.widest
    return {
        "unit": each.unit,
        "n": each.n,
        "one": each.one,
        "other": each.other,
        "ratio": ratio,
        "widest": {"task": task, "one": one, "other": other},
    }


def _of(each: Tries) -> dict[str, int]:
    return {"passed": each[0], "of": each[1]}


def _told(each: Compared) -> list[str]:
    lines = [f"{each.arm}: {plural(each.tasks, 'task')} compared, {each.solved[0]} and {each.solved[1]} solved"]
    if each.agreed is not None:
        lower, upper = each.agreed.flip_wilson95
        rate, low, high = (amount(share, "share", n=each.tasks) for share in (each.agreed.flip_rate, lower, upper))
        lines.append(f"  flips          {len(each.flips)} of {each.tasks}: {rate}, 95 % interval {low} to {high}")
        kappa = "none: neither side varies" if each.agreed.kappa is None else figure(each.agreed.kappa)
        lines.append(f"  kappa          {kappa}")
    for flip in each.flips:
        stopped = f" ({', '.join(flip.ended)})" if flip.ended else ""
        lines.append(
            f"    {flip.task}: {flip.one[0]} of {flip.one[1]}, then {flip.other[0]} of {flip.other[1]}{stopped}"
        )
    for name, chance in (("across", each.between), ("within one", each.within[0]), ("within other", each.within[1])):
        if chance is not None:
            shares = [amount(share, "share", n=each.tasks) for share in (chance.value, *(chance.ends or ()))]
            ends = f", 95 % interval {shares[1]} to {shares[2]}" if chance.ends else ""
            lines.append(f"  {name:<14} two runs of a task disagree with chance {shares[0]}{ends}")
    for name, spread in each.spreads.items():
        task, one, other = spread.widest
        part = f" (known on {spread.n} of {plural(each.tasks, 'task')})" if spread.n < each.tasks else ""
        lines.append(
            f"  {name:<14} median {amount(spread.one, spread.unit, n=9)}, then {amount(spread.other, spread.unit, n=9)}{part}; "
            f"widest {task}: {amount(one, spread.unit, n=9)}, then {amount(other, spread.unit, n=9)}"
        )
    lines += [f"  left out       {task}: {why}" for task, why in each.left_out.items()]
    return lines
