"""Driving a coding agent's program: its conversation within one set of limits, its service, settings and prices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from compiler.plan import AgentPlan, LimitsPlan
from executor.agents.jobs import Ran, fill, inside, run_job
from executor.agents.outcome import Measure, Said, agent_end, conclude
from executor.agents.programs import Program
from executor.agents.stream import part
from executor.measures import REPORTED as ONLY_REPORTED
from executor.ports import AgentEnd, AgentOrder, JobEnd
from executor.treatments import ModelAccess
from executor.turns import Turn
from ledger.errors import Fault, WorldFault

REPORTED: frozenset[str] = frozenset(ONLY_REPORTED)
"""The trial facts that a coding agent's record gives."""
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What came of telling an agent one thing: what it said, how its program ended, and what is kept of it."""

    said: Said
    end: JobEnd
    artefacts: Mapping[str, Path]


Tell = Callable[[AgentOrder, Said | None, str], Told]
"""Tells an agent the order's prompt; with what it said before, where the conversation goes on, and a name for its output."""


def converse(order: AgentOrder, tell: Tell, *, cumulative: frozenset[str] = frozenset()) -> AgentEnd:
    """Tell an agent its prompt, then each further turn of its task once it has answered; all within the one set of limits.

    ``cumulative`` names what it counts on when a conversation is taken up again; all else adds up.
    """
    told: list[Told] = []
    for number, turn in enumerate((Turn(prompt=order.prompt), *order.turns)):
        agent = replace(order.agent, limits=_left(order, told, cumulative))
        asked = replace(order, prompt=turn.prompt, agent=agent, turns=order.turns[number:])
        told.append(tell(asked, told[-1].said if told else None, f"agent-{number + 1}" if number else "agent"))
        if conclude(told[-1].said, told[-1].end).ended != "finished":
            break
    last = told[-1]
    left_running = sum(each.end.left_running for each in told)
    kept = {
        name if number == 1 else f"{name}-{number}": path
        for number, each in enumerate(told, 1)
        for name, path in each.artefacts.items()
    }
    said = last.said if len(told) == 1 else _joined([each.said for each in told], cumulative)
    return agent_end(said, replace(last.end, left_running=left_running), kept)


def _joined(all_said: Sequence[Said], cumulative: frozenset[str]) -> Said:
    last = all_said[-1]
    measures = {name: _whole(name, all_said, cumulative) for name in last.measures}
    events = tuple(event for each in all_said for event in each.events)
    reasons = {name: why for each in all_said for name, why in each.reasons.items()}
    return replace(last, session=all_said[0].session, measures=measures, reasons=reasons, events=events)


def _whole(name: str, all_said: Sequence[Said], cumulative: frozenset[str]) -> Measure:
    """Give a measure of a whole conversation; one unknown part makes it unknown."""
    parts = [each.measures.get(name) for each in (all_said[-1:] if name in cumulative else all_said)]
    total: int | Decimal = 0
    for each in parts:
        if each is None:
            return None
        total += each
    return total


def _left(order: AgentOrder, told: Sequence[Told], cumulative: frozenset[str]) -> LimitsPlan:
    """Give what is left of the limits; each program counts from nothing, whatever it reports."""
    limits, said = order.agent.limits, [each.said for each in told]
    if not told:
        return limits
    time = limits.time_s - sum((each.end.seconds for each in told), Decimal(0))
    spent, used = _whole("cost", said, cumulative), _whole("turns", said, cumulative)
    cost = None if limits.cost_usd is None else max(limits.cost_usd - Decimal(spent or 0), Decimal("0.000001"))
    turns = None if limits.turns is None else max(limits.turns - int(used or 0), 1)
    return replace(limits, time_s=max(time, Decimal("0.001")), cost_usd=cost, turns=turns)


