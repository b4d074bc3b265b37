"""Keeps the ledger free of prompts and files: no line of either stays in what a record says of a failure."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from executor.attempt import TrialOrder
from executor.telling import told
from executor.trees import leaves
from ledger.records import Infrastructure, InvalidEnvironment, Outcome

LEAST = 12
"""Lines below this length say nothing of where they are from: ``return None``, ``import os``."""
WITHHELD = "[text withheld]"
_LONG_REASON = 40

Settled: TypeAlias = Outcome | Infrastructure | InvalidEnvironment


def in_own_words(record: Settled, order: TrialOrder) -> Settled:
    """Give a record without a line of what the agent was told, was given, or had held out from it.

    What programs print goes into ``detail`` and ``terminal_reason``, and they may print anything; what an agent printed is in its blobs. An
    outcome's texts are looked at only where they are longer than a word, since that means reading the task's trees.
    """
    if isinstance(record, Outcome):
        said = record.measures.get("terminal_reason")
        if not isinstance(said, str) or len(said) < _LONG_REASON:
            return record
        return replace(record, measures={**record.measures, "terminal_reason": without_texts(said, order)})
    if len(record.detail) < LEAST:
        return record
    return replace(record, detail=without_texts(record.detail, order))


def without_texts(said: str, order: TrialOrder) -> str:
    """Replace every line of prompts and files that stands in a text, whole or cut off at its end."""
    ends = {said[place:] for mark in ("\n", ": ") for place in _behind(said, mark) if len(said) - place >= LEAST}
    found = {line for line in _lines(order) if line in said}
    cut = {end for line in _lines(order) for end in ends if line.startswith(end)} if ends else set()
    for each in sorted({*found, *cut}, key=len, reverse=True):
        said = said.replace(each, WITHHELD)
    return said


def _behind(said: str, mark: str) -> Iterator[int]:
    place = said.find(mark)
    while place >= 0:
        yield place + len(mark)
        place = said.find(mark, place + 1)


def _lines(order: TrialOrder) -> Iterator[str]:
    for turn in told(order):
        yield from _telling(turn.prompt)
    for tree in (order.task.given, order.task.held_out):
        for leaf in leaves(order.material.get(tree)):
            yield from _telling(leaf.data.decode("utf-8", "replace"))


def _telling(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST)
