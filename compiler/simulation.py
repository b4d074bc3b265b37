"""Simulated trials: what one attempt of an arm with a given profile comes to, as a pure function of seed, trial and attempt.

The simulated agent and ``prereg simulate`` share it. Every random number is a SHA-256 of what it is for, so there is no
generator, no order and no state: the same trial comes out alike in any process, whatever ran before it.

The model. Each task has a difficulty, standard normal, which all arms and seeds share; each attempt has an effort of its
own. With the profile's ``within_task`` correlation r, a latent normal is √r·difficulty + √(1-r)·own: hard tasks are solved
less often and cost more in every arm, as in real paired data, while over many tasks the share that is solved (of attempts
neither lost nor late) and the medians stay what the profile says. Cost, time, turns and tool calls are lognormal around
their medians and share the effort.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from math import exp, sqrt
from statistics import NormalDist
from typing import Literal

from ledger.plain import Plain

DOMAIN = "prereg/simulation/v1"
"""Domain separation of the hashes; a change of the model is another version, since it changes every simulated trial."""

_NORMAL = NormalDist()
_COUNT_SPREAD = Decimal("0.3")
_SHARED_EFFORT = 0.9
"""Correlation of each measure with the effort of its attempt."""

_WIDE = Context(prec=400, rounding=ROUND_HALF_EVEN)
"""Room for any amount that a double holds: an extreme spread is the author's to judge, and no reason to fail."""

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?: (%|USD|s|min|h))?", re.ASCII)
_SCALES: Mapping[str, Mapping[str | None, Decimal]] = {
    "a share": {None: Decimal(1), "%": Decimal("0.01")},
    "an amount of USD": {None: Decimal(1), "USD": Decimal(1)},
    "a time": {None: Decimal(1), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600)},
    "a number": {None: Decimal(1)},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Lognormal:
    """A positive amount: its median, and ``spread``, the standard deviation of its natural logarithm."""

    median: Decimal
    spread: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What an arm's trials look like: shares in 0 … 1, cost in USD, time in s, medians of turns and tool calls.

    ``harness_failure``: attempts that end without a usable result. ``timeout``: attempts that run out of time.
    ``hooks``: attempts in which the arm's treatment ran. ``within_task``: correlation of trials of the same task.
    """

    solve: Decimal
    cost: Lognormal | None = None
    time: Lognormal = Lognormal(median=Decimal(120), spread=Decimal("0.4"))
    turns: int | None = None
    tool_calls: int | None = None
    harness_failure: Decimal = Decimal(0)
    timeout: Decimal = Decimal(0)
    hooks: Decimal = Decimal(1)
    touched_gold: Decimal | None = None
    within_task: Decimal = Decimal("0.5")


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedTrial:
    """What one attempt came to. None is unknown: the profile says nothing of it, or there was no result to say it.

    ``ended`` ``timeout``: ``time_s`` is what it would have taken, the limit is what it took. ``touched_gold`` follows
    ``solved`` where the profile gives no share of its own.
    """

    ended: Literal["finished", "timeout", "no-result"]
    result_event: bool
    terminal_reason: str | None
    solved: bool
    cost_usd: Decimal | None
    time_s: Decimal
    turns: int | None
    tool_calls: int | None
    calls_before_first_edit: int | None
    hooks_ran: bool
    touched_gold: bool


def sample(profile: Profile, *, seed: int, trial_id: str, attempt: int) -> SimulatedTrial:
    """Draw one attempt of a trial (``TASK/ARM/SEED``). The same arguments always give the same attempt."""
    task = trial_id.split("/", 1)[0]

    def chance(what: str) -> float:
        return _uniform(str(seed), trial_id, str(attempt), what)

    def normal(what: str, correlation: float, shared: float) -> float:
        own = _deviate(str(seed), trial_id, str(attempt), what)
        return sqrt(correlation) * shared + sqrt(1 - correlation) * own

    within = float(profile.within_task)
    difficulty = _deviate(str(seed), "task", task)
    effort = normal("effort", within, difficulty)

    def amount(what: str, like: Lognormal, places: str) -> Decimal:
        drawn = float(like.median) * exp(float(like.spread) * normal(what, _SHARED_EFFORT**2, effort))
        return Decimal(drawn).quantize(Decimal(places), context=_WIDE)

    def count(what: str, median: int | None) -> int | None:
        if median is None:
            return None
        return max(1, int(amount(what, Lognormal(median=Decimal(median), spread=_COUNT_SPREAD), "1")))

    lost = chance("harness failure") < profile.harness_failure
    api_error = lost and chance("kind of failure") < 0.5
    late = not lost and chance("timeout") < profile.timeout
    solved = not lost and not late and _below(normal("solve", within, difficulty), profile.solve)
    silent = lost and not api_error
    calls = count("tool calls", profile.tool_calls)
    gold = solved if profile.touched_gold is None else chance("gold") < profile.touched_gold
    return SimulatedTrial(
        ended="no-result" if silent else "timeout" if late else "finished",
        result_event=not silent and not late,
        terminal_reason="api_error" if api_error else None if silent or late else "completed",
        solved=solved,
        cost_usd=None if silent or late or profile.cost is None else amount("cost", profile.cost, "0.0001"),
        time_s=amount("time", profile.time, "0.001"),
        turns=None if silent or late else count("turns", profile.turns),
        tool_calls=calls,
        calls_before_first_edit=None if calls is None else int(calls * chance("first edit")),
        hooks_ran=chance("hooks") < profile.hooks,
        touched_gold=gold and not lost,
    )


def arm_profile(options: Mapping[str, Plain], arm: str) -> Profile:
    """Read an arm's profile from the options of a ``simulated`` agent (``{profiles: {ARM: {…}}, seed}``).

    Raises:
        ValueError: There is no profile of that arm, or ``read_profile`` refuses it.
    """
    profiles = options.get("profiles")
    found = profiles.get(arm) if isinstance(profiles, Mapping) else None
    if isinstance(found, Mapping):
        return read_profile(found, where=f"profiles.{arm}")
    raise ValueError(f"there is no profile of the arm {arm}")


def read_profile(options: Mapping[str, Plain], *, where: str = "profile") -> Profile:
    """Read a profile from plain settings; amounts as a spec writes them (``85 %``, ``0.42 USD``, ``3 min``) or bare.

    Raises:
        ValueError: An unknown or missing key, or a value that is no such amount; names its key path.
    """
    known = {each.name for each in fields(Profile)}
    for key in options:
        if key not in known:
            raise ValueError(f"{where} has no {key}; it has {', '.join(sorted(known))}")
    if "solve" not in options:
        raise ValueError(f"{where}.solve is missing")
    return Profile(**{key: _setting(key, value, f"{where}.{key}") for key, value in options.items()})  # type: ignore[arg-type]  # by key


def _setting(key: str, value: Plain, where: str) -> Decimal | Lognormal | int:
    if key in ("cost", "time"):
        return _lognormal(value, "an amount of USD" if key == "cost" else "a time", where)
    if key in ("turns", "tool_calls"):
        if type(value) is not int or value < 0:
            raise ValueError(f"{where} is a count, not {value!r}")
        return value
    share = _amount(value, "a share", where)
    if share > 1:
        raise ValueError(f"{where} is a share of at most 100 %, not {value!r}")
    return share


def _lognormal(value: Plain, kind: str, where: str) -> Lognormal:
    if not isinstance(value, Mapping):
        return Lognormal(median=_positive(value, kind, where))
    unknown = set(value) - {"median", "spread"}
    if unknown or "median" not in value:
        raise ValueError(f"{where} has a median and a spread, not {', '.join(sorted(value)) or 'nothing'}")
    spread = _amount(value.get("spread", 0), "a number", f"{where}.spread")
    return Lognormal(median=_positive(value["median"], kind, f"{where}.median"), spread=spread)


def _positive(value: Plain, kind: str, where: str) -> Decimal:
    found = _amount(value, kind, where)
    if found <= 0:
        raise ValueError(f"{where} is above 0, not {value!r}")
    return found


def _amount(value: Plain, kind: str, where: str) -> Decimal:
    match = _AMOUNT.fullmatch(str(value)) if isinstance(value, str) or type(value) is int else None
    if match is None or match[2] not in _SCALES[kind]:
        raise ValueError(f"{where} is {kind}, not {value!r}")
    return Decimal(match[1]) * _SCALES[kind][match[2]]


def _below(latent: float, share: Decimal) -> bool:
    """Say whether a standard normal falls into its lowest ``share``."""
    return share >= 1 or (share > 0 and latent < _NORMAL.inv_cdf(float(share)))


@lru_cache(maxsize=1 << 15)
def _deviate(*parts: str) -> float:
    """Give a standard normal of a name. What was drawn is remembered: worlds that are compared differ in profiles alone."""
    return _NORMAL.inv_cdf(_uniform(*parts))


@lru_cache(maxsize=1 << 15)
def _uniform(*parts: str) -> float:
    """Give a number strictly between 0 and 1, k·2^-52 + 2^-53, from the first 52 bits k of the SHA-256 of its name."""
    name = "\0".join((DOMAIN, *parts)).encode()
    return ((int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 12) + 0.5) / (1 << 52)
