"""The pool: what one harvest found, bound to the HarvestPlan that asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.task import Candidate

POOL_TYPE = "prereg.pool/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolHead:
    """First line of ``candidates.jsonl``: which harvest this is.

    ``harvest`` is the digest of the HarvestPlan; a spec that asks for another harvest refuses this pool.
    ``origin`` says, per set, what was read (repository name, commit), never a path of a machine.
    ``files`` gives, per set, the digests of the author's own files that were read and that no commit pins.
    """

    harvest: str
    origin: dict[str, str]
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    type: str = POOL_TYPE


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """All candidates, kept and dropped, sorted by (set, id)."""

    head: PoolHead
    candidates: tuple[Candidate, ...]