def drive(order: AgentOrder, program: Program, argv: Sequence[str], env: Mapping[str, str], *, name: str) -> Ran:
    """Run a program with ``{prompt}``, ``{model}`` and ``{home}`` filled in; its first word is the program's name.

    ``env`` are defaults: what the arm or its provider says goes before. Raises WorldFault.
    """
    filled = {
        "{prompt}": order.prompt,
        "{model}": order.agent.model or "",
        "{home}": inside(order, order.home),
    }
    rest = tuple(fill(each, filled) for each in argv[1:])
    settings = {name: fill(value, filled) for name, value in env.items() if name not in order.env}
    shown = replace(order, mounts=(*order.mounts, *program.mounts))
    return run_job(shown, (*program.argv, *rest), name=name, env=settings)


def expanded(line: Sequence[str], places: Mapping[str, Sequence[str]]) -> list[str]:
    """Put words into the places of a command line that stand for any number of them."""
    return [piece for each in line for piece in places.get(each, (each,))]


def credentials(order: AgentOrder, *, key: str, base_url: str) -> dict[str, str]:
    """Give the variables by which an agent reaches its service, under the names that the agent reads.

    The spec names variables of the host (``api: {key_env, base_url_env}``); their values arrive in the order's environment, or stay with
    the harness, whose proxy then is the service. Raises WorldFault (``credentials``) for a named variable that the host does not have.
    """
    given: dict[str, str] = {}
    for option, name in (("key_env", key), ("base_url_env", base_url)):
        asked = part(order.agent.options, "api", option)
        if option == "base_url_env" and order.model_url is not None:
            given[name] = order.model_url
            continue
        if asked is None:
            continue
        if str(asked) not in order.env:
            what = f"the variable {asked}, which the spec names, is not set"
            hint = f"export {asked}=…, and run again"
            raise WorldFault(Fault(code="credentials", what=what, where=f"agent.api.{option}", hint=hint))
        given[name] = order.env[str(asked)]
    return given


def model_access(
    agent: AgentPlan, url: str, *, header: str = "authorization", scheme: str = "Bearer "
) -> ModelAccess | None:
    """Say how the harness's proxy reaches the service; None when the spec names no key that the proxy could hold."""
    key, address = part(agent.options, "api", "key_env"), part(agent.options, "api", "base_url_env")
    if key is None:
        return None
    url_from = None if address is None else str(address)
    return ModelAccess(url=url, credential=str(key), header=header, scheme=scheme, url_from=url_from)


def laid_over(own: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Lay settings over others, key by key, at every depth."""
    whole = dict(own)
    for name, value in settings.items():
        below = whole.get(name)
        whole[name] = laid_over(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return whole


def leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Walk settings as dotted key → value."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def priced(agent: AgentPlan, measures: Mapping[str, Measure]) -> tuple[Decimal | None, str]:
    """Give (cost, why not) by the prices that the spec states, for a million tokens each; an agent that knows no prices has no other.

    ``input`` counts for ``input_tokens``, ``output`` for ``output_tokens``, ``cache_read`` and ``cache_write`` for theirs.
    """
    prices = part(agent.options, "prices")
    if not isinstance(prices, Mapping):
        return None, "the agent knows no prices, and the spec states none (agent.prices)"
    total = Decimal(0)
    for fact, name in _PRICES.items():
        used, price = measures.get(fact), prices.get(name)
        if used is None and fact != "cache_write":
            return None, f"{fact} is not known"
        if used:
            if price is None:
                return None, f"the spec states no price of {name} (agent.prices)"
            total += int(used) * Decimal(str(price)) / _MILLION
    return total, ""


def with_cost(said: Said, cost: Decimal | None, why: str) -> Said:
    """Add a cost, or why there is none."""
    reasons = {**said.reasons, "cost": why} if cost is None else said.reasons
    return replace(said, measures={**said.measures, "cost": cost}, reasons=reasons)


_PRICES: Mapping[str, str] = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read": "cache_read",
    "cache_write": "cache_write",
}


def bytes_of(path: Path) -> bytes:
    """Give a file's bytes; nothing when it is not there, or is a link (what a program left in its home is not to be trusted)."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""
