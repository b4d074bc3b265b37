"""What all tests share: hypothesis profiles, and the order in which several workers take them."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")

LONGEST = ("executor/agents", "e2e", "prereg", "executor", "browser", "analyzer")
"""Rooms whose tests take longest: workers begin with them, so that none is left alone with one at the end."""
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each worker of several take what lasts longest first; alone, tests run room by room."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        items.sort(key=lambda item: _place(item.path.relative_to(_HERE).parent.as_posix()))


def _place(folder: str) -> int:
    return next((at for at, room in enumerate(LONGEST) if f"{folder}/".startswith(f"{room}/")), len(LONGEST))


def pytest_collection_finish() -> None:
    """Set thousands of collected tests aside from the collector of garbage, which would look through them again and again."""
    gc.collect()
    gc.freeze()
