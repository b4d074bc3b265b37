"""What a prompt must not say of a fix, and what it may."""

import pytest

from compiler.giveaways import first_given, giveaways
from compiler.task import Candidate

FIX = Candidate(
    id="t",
    set="fixes",
    status="kept",
    facts={
        "changed": [
            {"path": "src/neuralmind/graph_store.py", "status": "M"},
            {"path": "src/neuralmind/core.py", "status": "M"},
            {"path": "src/neuralmind/cli/__init__.py", "status": "M"},
            {"path": "tests/test_graph.py", "status": "M"},
            {"path": "web/padLeft.ts", "status": "A"},
            {"path": "Makefile", "status": "M"},
        ],
        "fail_to_pass": [
            "tests/test_graph.py::TestGraph::test_edges_survive[a-b]",
            "tests.test_cli.Case.test_help_is_short",
        ],
    },
    gold_files=("src/neuralmind/graph_store.py",),
    gold_symbols=("GraphStore.keep_edges", "keep_edges", "close", "Edge"),
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("see src/neuralmind/graph_store.py please", "src/neuralmind/graph_store.py"),
        ("see ./src/neuralmind/graph_store.py:12", "src/neuralmind/graph_store.py"),
        ("see SRC\\NeuralMind\\graph_store.py", "SRC\\NeuralMind\\graph_store.py"),
        ("in src/neuralmind/graph_store something", "src/neuralmind/graph_store"),
        ("the file graph_store.py is wrong", "graph_store.py"),
        ("graph_store is wrong", "graph_store"),
        ("import neuralmind.graph_store fails", "neuralmind.graph_store"),
        ("neuralmind.core is slow", "neuralmind.core"),
        ("core.py is slow", "core.py"),
        ("the module `core` is slow", "`core`"),
        ("neuralmind.cli prints twice", "neuralmind.cli"),
        ("src/neuralmind/cli/__init__.py", "src/neuralmind/cli/__init__.py"),
        ("test_graph fails", "test_graph"),
        ("test_edges_survive fails", "test_edges_survive"),
        ("test_help_is_short fails", "test_help_is_short"),
        ("padLeft.ts adds too much", "padLeft.ts"),
        ("padLeft adds too much", "padLeft"),
        ("the Makefile is broken", "Makefile"),
        ("there should be keep_edges", "keep_edges"),
        ("GraphStore.keep_edges is missing", "GraphStore.keep_edges"),
        ("calling close() twice fails", "close("),
        ("store.close fails", ".close"),
        ("`close` fails", "`close`"),
        ("`with Edge as x` fails", "`with Edge as x`"),
    ],
)
def test_gives_away(text: str, said: str) -> None:
    given = first_given(text, giveaways(FIX, ("gold-file", "gold-symbol")))
    assert given is not None
    assert text[given.start : given.end] == said


@pytest.mark.parametrize(
    "text",
    [
        "the core of the problem is that edges vanish",
        "close the window and the graph is gone",
        "an Edge case: empty graphs",
        "the graph store loses edges",
        "my_graph_store_copy is mine",
        "the index page is empty",
        "cli users see nothing",
    ],
)
def test_ordinary_words_may_be_said(text: str) -> None:
    assert first_given(text, giveaways(FIX, ("gold-file", "gold-symbol"))) is None


def test_only_what_the_spec_refuses_is_refused() -> None:
    assert giveaways(FIX, ()) == ()
    assert first_given("keep_edges", giveaways(FIX, ("gold-file",))) is None
    assert first_given("graph_store.py", giveaways(FIX, ("gold-symbol",))) is None
