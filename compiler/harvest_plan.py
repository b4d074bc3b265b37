"""From a spec to the plan of its harvest, and the digest that binds a pool to it."""

from compiler.plan import HarvestPlan, HarvestSet
from compiler.rewrite import condition_texts
from compiler.settings import chosen
from ledger.canonical import canonical, digest
from ledger.codec import to_plain
from spec_lang.load import Loaded


def harvest_plan(loaded: Loaded) -> HarvestPlan:
    """Give what harvest carries out, sets sorted by name.

    It holds what the candidates and their gates depend on (source, conditions, harvests, environment) and nothing of
    arms, endpoints, draw, prompts or exclusions, so that changing those keeps a pool valid.
    """
    spec = loaded.spec
    return HarvestPlan(
        sets=tuple(
            HarvestSet(
                name=name,
                source=chosen(tasks.source),
                where=condition_texts(spec, tasks.where),
                harvests=tasks.stability.harvests,
                environment=chosen(tasks.environment) if tasks.environment else None,
            )
            for name, tasks in sorted(spec.tasks.items())
        )
    )


def harvest_digest(plan: HarvestPlan) -> str:
    """Give the digest of a harvest plan's canonical bytes; it stands in the head of the pool."""
    return digest(canonical(to_plain(plan)))
