"""Our own agents run through the suite that agents of others run through."""

from collections.abc import Mapping
from typing import ClassVar

from executor.agents.claude_code import ClaudeCodeAgent
from executor.agents.codex import CodexAgent
from executor.agents.command import CommandAgent
from executor.agents.gemini_cli import GeminiCliAgent
from executor.agents.mini_swe_agent import MiniSweAgent
from executor.agents.scripted import NoopAgent, ReferenceAgent
from executor.agents.simulated import SimulatedAgent
from ledger.plain import Plain
from prereg.conformance.agent import AgentConformance

API: Mapping[str, Plain] = {"api": {"key_env": "SOME_KEY", "base_url_env": "SOME_URL"}, "network": "model"}


class TestCommand(AgentConformance):
    agent = CommandAgent
    options: ClassVar[Mapping[str, Plain]] = {"run": ["sh", "-c", "echo '{}'"]}
    offline = True


class TestNoop(AgentConformance):
    agent = NoopAgent
    offline = True


class TestReference(AgentConformance):
    agent = ReferenceAgent


class TestSimulated(AgentConformance):
    agent = SimulatedAgent
    options: ClassVar[Mapping[str, Plain]] = {"seed": 1, "profiles": {"arm": {"solve": "0.5"}}}


class TestClaudeCode(AgentConformance):
    agent = ClaudeCodeAgent
    options: ClassVar[Mapping[str, Plain]] = API
    model = "some-model"


class TestCodex(AgentConformance):
    agent = CodexAgent
    options: ClassVar[Mapping[str, Plain]] = API


class TestGeminiCli(AgentConformance):
    agent = GeminiCliAgent
    options: ClassVar[Mapping[str, Plain]] = API


class TestMiniSweAgent(AgentConformance):
    agent = MiniSweAgent
    options: ClassVar[Mapping[str, Plain]] = API
    model = "provider/model"
