"""What the documents list is what the code declares, and every YAML block of the language reference is right."""

import re

import pytest

from compiler.checks.subject import Subject
from compiler.checks.suite import check_spec
from prereg.docs_pages import DOCS, TABLES, pages
from spec_lang.catalog import SOURCE_FACTS
from spec_lang.load import load
from spec_lang.text import source_of

LANGUAGE = (DOCS / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:<!-- (loads|fragment: [a-z_]+) -->\n)?```yaml\n(.*?)```", LANGUAGE, re.DOTALL)
WHOLE = next(text for mark, text in BLOCKS if mark == "loads")


@pytest.mark.parametrize("name", pages())
def test_is_fresh(name: str) -> None:
    file = DOCS / name
    assert file.read_text(encoding="utf-8") == pages()[name], "stale: run `python -m prereg.docs_pages`"


def test_every_code_that_the_source_gives_is_listed() -> None:
    folders = ("spec_lang", "compiler", "executor", "analyzer", "prereg")
    texts = [each.read_text("utf-8") for folder in folders for each in (DOCS.parent / folder).rglob("*.py")]
    given = {code for text in texts for code in re.findall(r'"(P[1-9][0-9]{2})"', text)}
    assert given - set(re.findall(r"`(P[0-9]+)`", pages()["diagnostics.md"])) == set()


def test_every_table_is_shown() -> None:
    assert set(re.findall(r"<!-- generated: ([a-z -]+) -->", LANGUAGE)) == set(TABLES)


def test_every_source_has_its_facts() -> None:
    assert {f"{kind} facts" for kind in SOURCE_FACTS} <= set(TABLES)


@pytest.mark.parametrize(("mark", "text"), BLOCKS)
def test_blocks_load(mark: str, text: str) -> None:
    if mark == "loads":
        loaded = load(source_of(text.encode(), "language.md"))
        assert [each for each in check_spec(Subject(loaded=loaded)) if each.severity == "error"] == []
        return
    section = mark.removeprefix("fragment: ")
    assert text.startswith(f"{section}:")
    whole = re.sub(rf"^{section}:.*?(?=^\S)", lambda _: text, WHOLE, flags=re.DOTALL | re.MULTILINE)
    whole = whole if text in whole else text + whole  # the whole specification need not have every section
    load(source_of(whole.encode(), "language.md"))
