"""Holds the programs of an arm against those of its earlier attempts: one run never mixes versions."""

from collections.abc import Mapping

from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

OF_ENVIRONMENT = ("python", "node", "environment")
"""Versions that belong to a task's environment, not to an arm: task sets may ask for several."""


def of_tool(name: str) -> bool:
    """Say whether an agent's own program, or the sandbox around it, has its version under this name; providers have theirs beside."""
    return name in ("agent", "sandbox") or name.startswith("program ")


def differing(earlier: Mapping[str, str], now: Mapping[str, str]) -> tuple[dict[str, Plain], dict[str, Plain]]:
    """Give (earlier, now) for each program that both name and that differs."""
    names = sorted(name for name in earlier if name in now and earlier[name] != now[name])
    return {name: earlier[name] for name in names}, {name: now[name] for name in names}


def mixed(arm: str, earlier: object, now: object) -> WorldFault:
    """Say that an arm's programs are not those of its earlier attempts (``versions-mixed``)."""
    return WorldFault(
        Fault(
            code="versions-mixed",
            what=f"the programs of {arm} are not those of earlier attempts of this run",
            expected=str(earlier),
            got=str(now),
            where=f"arms.{arm}",
            hint="install the earlier versions, or start a new run (--run NAME): one run never mixes versions",
        )
    )
