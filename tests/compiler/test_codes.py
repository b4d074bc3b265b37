"""Every code of a diagnostic is declared once, beside what finds it, used, and shown to an author by some case."""

import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path

import compiler

ROOM = Path(compiler.__path__[0])
CASES = Path(__file__).parents[1] / "cases"


def declared() -> list[tuple[str, str]]:
    """All (module, code) pairs of the room."""
    names = [
        each.name for each in pkgutil.walk_packages(compiler.__path__, "compiler.") if not each.name.endswith(".suite")
    ]
    modules = [importlib.import_module(name) for name in names]
    return [(module.__name__, code) for module in modules for code in getattr(module, "CODES", {})]


def test_each_code_is_declared_once() -> None:
    assert [code for code, count in Counter(code for _, code in declared()).items() if count > 1] == []


def test_each_code_is_used_where_it_is_declared() -> None:
    unused = []
    for name, code in declared():
        path = ROOM.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if path.read_text("utf-8").count(f'"{code}"') < 2:
            unused.append((name, code))
    assert unused == []


def test_no_code_is_used_without_a_declaration() -> None:
    known = {code for _, code in declared()}
    used = {code for path in ROOM.rglob("*.py") for code in re.findall(r'"(P[34]\d\d)"', path.read_text("utf-8"))}
    assert used - known == set()


def test_each_check_is_shown_by_a_case() -> None:
    shown = {
        code for path in CASES.glob("compile_*.txt") for code in re.findall(r"\[(P[34]\d\d)\]", path.read_text("utf-8"))
    }
    unshown = {code for name, code in declared() if name.startswith("compiler.checks.")} - shown
    assert unshown == {"P370"}  # the schema sees most dates that are none before this check does
