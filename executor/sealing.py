"""What a pool may tell of a private candidate: an opaque id, a place in the order, a day, and why it was dropped; the rest is sealed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from compiler.task import Candidate, Reason
from executor.vault import open_vault, store_env
from ledger.blobs import Blobs
from ledger.canonical import canonical
from ledger.codec import to_plain
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain
from ledger.sealed import SealedBlobs

RECORD_TYPE = "prereg.private/v1"
PROMPT = "prompt"
_AS_IT_IS = ("order",)
_DAY_ALONE = ("issue.closed",)


def blobs_of_set(options: Mapping[str, Plain], public: Blobs, sealed: Path | None) -> Blobs:
    """Give the blobs that a set's material goes to: the pool's own, or those of its private store, or ``sealed`` in their place.

    Raises WorldFault when the store is not there.
    """
    env = store_env(options)
    if env is None:
        return public
    vault = open_vault(env)
    return vault.blobs if sealed is None else SealedBlobs(sealed, vault.key)


def seal(candidate: Candidate, conditions: Iterable[Reason], blobs: Blobs) -> Candidate:
    """Put all that is known of a candidate into the store, and give what a pool may hold.

    ``conditions``: the conditions that do not hold by all of its facts, which nobody who reads the pool can judge again.
    """
    said = {reason.what for reason in candidate.reasons}
    more = [each for each in conditions if each.what not in said] if candidate.status == "dropped" else []
    reasons = (*candidate.reasons, *more)
    record = {"type": RECORD_TYPE, **_plain(replace(candidate, reasons=reasons))}
    return replace(
        candidate,
        facts=_shown(candidate.facts),
        reasons=tuple(replace(each, detail="") for each in reasons),
        evidence={"gate": "private"},
        gold_files=(),
        gold_symbols=(),
        gold_lines=(),
        category=None,
        private=blobs.put(canonical(record)),
    )


@contextmanager
def unnamed(task: str, blobs: Blobs) -> Iterator[None]:
    """Let a world fault say of a private task its code and what to do, and no word of a command or an output; the store keeps those."""
    try:
        yield
    except WorldFault as fault:
        if not isinstance(blobs, SealedBlobs):
            raise
        said = blobs.put(canonical(to_plain(list(fault.reasons)))).removeprefix("sha256:")
        what = f"the private task {task} could not be proved; what was said is in its store, as blobs/{said}"
        raise WorldFault(*(Fault(code=each.code, what=what, hint=each.hint) for each in fault.reasons)) from None


def gold_files(record: Mapping[str, Plain]) -> tuple[str, ...]:
    """Give the files that a private task's reference touches, from its record."""
    said = record.get("gold_files")
    return tuple(map(str, said)) if isinstance(said, Sequence) and not isinstance(said, str) else ()


def _plain(candidate: Candidate) -> dict[str, Plain]:
    read = to_plain(candidate)
    assert isinstance(read, dict)
    return read


def _shown(facts: Mapping[str, Plain]) -> dict[str, Plain]:
    shown = {name: facts[name] for name in _AS_IT_IS if name in facts}
    return shown | {name: str(facts[name])[: len("2026-07-01")] for name in _DAY_ALONE if name in facts}
