"""Read a spec and collect everything that is wrong with it, with its pool where there is one."""

from dataclasses import dataclass
from pathlib import Path

from compiler.pipeline import check_loaded
from prereg.current import complete
from prereg.experiment import experiment_of, spec_at
from prereg.freshness import compile_fresh
from prereg.knowledge import knowledge
from prereg.locking import pool_of
from prereg.reading import load_spec
from spec_lang.diagnostics import Bag, Diagnostic


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A spec without errors. ``spec_digest`` is None before there is a pool: the digest covers it."""

    warnings: tuple[Diagnostic, ...]
    spec_digest: str | None
    with_pool: bool


def check(path: Path) -> Checked:
    """Check a spec as ``compile`` does, and register nothing. Raises SpecErrors."""
    spec = spec_at(path)
    experiment = experiment_of(spec)
    if experiment.candidates.is_file():
        written = complete(spec, experiment)
        compiled = compile_fresh(written, pool_of(experiment), experiment)
        return Checked(warnings=compiled.warnings, spec_digest=compiled.spec_digest, with_pool=True)
    bag = Bag()
    loaded = load_spec(spec)
    bag.extend(check_loaded(loaded, knowledge()))
    bag.raise_errors()
    return Checked(warnings=bag.warnings, spec_digest=None, with_pool=False)
