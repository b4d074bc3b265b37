"""Our own sandboxes run through the suites that sandboxes of others run through."""

import pytest

from executor.ports import Sandbox
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from prereg.conformance import isolation
from prereg.conformance import sandbox as suite
from tests.needs import require

BUBBLEWRAP = pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)


class TestSandbox(suite.TestSandbox):
    @pytest.fixture(params=[LocalSandbox, BUBBLEWRAP])
    def sandbox(self, request: pytest.FixtureRequest) -> Sandbox:
        made: Sandbox = request.param()
        require(made.unavailable())
        return made


class TestIsolation(isolation.TestIsolation):
    @pytest.fixture(params=[BUBBLEWRAP])
    def sandbox(self, request: pytest.FixtureRequest) -> Sandbox:
        made: Sandbox = request.param()
        require(made.unavailable())
        return made
