"""Node packages for tests: installed from the lock files of the fixtures into a cache outside of the clone, once from the network."""

import os
import shutil
from pathlib import Path

from compiler.plan import Chosen
from executor.environments import Environment, prepare
from ledger.errors import WorldFault
from tests.needs import require

FIXTURES = Path(__file__).parents[1] / "fixtures" / "node"


def cache() -> Path:
    """Where packages are kept between test runs."""
    usual = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "prereg-node"
    return Path(os.environ.get("PREREG_NODE", usual))


def asked(name: str, base: Path) -> Chosen:
    """Put a fixture's lock file beside a spec, and give the environment that names it."""
    for file in ("package.json", "package-lock.json"):
        shutil.copy(FIXTURES / name / file, base / file)
    return Chosen(kind="npm", options={"lock": "package-lock.json"})


def packages(name: str, base: Path) -> Environment:
    """Give the environment; where it can be had neither from the cache nor from a registry, the test is skipped with the reason."""
    chosen = asked(name, base)
    require(None if shutil.which("npm") else "there is no npm")
    try:
        return prepare(chosen, base=base, cache=cache())
    except WorldFault as fault:
        require(f"packages of the {name} fixture: {fault.reasons[0].what}")
        raise
