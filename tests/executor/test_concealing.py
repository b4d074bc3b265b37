"""The ledger of a private task holds no sentence: what a failure, a foreign environment or an agent says goes to the store."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compiler.plan import AttemptRule, Chosen, PrivatePlan
from executor.ports import AgentEnd, AgentOrder
from executor.trees import pack
from executor.vault import Vault
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault
from ledger.records import Infrastructure, InvalidEnvironment, Outcome
from tests.executor.worlds import GIVEN, HELD_OUT, REFERENCE, TESTS, AnyAgent, World, arm, finished, mend, world

ENV = "PREREG_TEST_STORE"
SECRET = "tool.py"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    root = tmp_path / "store"
    root.mkdir()
    (root / "key").write_text("ab" * 32)
    monkeypatch.setenv(ENV, str(root))
    return Vault(ENV, root)


def hidden(made: World, store: Vault) -> World:
    """Make the tasks of a world private: their material lies in the store, and nowhere else."""
    blobs = store.blobs
    record = blobs.put(canonical({"gold_files": [SECRET]}))
    tasks = tuple(
        replace(
            task,
            given=blobs.put(pack(GIVEN)),
            held_out=blobs.put(pack(HELD_OUT)),
            tests=blobs.put(canonical(to_plain(TESTS))),
            reference=blobs.put(REFERENCE),
            prompt=blobs.put(b"Please mend tool.py."),
            gold_files=(),
            private=PrivatePlan(store_env=ENV, record=record),
        )
        for task in made.plan.tasks
    )
    made.plan = replace(made.plan, tasks=tasks)
    return made


def ledger_text(made: World) -> str:
    return (made.root / "run" / "ledger.jsonl").read_text()


def carried_out(root: Path, store: Vault, agent: AnyAgent, **more: Any) -> World:
    made = hidden(world(root / "world", agent=agent, arms=(arm("base", "any"),), **more), store)
    made.run()
    assert SECRET not in ledger_text(made)
    assert not (made.root / "blobs").exists()
    return made


def concealed(made: World, store: Vault, kind: type) -> bytes:
    (record,) = made.records(kind)
    return store.blobs.get(record.blobs["concealed"])


def test_an_outcome_keeps_its_amounts_and_its_artefacts_are_sealed(tmp_path: Path, store: Vault) -> None:
    made = carried_out(tmp_path, store, AnyAgent(act=mend))
    (outcome,) = made.records(Outcome)
    assert (outcome.verdict, outcome.measures["touched_gold"], outcome.measures["cost"]) == ("pass", True, "0.25")
    assert b"tool.py" in store.blobs.get(outcome.blobs["change"])
    assert store.blobs.get(outcome.blobs["answer"]) == b"done"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("api_error", "api_error"),
        (None, None),
        ("cannot open tool.py", None),
        ("tool.py", None),  # one word, and of the task
        ("tool", None),
        ("rate_limited", "rate_limited"),  # a registered rule asks for it
        ("rate", None),
    ],
)
def test_a_reason_for_stopping_is_told_when_it_is_a_known_one(
    tmp_path: Path, store: Vault, said: str | None, told: str | None
) -> None:
    made = hidden(world(tmp_path / "world", agent=AnyAgent(act=lambda _: {"terminal_reason": said}), rules=()), store)
    rule = AttemptRule(rule="limited", when='terminal_reason == "rate_limited" and stop == "error"', retry=1)
    made.plan = replace(made.plan, rules=(rule,))
    made.rules = replace(made.rules, asked=())
    made.run()
    for outcome in made.records(Outcome):
        assert outcome.measures["terminal_reason"] == told
        assert told is not None or outcome.reasons["terminal_reason"]
        if said is not None:
            assert said.encode() in store.blobs.get(outcome.blobs["concealed"])
    assert SECRET not in ledger_text(made)


def test_why_the_world_failed_is_kept_in_the_store(tmp_path: Path, store: Vault) -> None:
    def fail(_: AgentOrder) -> AgentEnd:
        raise WorldFault(Fault(code="disk", what="no room for tool.py"))

    made = hidden(world(tmp_path / "world", agent=AnyAgent(act=fail), arms=(arm("base", "any"),)), store)
    with pytest.raises(WorldFault) as caught:
        made.run()
    assert SECRET not in "".join(f"{each.what}{each.got}" for each in caught.value.reasons)
    assert SECRET not in ledger_text(made)
    first, *_ = made.records(Infrastructure)
    assert first.detail == "kept in the private store"
    assert b"no room for tool.py" in store.blobs.get(first.blobs["concealed"])


def test_a_foreign_environment_is_told_without_its_files(tmp_path: Path, store: Vault) -> None:
    setup = Chosen(kind="setup", options={"run": [["sh", "-c", "echo x > tool.py"]], "declares": ["notes"]})
    made = hidden(world(tmp_path / "world", arms=(arm("base", "any", provider=setup),)), store)
    made.rules = replace(made.rules, asked=())
    made.run()
    (record,) = made.records(InvalidEnvironment)
    assert dict(record.got) == {"files": "kept in the private store"}
    assert b"tool.py" in concealed(made, store, InvalidEnvironment)
    assert SECRET not in ledger_text(made)


def test_a_public_attempt_is_told_as_it_was(tmp_path: Path) -> None:
    made = world(
        tmp_path, agent=AnyAgent(act=lambda _: finished(terminal_reason="it said no")), arms=(arm("base", "any"),)
    )
    made.run()
    (outcome,) = made.records(Outcome)
    assert outcome.measures["terminal_reason"] == "it said no"
    assert "concealed" not in outcome.blobs
