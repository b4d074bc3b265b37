"""Driving a coding agent's program: its conversation within one set of limits, its service and settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compiler.plan import AgentPlan
from executor.agents.jobs import Ran, fill, inside, run_job
from executor.agents.programs import Program
from executor.agents.stream import part
from executor.agents.watching import Shows
from executor.measures import REPORTED as ONLY_REPORTED
from executor.ports import AgentOrder
from executor.treatments import ModelAccess
from ledger.errors import Fault, WorldFault

REPORTED: frozenset[str] = frozenset(ONLY_REPORTED)
"""The trial facts that a coding agent's record gives."""
NO_COST: Mapping[str, str] = {"cost": "the agent states no cost; another route would give one (routes.cost)"}
"""Why an agent that knows no prices tells no cost."""


def drive(
    order: AgentOrder,
    program: Program,
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    name: str,
    shows: Shows | None = None,
) -> Ran:
    """Run a program with ``{prompt}``, ``{model}`` and ``{home}`` filled in; its first word is the program's name.

    ``env`` are defaults: what the arm or its provider says goes before. ``shows`` reads its stream, for a cancel. Raises WorldFault.
    """
    filled = {
        "{prompt}": order.prompt,
        "{model}": order.agent.model or "",
        "{home}": inside(order, order.home),
    }
    rest = tuple(fill(each, filled) for each in argv[1:])
    settings = {name: fill(value, filled) for name, value in env.items() if name not in order.env}
    shown = replace(order, mounts=(*order.mounts, *program.mounts))
    return run_job(shown, (*program.argv, *rest), name=name, env=settings, shows=shows)


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


def bytes_of(path: Path) -> bytes:
    """Give a file's bytes; nothing when it is not there, or is a link (what a program left in its home is not to be trusted)."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""
