"""Sealed blobs of private tasks, seen by whoever verifies a run: which there are, and the store that holds them, if it is here."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from compiler.plan import TaskPlan
from ledger.blobs import Blobs


def store_here(env: str) -> Blobs | None:
    """Give the sealed blobs of a store to be hashed, which needs no key; None when the store is not on this machine."""
    said = os.environ.get(env, "")
    folder = Path(said) / "blobs"
    return Blobs(folder) if said and folder.is_dir() else None


def sealed_material(task: TaskPlan, material: Mapping[str, str]) -> dict[str, str]:
    """Give the digests of a private task's blobs in its store, by what they are; none of a public one."""
    if task.private is None:
        return {}
    return {**material, "the prompt": task.prompt, "its record": task.private.record}


def caveats(sealed: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Say what nobody without the stores of private tasks can derive; ``sealed``: their blobs by the stores' variables."""
    for env in sealed:
        yield f"conditions over facts that a private set hides are harvest's word; prereg validate repeats them where ${env} is"
        if store_here(env) is None:
            yield f"material, prompts and artefacts of private tasks were not verified: ${env} leads to no store here"
