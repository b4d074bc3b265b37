"""Judgments of people about the trials of a run: strict YAML, held against their own schema, every fault at its place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path as File
from typing import Any, Literal

from spec_lang.diagnostics import Bag, Diagnostic
from spec_lang.schema import Document, judge
from spec_lang.span import Source, Span
from spec_lang.spans import Spans
from spec_lang.yaml_tree import plain, read_tree

CODES: Mapping[str, str] = {
    "P218": "a judgment that does not say who judged",
    "P219": "a trial that a file judges twice",
}

Judged = Literal["success", "partial", "failure", "unjudged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What one person says of one trial.

    ``trial`` is the trial's id or its blind key; ``evidence`` a path as it was written; ``reason`` says why a judgment that
    stands is revised; ``arm_seen`` is None where it is not said. ``span`` shows where it stands in a file, None outside of one.
    """

    trial: str
    judgment: Judged
    who: str
    evidence: str | None = None
    reason: str | None = None
    arm_seen: bool | None = None
    span: Span | None = None


@cache
def judgments_schema() -> Document:
    """Give the JSON Schema (2020-12) of a judgments file."""
    schema: Document = json.loads((File(__file__).parent / "judgments.schema.json").read_text(encoding="utf-8"))
    return schema


def read_judgments(source: Source) -> tuple[Entry, ...]:
    """Read a judgments file, entries in their order; ``who`` and ``arm_seen`` at the top hold for entries that do not say.

    Raises:
        SpecErrors: Everything that is wrong with its shape, entries without a judge, trials that stand twice; a fault of
            syntax comes alone.
    """
    tree = read_tree(source)
    bag = Bag()
    bag.extend(judge(tree, judgments_schema()).faults)
    bag.raise_errors()
    document: Any = plain(tree)
    spans = Spans(tree)
    entries: list[Entry] = []
    seen: dict[str, Span] = {}
    for place, each in enumerate(document["judgments"]):
        span = spans.at("judgments", place, "trial")
        said = {"who": document.get("who"), "arm_seen": document.get("arm_seen"), **each}
        if said["who"] is None:
            what, hint = f"nobody is named who judged `{each['trial']}`", "who: NAME, in the entry or once at the top"
            bag.add(Diagnostic(code="P218", summary=what, span=span, hint=hint))
        elif each["trial"] in seen:
            what = f"`{each['trial']}` is judged twice in this file"
            detail = f"the first time at {seen[each['trial']]}"
            bag.add(Diagnostic(code="P219", summary=what, span=span, detail=detail, hint="leave one of them out"))
        else:
            seen[each["trial"]] = span
            entries.append(Entry(**said, span=span))
    bag.raise_errors()
    return tuple(entries)
