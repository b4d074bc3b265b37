"""The prices of tokens that a spec names, by which a run's costs are worked out."""

from collections.abc import Iterator, Mapping

from compiler.arms import resolve
from compiler.inputs import text_of
from compiler.routes import RoutesPlan
from ledger.canonical import digest
from spec_lang.diagnostics import Diagnostic
from spec_lang.load import Loaded
from spec_lang.model import Routes
from spec_lang.prices_file import read_prices
from spec_lang.span import Source

CODES = {"P336": "a model without a price"}


def routes_plan(loaded: Loaded, inputs: Mapping[str, bytes]) -> RoutesPlan:
    """Give the routes of a spec with its price table in place; one that says nothing takes what the agents' results say.

    Raises:
        SpecErrors: The table was not given, or is none.
    """
    said = loaded.spec.routes or Routes(cost="agent-result")
    if said.prices is None:
        return RoutesPlan(cost=said.cost, time=said.time)
    text = text_of(said.prices, inputs, loaded.spans.at("routes", "prices"))
    table = read_prices(Source(name=said.prices, text=text))
    return RoutesPlan(
        cost=said.cost,
        time=said.time,
        table=said.prices,
        prices=digest(inputs[said.prices]),
        as_of=table.as_of,
        models=table.models,
    )


def routes_told(routes: RoutesPlan) -> dict[str, str]:
    """Give the routes as an analysis tells them; it prices nothing."""
    told = {
        "cost": routes.cost,
        "time": routes.time,
        "table": routes.table,
        "prices": routes.prices,
        "as_of": routes.as_of,
    }
    return {name: value for name, value in told.items() if value is not None}


def unpriced_models(loaded: Loaded, routes: RoutesPlan) -> Iterator[Diagnostic]:
    """Warn of an arm's model that the table does not price: the cost of its trials will be unknown."""
    if routes.prices is None:
        return
    asked = sorted({arm.agent.model for arm in resolve(loaded.spec) if arm.agent.model is not None})
    for model in asked:
        if model not in routes.models:
            yield Diagnostic(
                code="P336",
                summary=f"the price table has no price of `{model}`",
                span=loaded.spans.at("routes", "prices"),
                severity="warning",
                detail="what its tokens cost will be unknown, unless the provider answers under a name that the table has",
                hint=f"models: {{{model}: {{input: …, output: …}}}}",
            )
