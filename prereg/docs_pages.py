"""The pages and tables of ``docs/`` that list what the code declares: diagnostics, builtins, facts, kinds, units.

``python -m prereg.docs_pages`` rewrites them in a source checkout; a test fails when one is stale.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from compiler import (
    amend,
    assumptions,
    burned,
    design,
    disjoint,
    draw,
    exclusions,
    inputs,
    leakage,
    overhead,
    pipeline,
    prices,
    prompts,
    rehearsed,
    same_task,
    selection,
    sets,
    taking,
)
from compiler.checks import suite
from prereg import current, freshness, harvesting, judgments, locking, powering, stores, task_files
from spec_lang import catalog
from spec_lang.codes import CODES_BY_MODULE, collected
from spec_lang.expr import builtins
from spec_lang.kinds import KINDS, Kind
from spec_lang.quantity import UNITS

DOCS = Path(__file__).parents[1] / "docs"

_COMPILER = (
    exclusions,
    disjoint,
    inputs,
    prompts,
    leakage,
    draw,
    sets,
    amend,
    overhead,
    pipeline,
    prices,
    selection,
    assumptions,
    burned,
    design,
    rehearsed,
    same_task,
    taking,
)
_VERBS = (current, freshness, harvesting, judgments, locking, powering, stores, task_files)
_RANGES: tuple[tuple[str, str], ...] = (
    ("P1", "Text and YAML"),
    ("P2", "Shape and expressions"),
    ("P3", "Meaning: checks of the compiler, inputs, the draw"),
    ("P4", "Meaning, continued"),
    ("P9", "Harvesting, registering, judging"),
)
_HEAD = """\
# Diagnostics

What `prereg` says of a text that cannot stand, one code a fault. Every message carries file, line and column, the line
with a caret, and where it can what to do. A fault in what you wrote ends a command with exit code 1.

*This page is generated from the codes, each of which is declared beside its check.*
"""


def diagnostics_page() -> str:
    """Write ``docs/diagnostics.md``."""
    codes = collected([*CODES_BY_MODULE, suite.CODES, *(module.CODES for module in (*_COMPILER, *_VERBS))])
    parts = [_HEAD]
    for start, title in _RANGES:
        rows = [f"| `{code}` | {meaning} |" for code, meaning in codes.items() if code.startswith(start)]
        parts += [f"## {title}\n", "| code | meaning |\n|---|---|", *rows, ""]
    return "\n".join(parts)


def units_table() -> str:
    """List the units."""
    rows = [f"| `{unit.name}` | {unit.dimension} | {format(unit.scale, 'f')} |" for unit in UNITS]
    return "\n".join(["| unit | of | base units |", "|---|---|---|", *rows])


def facts_table(facts: Mapping[str, catalog.Fact]) -> str:
    """List facts with their types."""
    rows = [f"| `{name}` | {kind} | {doc} |" for name, (kind, doc) in facts.items()]
    return "\n".join(["| name | type | meaning |", "|---|---|---|", *rows])


def kinds_table() -> str:
    """List every kind of every slot, with its options; those that must be given come first and in bold."""
    rows = ["| slot | kind | what it is | options |", "|---|---|---|---|"]
    for slot, kinds in KINDS.items():
        rows += [f"| {slot} | `{name}` | {kind.doc} | {_options(kind)} |" for name, kind in kinds.items()]
    return "\n".join(rows)


def _options(kind: Kind) -> str:
    needed = [f"**`{name}`**" for name in kind.options if name in kind.required]
    free = [f"`{name}`" for name in kind.options if name not in kind.required]
    return ", ".join(needed + free)


def _checks_table() -> str:
    facts = {
        f"CHECK.{name} ({kind})": fact for kind, each in catalog.CHECK_FACTS.items() for name, fact in each.items()
    }
    return facts_table({"CHECK.ok": ("bool", "whether the check holds"), **facts})


TABLES: Mapping[str, Callable[[], str]] = {
    "units": units_table,
    "builtins": builtins.table,
    "kinds": kinds_table,
    "git-history facts": lambda: facts_table(catalog.SOURCE_FACTS["git-history"]),
    "issues facts": lambda: facts_table(catalog.SOURCE_FACTS["issues"]),
    "folder facts": lambda: facts_table(catalog.SOURCE_FACTS["folder"]),
    "defects facts": lambda: facts_table(catalog.SOURCE_FACTS["defects"]),
    "trial facts": lambda: facts_table(catalog.TRIAL_FACTS),
    "check facts": _checks_table,
    "endpoint fields": lambda: facts_table(catalog.ENDPOINT_FIELDS),
}
"""What stands in a page between ``<!-- generated: NAME -->`` and ``<!-- end -->``."""


def with_tables(page: str) -> str:
    """Give a page with its generated tables as they are now."""
    return re.sub(
        r"(<!-- generated: ([a-z -]+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}",
        page,
        flags=re.DOTALL,
    )


def pages() -> Mapping[str, str]:
    """Give every page that is generated, in whole or in part, as it has to be."""
    language = (DOCS / "language.md").read_text(encoding="utf-8")
    return {"diagnostics.md": diagnostics_page(), "language.md": with_tables(language)}


def main() -> None:
    """Rewrite the pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
