"""The pool: what one harvest found, bound to the HarvestPlan that asked for it."""

from dataclasses import dataclass

from compiler.task import Candidate

POOL_TYPE = "prereg.pool/v1"


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolHead:
    """First line of ``candidates.jsonl``: which harvest this is.

    ``harvest`` is the digest of the HarvestPlan; a spec that asks for another harvest refuses this pool.
    ``origin`` says, per set, what was read (repository name, commit), never a path of a machine.
    """

    harvest: str
    origin: dict[str, str]
    type: str = POOL_TYPE


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """All candidates, kept and dropped, sorted by (set, id)."""

    head: PoolHead
    candidates: tuple[Candidate, ...]
