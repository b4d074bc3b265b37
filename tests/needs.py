"""Components that must be there under CI and may be absent elsewhere."""

import os

import pytest


def require(missing: str | None) -> None:
    """Skip when a component is missing (``missing`` says why); under CI=true nothing skips, so fail instead."""
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"required under CI: {missing}")
    pytest.skip(missing)
