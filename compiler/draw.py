"""Chance in a plan: which candidates are taken (sort, shuffle, walk, take), and the order in which trials run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from compiler.plan import TrialPlan
from compiler.private import STANDS_FOR
from compiler.task import Candidate
from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.model import Choice, Draw
from spec_lang.span import Span
from stats.chance import Twister, keyed_order, python_shuffle

CODES = {
    "P394": "a sort key that a candidate does not have",
    "P395": "fewer candidates than the draw takes",
    "P396": "a shuffle or an order of trials that does not exist, or without its seed",
}

SORT_KEYS: Mapping[str, str] = {"commit-hash": "hash", "commit": "hash"}
"""Sort keys with a name of their own, and the fact that each reads; ``id`` is the id, every other key names a fact."""

_Block: TypeAlias = tuple[str, int]
"""A task and a seed."""

_Queues: TypeAlias = Iterator[tuple[_Block, Sequence[str]]]
"""Blocks in order, each with its arms in order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """What a draw gave: all ids in the order of the walk, those passed over before the last was taken, those taken."""

    order: tuple[str, ...]
    passed: Mapping[str, str]
    taken: tuple[str, ...]


def draw(
    candidates: Sequence[Candidate], how: Draw, passed_over: Mapping[str, str], *, span: Span | None = None
) -> Drawn:
    """Sort the candidates (ties by id), shuffle, walk past those in ``passed_over`` (id → reason), keep the first ``take``.

    The order in which candidates are given plays no part.

    Raises:
        SpecErrors: P394 when a candidate has no value to sort by, or values of different types; P395 when fewer than
            ``take`` are left and the draw does not say ``at_most``; P396 for an unknown shuffle. ``span`` is where the
            draw stands.
    """
    order = _shuffled(_sorted(candidates, how.sort, span), how.shuffle, span)
    wanted = len(order) if how.take == "all" else how.take
    taken: list[str] = []
    passed: dict[str, str] = {}
    for name in order:
        if len(taken) == wanted:
            break
        if name in passed_over:
            passed[name] = passed_over[name]
        else:
            taken.append(name)
    if how.take != "all" and len(taken) < wanted and not how.at_most:
        raise SpecErrors([_too_few(wanted, len(taken), len(passed), span)])
    return Drawn(order=order, passed=passed, taken=tuple(taken))


def order_trials(
    tasks: Sequence[str], arms: Sequence[str], seeds: int, order: Choice, *, span: Span | None = None
) -> tuple[TrialPlan, ...]:
    """Give every (task, arm, seed 1 … n) once, in the order in which they are started.

    Both orders run all arms of a (task, seed) one after another, so that whatever drifts (a model, a network, prices)
    hits all arms alike. ``interleave`` with a ``seed``: these blocks are shuffled, each arm comes first in as many
    blocks as any other (give or take one) and the arms behind it are shuffled. ``alternate``: tasks as drawn, seed by
    seed, the first arm turning by one from block to block.

    Raises:
        SpecErrors: P396 for an unknown order or one without its seed.
    """
    arms = sorted(arms)
    blocks = [(task, seed) for seed in range(1, seeds + 1) for task in tasks]
    if order.kind == "interleave":
        queues = _interleaved(blocks, arms, Twister(_seed(order, span)))
    elif order.kind == "alternate":
        queues = _alternating(blocks, arms, len(tasks))
    else:
        raise SpecErrors([_unknown("order of trials", order.kind, "interleave, alternate", span)])
    return tuple(TrialPlan(task=task, arm=arm, seed=seed) for (task, seed), queue in queues for arm in queue)


def _interleaved(blocks: Sequence[_Block], arms: Sequence[str], chance: Twister) -> _Queues:
    # Sorted before the shuffle: the order depends on which tasks there are, not on how they were drawn.
    shuffled = chance.shuffled(sorted(blocks))
    first = chance.shuffled([arms[place % len(arms)] for place in range(len(shuffled))])
    for block, leader in zip(shuffled, first, strict=True):
        yield block, (leader, *chance.shuffled([arm for arm in arms if arm != leader]))


def _alternating(blocks: Sequence[_Block], arms: Sequence[str], tasks: int) -> _Queues:
    for place, (task, seed) in enumerate(blocks):
        # Where the tasks are a multiple of the arms, turning by place alone would give a task the same leader each seed.
        turn = place + (seed - 1 if tasks % len(arms) == 0 else 0)
        yield (task, seed), [arms[(turn + step) % len(arms)] for step in range(len(arms))]


def _sorted(candidates: Sequence[Candidate], key: str, span: Span | None) -> list[str]:
    fact = SORT_KEYS.get(key, key)
    texts: list[tuple[str, str]] = []
    numbers: list[tuple[int, str]] = []
    for each in sorted(candidates, key=lambda candidate: candidate.id):
        value = each.id if fact == "id" else each.facts.get(_told(fact, each))
        if isinstance(value, str):
            texts.append((value, each.id))
        elif type(value) is int:
            numbers.append((value, each.id))
        else:
            raise _no_key(f"`{each.id}` has no `{key}` to sort by", span)
    if texts and numbers:
        raise _no_key(f"`{key}` is a number for some candidates and text for others", span)
    return [name for _, name in sorted(texts)] + [name for _, name in sorted(numbers)]


def _told(fact: str, candidate: Candidate) -> str:
    """Give the fact that a candidate is sorted by: of a private one, what stands for the fact that it hides."""
    return fact if candidate.private is None else STANDS_FOR.get(fact, fact)


def _shuffled(names: list[str], shuffle: Choice | None, span: Span | None) -> tuple[str, ...]:
    if shuffle is None:
        return tuple(names)
    if shuffle.kind == "python-random-v1":
        return python_shuffle(names, _seed(shuffle, span))
    if shuffle.kind == "keyed-sha256-v1":
        return keyed_order(names, _seed(shuffle, span))
    raise SpecErrors([_unknown("shuffle", shuffle.kind, "python-random-v1, keyed-sha256-v1", span)])


def _seed(choice: Choice, span: Span | None) -> int:
    seed = choice.options.get("seed")
    if type(seed) is not int or seed < 0:
        summary = f"`{choice.kind}` needs a seed that is not negative"
        hint = f"{{kind: {choice.kind}, seed: 1}}"
        raise SpecErrors([Diagnostic(code="P396", summary=summary, span=span, hint=hint)])
    return seed


def _no_key(summary: str, span: Span | None) -> SpecErrors:
    hint = "sort by id, or by a fact that all candidates have"
    return SpecErrors([Diagnostic(code="P394", summary=summary, span=span, hint=hint)])


def _unknown(what: str, kind: str, known: str, span: Span | None) -> Diagnostic:
    return Diagnostic(code="P396", summary=f"there is no {what} `{kind}`", span=span, hint=f"there are: {known}")


def _too_few(wanted: int, found: int, passed: int, span: Span | None) -> Diagnostic:
    return Diagnostic(
        code="P395",
        summary=f"the draw takes {wanted} tasks, and only {found} can be taken",
        span=span,
        detail=f"{found + passed} candidates meet the selection rule; {passed} of them are excluded, burned or failed their gate",
        hint="take fewer, widen the conditions, or say at_most: true",
    )
