"""Our own agents run through the suite that agents of others run through."""

from pathlib import Path

import pytest

from prereg.conformance.agent import TestAgent as Suite
from prereg.conformance.case_file import Case, read_case

FILES = sorted((Path(__file__).parent / "agents").glob("*.yaml"))


class TestOwnAgents(Suite):
    @pytest.fixture(params=FILES, ids=lambda file: file.stem)
    def case(self, request: pytest.FixtureRequest) -> Case:
        return read_case("agent", request.param.stem, request.param)
