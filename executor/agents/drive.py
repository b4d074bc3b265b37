"""Driving a coding agent's program: access to its service, its command line filled in, its run in the sandbox."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from compiler.plan import AgentPlan
from executor.agents.jobs import Ran, fill, inside, run_job
from executor.agents.outcome import Measure, Said
from executor.agents.programs import Program
from executor.agents.stream import part
from executor.ports import AgentOrder
from ledger.errors import Fault, WorldFault

REPORTED: frozenset[str] = frozenset(
    {
        "cost",
        "turns",
        "tokens",
        "input_tokens",
        "output_tokens",
        "cache_read",
        "cache_write",
        "tool_calls",
        "tool_errors",
        "calls_before_first_edit",
        "left_running",
    }
)
"""The trial facts that a coding agent's record gives."""
_MILLION = 1_000_000


def drive(order: AgentOrder, program: Program, argv: Sequence[str], env: Mapping[str, str]) -> Ran:
    """Run a program with ``{prompt}``, ``{model}`` and ``{home}`` filled in; its first word is the program's name.

    ``env`` are defaults: what the arm, its provider or the spec's credentials say goes before. Raises WorldFault.
    """
    filled = {
        "{prompt}": order.prompt,
        "{model}": order.agent.model or "",
        "{home}": inside(order, order.home),
    }
    rest = tuple(fill(each, filled) for each in argv[1:])
    settings = {name: fill(value, filled) for name, value in env.items() if name not in order.env}
    shown = replace(order, mounts=(*order.mounts, *program.mounts))
    return run_job(shown, (*program.argv, *rest), name="agent", env=settings)


def access(order: AgentOrder, *, key: str, base_url: str) -> dict[str, str]:
    """Give the variables by which an agent reaches its service, under the names that the agent reads.

    The spec names variables of the host (``api: {key_env, base_url_env}``); their values arrive in the order's environment and
    stand nowhere else. Raises WorldFault (``credentials``) for a named variable that the host does not have.
    """
    given: dict[str, str] = {}
    for option, name in (("key_env", key), ("base_url_env", base_url)):
        asked = part(order.agent.options, "api", option)
        if asked is None:
            continue
        if str(asked) not in order.env:
            what = f"the variable {asked}, which the spec names, is not set"
            hint = f"export {asked}=…, and run again"
            raise WorldFault(Fault(code="credentials", what=what, where=f"agent.api.{option}", hint=hint))
        given[name] = order.env[str(asked)]
    return given


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
