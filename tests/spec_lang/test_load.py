"""Loading: a file becomes the nouns of the model, with nothing lost and every key path found again."""

from dataclasses import fields, is_dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from spec_lang.expr.ast import Expression
from spec_lang.load import Loaded, load, read_source
from spec_lang.model import Choice
from spec_lang.quantity import Quantity

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture(scope="module")
def outcome() -> Loaded:
    return load(read_source(FIXTURES / "task_outcome.yaml"))


def test_nouns(outcome: Loaded) -> None:
    spec, tasks = outcome.spec, outcome.spec.tasks["fixes"]
    assert (spec.prereg, spec.id, spec.stage) == (1, "neuralmind-task-outcome", "pilot")
    assert spec.agent.limits.time.base == 1200
    assert spec.agent.limits.turns == 60
    assert spec.agent.options == {"run": ["claude", "--print", "{prompt}", "--model", "{model}"]}
    assert tasks.source.options["tests"] == {
        "run": ["python", "-m", "pytest"],
        "report": "pytest-plugin",
        "timeout": 600,
        "each_timeout": 60,
    }
    assert tasks.draw.shuffle == Choice(kind="python-random-v1", options={"seed": 20261014})
    assert tasks.draw.take == 20
    assert [each.text for each in tasks.oracle.pass_] == ["fixed.ok", "kept.ok"]
    assert spec.arms["baseline"].provider == Choice(kind="none")
    assert spec.arms["neuralmind"].expect == {"mcp_servers": ["neuralmind"]}
    assert spec.endpoints["solved"].interval == Choice(kind="newcombe-paired", options={"level": Decimal("0.95")})
    assert spec.missing.rules[0].value is not None
    assert {name: each.text for name, each in spec.missing.rules[0].value.items()} == {
        "solved": "false",
        "cost": "limits.cost",
    }
    assert spec.sample_size.next is not None
    assert spec.sample_size.next.effect.base == Decimal("0.15")


def test_defaults() -> None:
    spec = load(read_source(FIXTURES / "minimal.yaml")).spec
    assert spec.tasks["fixes"].stability.harvests == 2
    assert spec.tasks["fixes"].draw.take == "all"
    assert spec.missing.rules == ()
    assert spec.arms["reference"].provider == Choice(kind="none")


def test_only_plain_nouns(outcome: Loaded) -> None:
    """Nothing of the library that parsed it is left inside."""

    def walk(value: object) -> None:
        if isinstance(value, Expression | Quantity):
            return
        if is_dataclass(value):
            for each in fields(value):
                walk(getattr(value, each.name))
        elif isinstance(value, dict):
            for key, each in value.items():
                assert type(key) is str
                walk(each)
        elif isinstance(value, list | tuple):
            for each in value:
                walk(each)
        else:
            assert type(value) in (str, int, bool, Decimal, type(None)), value

    walk(outcome.spec)


def test_spans(outcome: Loaded) -> None:
    spans = outcome.spans
    line = outcome.source.text.split("\n").index("    - cost.p < 0.05") + 1
    assert (
        spans.at("decision", "supported_when", 0).start.line,
        spans.at("decision", "supported_when", 0).start.column,
    ) == (line, 7)
    assert outcome.source.line(spans.key("decision", "supported_when").start.line).strip() == "supported_when:"
    assert spans.at("decision", "supported_when") == spans.key("decision", "supported_when")
    assert spans.at("agent", "limits", "memory") == spans.at("agent", "limits")
    assert spans.key("agent", "limits", "memory") == spans.key("agent", "limits")
    assert spans.at("nowhere").start.line == 1


def test_meaning_does_not_depend_on_places(outcome: Loaded) -> None:
    text = outcome.source.text.replace("prereg: 1\n", "# moved\n\nprereg: 1\n").replace(
        "cost.p < 0.05", "cost.p   <  0.05"
    )
    source = type(outcome.source)(name="other.yaml", text=text)
    assert load(source).spec == outcome.spec
