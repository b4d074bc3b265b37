"""The shipped migration and reproduction: the reference passes, doing nothing fails, and every way of cheating is caught by its check."""

import json
import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.canonical import digest
from ledger.chain import verify
from ledger.errors import WorldFault
from ledger.records import Outcome
from prereg import api, starters
from tests.e2e.bench import Bench, Mutant, as_it_is, both, replacing, writing
from tests.needs import require

FRONTIER = Path(__file__).parents[2] / "specs" / "outcome-frontier"
STOCK, PRICING, ORDERS, REPORTS, PACKAGE = (
    f"src/stockroom/{name}.py" for name in ("stock", "pricing", "orders", "reports", "__init__")
)
RECEIVED = '            record("received", Level.INFO, article=article, count=count)\n'
OLD_RECEIVED = '            {}({{"article": article, "count": count}}, "received")\n'
TELL = '    tell = record\n    tell("value", Level.INFO, cents=cents)\n'
IMPORT = "from stockroom.journal import Level, record\n"

ODD = '                record("odd-delivery", Level.WARN, article=article, count=count)\n                continue\n'
COUNTED = "            self.counts[article] = self.counts.get(article, 0) + count\n"
ONE_FOR_BOTH = f"""                topic, level = 'odd-delivery', Level.WARN
            else:
    {COUNTED}                topic, level = 'received', Level.INFO
            record(topic, level, article=article, count=count)
"""
MERGED = replacing(STOCK, (ODD + COUNTED + RECEIVED, ONE_FOR_BOTH))
REPORT = {"sites": [f"{STOCK}:21", f"{STOCK}:24"], "into": f"{STOCK}:25", "why": "one line for both cases"}


def reported(*reports: object) -> Mutant:
    return writing("consolidations.json", json.dumps(reports))


MIGRATION: dict[str, tuple[Mutant, str]] = {
    "a call site is deleted": (replacing(STOCK, (RECEIVED, "")), "new_calls"),
    "and its behaviour with it": (replacing(STOCK, (RECEIVED, "")), "behaviour"),
    "a call that no run reaches takes its place": (
        replacing(STOCK, (RECEIVED, f"            if False:\n    {RECEIVED}")),
        "new_calls",
    ),
    "a call behind a return takes its place": (
        replacing(STOCK, (RECEIVED, ""), ("        return True\n", f"        return True\n{RECEIVED[4:]}")),
        "new_calls",
    ),
    "an alias of the import": (
        replacing(
            STOCK,
            (IMPORT, f"{IMPORT}from stockroom.events import emit as put\n"),
            (RECEIVED, OLD_RECEIVED.format("put")),
        ),
        "old_calls",
    ),
    "the new name for the old function": (
        replacing(
            STOCK, (IMPORT, "from stockroom.events import emit as record\nfrom stockroom.journal import Level\n")
        ),
        "old_calls",
    ),
    "a star": (
        replacing(
            STOCK, (IMPORT, f"{IMPORT}from stockroom.events import *\n"), (RECEIVED, OLD_RECEIVED.format("emit"))
        ),
        "old_calls",
    ),
    "an alias of the alias": (
        replacing(
            STOCK,
            (IMPORT, f"{IMPORT}import stockroom.events as e\n"),
            (RECEIVED, f"            put = e.emit\n            again = put\n{OLD_RECEIVED.format('again')}"),
        ),
        "old_calls",
    ),
    "an attribute": (
        replacing(
            STOCK,
            (IMPORT, f"{IMPORT}import stockroom.events\n"),
            (RECEIVED, OLD_RECEIVED.format("stockroom.events.emit")),
        ),
        "old_calls",
    ),
    "a class's attribute": (
        replacing(
            STOCK,
            (IMPORT, f"{IMPORT}from stockroom.events import emit as put\n"),
            ("    def __init__", "    put = staticmethod(put)\n\n    def __init__"),
            (RECEIVED, OLD_RECEIVED.format("self.put")),
        ),
        "old_calls",
    ),
    "a re-export under another name": (
        both(
            replacing(
                "src/stockroom/sink.py", ('"""\n\nfrom', '"""\n\nfrom stockroom.events import emit as emit\nfrom')
            ),
            replacing(
                STOCK,
                (IMPORT, f"{IMPORT}from stockroom import sink\n"),
                (RECEIVED, OLD_RECEIVED.format("sink.emit")),
            ),
        ),
        "old_calls",
    ),
    "getattr": (
        replacing(
            REPORTS,
            ("from stockroom.journal", "import stockroom.events\nfrom stockroom.journal"),
            (TELL, '    getattr(stockroom.events, "em" + "it")({"cents": cents}, "value")\n'),
        ),
        "old_calls",
    ),
    "a name in a text": (
        replacing(
            REPORTS,
            ("from stockroom.journal", "import stockroom.events\nfrom stockroom.journal"),
            (TELL, '    vars(stockroom.events)["emit"]({"cents": cents}, "value")\n'),
        ),
        "old_calls",
    ),
    "an import at run time": (
        replacing(
            REPORTS,
            (TELL, '    __import__("stockroom.events").emit({"cents": cents}, "value")\n'),
        ),
        "old_calls",
    ),
    "a program in a text": (
        replacing(REPORTS, (TELL, "    exec(\"from stockroom.events import emit; emit({}, 'value')\")\n")),
        "old_calls",
    ),
    "a decorator is forgotten": (
        replacing(
            ORDERS,
            ("import Level,", "import events, Level,"),
            ('@recorded("orders", Level.WARN)', '@events.emits("orders", level="warn")'),
        ),
        "old_calls",
    ),
    "a default is forgotten": (
        replacing(
            ORDERS,
            ("from stockroom import", "from stockroom.events import emit\nfrom stockroom import"),
            ("= record)", "= emit)"),
        ),
        "old_calls",
    ),
    "a partial is forgotten": (
        replacing(
            PRICING,
            (
                "from stockroom.journal import Level\n",
                "from stockroom.events import emit\nfrom stockroom.journal import Level\n",
            ),
            ('partial(note, "price", Level.INFO)', 'partial(emit, topic="price")'),
        ),
        "old_calls",
    ),
    "the package still hands the old function on": (
        replacing(PACKAGE, ("from stockroom.journal", "from stockroom.events import emit\nfrom stockroom.journal")),
        "old_calls",
    ),
    "a file that does not parse": (replacing(REPORTS, ("    return count\n", "    return count)\n")), "old_calls"),
    "two sites are merged and nobody says so": (MERGED, "new_calls"),
    "a report about a site that is not there": (
        both(MERGED, reported({**REPORT, "sites": [f"{STOCK}:21", f"{STOCK}:22"]})),
        "new_calls",
    ),
    "a site that is reported twice": (both(MERGED, reported({**REPORT, "sites": [f"{STOCK}:21"] * 2})), "new_calls"),
    "a report without a reason": (both(MERGED, reported({**REPORT, "why": " "})), "new_calls"),
    "a report into nowhere": (both(MERGED, reported({**REPORT, "into": f"{STOCK}:1"})), "new_calls"),
    "a report that is no JSON": (both(MERGED, writing("consolidations.json", "[{")), "new_calls"),
    "another level": (replacing(STOCK, ('"received", Level.INFO', '"received", Level.WARN')), "behaviour"),
    "another topic": (replacing(PRICING, ('"odd-discount"', '"odd_discount"')), "behaviour"),
    "another field": (replacing(STOCK, ("missing=count - there", "lacking=count - there")), "behaviour"),
    "the level as text": (replacing(STOCK, ('"low", Level.WARN', '"low", "warn"')), "types"),
    "the level as text, and types that are told to look away": (
        both(
            replacing(STOCK, ('"low", Level.WARN', '"low", "warn"')),
            replacing("mypy.ini", ("strict = True", "ignore_errors = True")),
            writing("mypy.py", ""),
        ),
        "types",
    ),
    "an error that is not to be told": (
        replacing(STOCK, ('"low", Level.WARN, ', '"low", "warn",  # type: ignore[arg-type]\n                   ')),
        "no_ignores",
    ),
    "an old call outside of the package": (
        writing("extra.py", 'import sys\nsys.path.append("src")\nfrom stockroom.events import emit\nemit({}, "x")\n'),
        "old_calls",
    ),
    "the old order of arguments": (replacing(STOCK, ('"low", Level.WARN', 'Level.WARN, "low"')), "types"),
}


@pytest.fixture(scope="module")
def migration(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(FRONTIER, "migration", tmp_path_factory.mktemp("migration"))


@pytest.mark.parametrize("name", MIGRATION)
def test_every_mutant_of_the_migration_is_killed(migration: Bench, name: str) -> None:
    mutant, check = MIGRATION[name]
    results = migration.grade(mutant, check)
    assert results[check].ok is False, results[check].detail


def test_the_migration_passes_and_its_start_does_not(migration: Bench) -> None:
    results = migration.grade(as_it_is)
    assert {name: each.ok for name, each in results.items()} == dict.fromkeys(results, True)
    assert migration.verdict(results) == "pass"
    facts = {name: results[name].facts for name in ("old_calls", "new_calls")}
    assert (facts["old_calls"]["before"], facts["old_calls"]["count"]) == (12, 0)
    assert (facts["new_calls"]["before"], facts["new_calls"]["count"], facts["new_calls"]["floor"]) == (1, 13, 13)
    assert migration.verdict(migration.grade(as_it_is, side="start")) == "fail"


def test_renaming_in_comments_and_texts_alone_migrates_nothing(migration: Bench) -> None:
    words = both(
        replacing(PRICING, ("emit(payload, topic) lines", "record(topic) lines")),
        replacing(REPORTS, ("set one; emit() says so", "set one; record() says so")),
    )
    found = migration.grade(words, "old_calls", "new_calls", side="start")
    assert (found["old_calls"].facts["count"], found["new_calls"].facts["count"]) == (12, 1)
    assert (found["old_calls"].ok, found["new_calls"].ok) == (False, False)


def test_types_without_behaviour_are_partial_and_calls_left_behind_are_none(migration: Bench) -> None:
    assert migration.verdict(migration.grade(MIGRATION["another level"][0])) == "partial"
    assert migration.verdict(migration.grade(MIGRATION["the level as text"][0])) == "fail"
    assert migration.verdict(migration.grade(MIGRATION["an alias of the import"][0])) == "fail"
    assert migration.verdict(migration.grade(MIGRATION["a call site is deleted"][0])) == "fail"


def test_a_consolidation_counts_when_it_is_reported_and_the_behaviour_is_kept(migration: Bench) -> None:
    honest = both(MERGED, reported(REPORT))
    found = migration.grade(honest, "behaviour", "new_calls")["new_calls"]
    assert (found.ok, found.facts["merged"], found.facts["count"]) == (True, 1, 12), found.detail
    broken = both(honest, replacing(STOCK, ("'received', Level.INFO", "'received', Level.WARN")))
    found = migration.grade(broken, "behaviour", "new_calls")["new_calls"]
    assert (found.ok, found.facts["merged"], found.facts["reported"]) == (False, 0, 1)
    assert "`behaviour` does not hold" in found.detail


# --- the reproduction ---

PUBLISHED = Decimal("304854.073561965")
TOLERANCE = PUBLISHED / 10_000


def result(value: object, unit: object = "persons") -> Mutant:
    text = value if isinstance(value, str) else json.dumps(value)
    return writing("results/result.json", f'{{"deviation": {{"value": {text}, "unit": {json.dumps(unit)}}}}}')


REPRODUCTION: dict[str, tuple[Mutant, str]] = {
    "off by 1.01 of the tolerance above": (result(str(PUBLISHED + TOLERANCE * Decimal("1.01"))), "figure"),
    "off by 1.01 of the tolerance below": (result(str(PUBLISHED - TOLERANCE * Decimal("1.01"))), "figure"),
    "another unit": (result(str(PUBLISHED), "thousand persons"), "figure"),
    "the number of another unit": (result("304.854073561965"), "figure"),
    "no unit": (result(str(PUBLISHED), None), "figure"),
    "NaN": (result("NaN"), "figure"),
    "an infinity": (result("Infinity"), "figure"),
    "more than any number": (result("1e999999999"), "figure"),
    "true": (result("true"), "figure"),
    "a text": (result('"about 304854"'), "figure"),
    "another key": (writing("results/result.json", '{"r2": {"value": 304854.07, "unit": "persons"}}'), "figure"),
    "no JSON": (writing("results/result.json", "304854.07 persons"), "figure"),
    "no file": (lambda root: (root / "results/result.json").unlink(), "figure"),
    "a link out of the tree": (
        both(
            lambda root: (root / "results/result.json").unlink(),
            lambda root: (root / "results/result.json").symlink_to("/dev/null"),
        ),
        "figure",
    ),
    "two columns change places": (
        replacing("reproduce.py", ('["term", "estimate", "standard_error"]', '["term", "standard_error", "estimate"]')),
        "differential",
    ),
    "the wrong column is explained": (
        replacing("reproduce.py", ('RESPONSE = "TOTEMP"', 'RESPONSE = "POP"')),
        "differential",
    ),
    "a column is left out": (
        replacing("reproduce.py", ("if name != RESPONSE]", 'if name not in (RESPONSE, "ARMED")]')),
        "differential",
    ),
    "the wrong degrees of freedom": (
        replacing("reproduce.py", ("(len(response) - len(terms))", "len(response)")),
        "differential",
    ),
    "estimates off by 1.01 of the tolerance": (
        replacing("reproduce.py", ("repr(float(estimate))", "repr(float(estimate) * 1.000101)")),
        "differential",
    ),
    "one estimate off by 1.01 of the tolerance": (
        replacing(
            "reproduce.py", ("repr(float(estimate))", 'repr(float(estimate) * (1.000101 if term == "POP" else 1))')
        ),
        "differential",
    ),
    "one estimate is NaN": (
        replacing("reproduce.py", ("repr(float(estimate))", '"nan" if term == "POP" else repr(float(estimate))')),
        "differential",
    ),
    "one standard error is an infinity": (
        replacing(
            "reproduce.py", ("repr(root(variance * inverted", "'inf' if not place else repr(root(variance * inverted")
        ),
        "differential",
    ),
    "a row twice": (
        replacing(
            "reproduce.py",
            (
                "            writer.writerow([term,",
                f"            place or writer.writerow([term, 0, 0])\n{'':12}writer.writerow([term,",
            ),
        ),
        "differential",
    ),
    "a row too many": (
        replacing(
            "reproduce.py", ('"standard_error"])\n', '"standard_error"])\n        writer.writerow(["more", 1, 1])\n')
        ),
        "differential",
    ),
    "the numbers of the one data set that it was shown": (
        replacing(
            "reproduce.py",
            (
                "    terms, design, response = read(data)\n",
                "    __import__('shutil').copytree('results', folder)\n    return\n    terms, design, response = read(data)\n",
            ),
        ),
        "differential",
    ),
    "a program that fails": (
        replacing("reproduce.py", ("def main", "raise SystemExit(3)\n\n\ndef main")),
        "differential",
    ),
    "an old result stands in for a program that writes none": (
        both(
            lambda root: shutil.copytree(root / "results", root / "out"),
            lambda root: shutil.copy(root / "checks/other-coefficients.csv", root / "out/coefficients.csv") and None,
            writing("reproduce.py", ""),
        ),
        "differential",
    ),
    "somebody else's regression": (
        replacing("reproduce.py", ("import csv\n", "import csv\nimport statsmodels.api as sm\n")),
        "own_work",
    ),
    "somebody else's regression in a folder": (
        both(lambda root: (root / "inner").mkdir(), writing("inner/fit.py", "from numpy.linalg import lstsq\n")),
        "own_work",
    ),
}


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(FRONTIER, "reproduction", tmp_path_factory.mktemp("reproduction"))


@pytest.mark.parametrize("name", REPRODUCTION)
def test_every_mutant_of_the_reproduction_is_killed(reproduction: Bench, name: str) -> None:
    mutant, check = REPRODUCTION[name]
    results = reproduction.grade(mutant, check)
    assert results[check].ok is False, results[check].detail


@pytest.mark.parametrize("off", [Decimal(0), Decimal(1), Decimal(-1), Decimal("0.99")])
def test_a_number_within_its_tolerance_passes_also_on_the_edge(reproduction: Bench, off: Decimal) -> None:
    found = reproduction.grade(result(str(PUBLISHED + TOLERANCE * off)), "figure")["figure"]
    assert found.ok is True, found.detail


def test_a_figure_off_the_tolerance_is_partial_and_none_at_all_fails(reproduction: Bench) -> None:
    data = writing("data.csv", "")  # `runs` needs the data set, which the setup step takes from an installed package

    def verdict(mutant: Mutant, *, runs: bool = True) -> str:
        results = reproduction.grade(both(mutant, data), "figure", "differential", "own_work")
        results["runs"] = type(results["figure"])(ok=runs)
        return reproduction.verdict(results)

    assert verdict(as_it_is) == "pass"
    assert verdict(REPRODUCTION["off by 1.01 of the tolerance above"][0]) == "partial"
    assert verdict(REPRODUCTION["one estimate is NaN"][0]) == "partial"
    assert verdict(REPRODUCTION["NaN"][0]) == "fail"
    assert verdict(REPRODUCTION["no file"][0]) == "fail"
    assert verdict(REPRODUCTION["off by 1.01 of the tolerance above"][0], runs=False) == "fail"


# --- as an experiment ---

PRACTICE = """
agent: {kind: reference, limits: {time: 5 min}}
arms:
  idle: {agent: {kind: noop}}
  reference: {}
single_difference: agent
trials: {seeds: 1, order: {kind: alternate}}
"""


@pytest.mark.slow
def test_harvest_proves_both_and_a_run_tells_them_apart(tmp_path: Path) -> None:
    root = tmp_path / "frontier"
    starters.lay("outcome-frontier", root)
    text = (root / "spec.yaml").read_text("utf-8").replace("stability: {harvests: 2}", "stability: {harvests: 1}")
    head, _, rest = text.partition("\nagent:\n")
    rest = rest.partition("\ntrials:")[2].partition("\n")[2]
    rest = rest.replace("migration.count(first)", "migration.count(reference)").replace("count(second)", "count(idle)")
    (root / "spec.yaml").write_text(f"{head}\n{PRACTICE}{rest}", "utf-8")
    try:
        harvested = api.harvest(root / "spec.yaml")
    except WorldFault as fault:
        require(
            f"no environment with mypy and statsmodels: {fault}" if fault.reasons[0].code == "environment" else None
        )
        raise
    assert {each.set for each in harvested.pool.candidates if each.status == "dropped"} == {"brownfield"}
    facts = {each.set: each.facts for each in harvested.pool.candidates}
    assert facts["migration"]["dynamic_call_sites"] == []
    api.compile_(root / "spec.yaml")
    api.execute(root, "practice")
    registration = next((root / "registry").iterdir()) / "registration.json"
    lines = verify((root / "runs/practice/ledger.jsonl").read_bytes().splitlines(), digest(registration.read_bytes()))
    found = {(each.arm, each.task): each.verdict for line in lines if isinstance(each := line.record, Outcome)}
    assert found == {
        (arm, task): verdict
        for arm, verdict in (("reference", "pass"), ("idle", "fail"))
        for task in ("issue-12", "longley", "stockroom-journal")
    }
    assert api.analyze(root / "runs/practice").verdict.status == "supported"
    assert "reference solved this instance: issue-12" in (root / "runs/practice/report.md").read_text("utf-8")
    _compile_for_real_tools(root)


def _compile_for_real_tools(root: Path) -> None:
    """The same pool serves the design for two real tools, whose costs are measured by one route."""
    for folder in ("registry", "runs"):
        shutil.rmtree(root / folder)
    real = (root / "real.yaml").read_text("utf-8").replace("stability: {harvests: 2}", "stability: {harvests: 1}")
    (root / "spec.yaml").write_text(real, "utf-8")
    locked = api.compile_(root / "spec.yaml")
    plan = locked.compiled.plan
    assert [each.severity for each in locked.compiled.warnings] == []
    assert (plan.run.routes.cost, sorted(plan.run.routes.models)) == ("provider-usage", ["claude-sonnet-5", "gpt-5.5"])
    assert plan.analysis.estimate["usd"] == "12..90"
    assert set(plan.analysis.unscored) >= {"maintainability", "novelty"}
    commands = {name.split("/")[1]: line[0] for name, line in api.dry_run(root).commands.items()}
    assert commands == {"claude": "claude", "codex": "codex"}


DYNAMIC = {
    "task.yaml": """
id: by-name
title: Move its callers
prompt: Please call `new` wherever `old` is called.
category: refactor
checks:
  - {name: old_calls, kind: call-sites, language: python, of: ["lib:old"]}
  - {name: new_calls, kind: call-sites, language: python, of: ["lib:new"], replaces: {of: ["lib:old"]}}
""".lstrip(),
    "repo/lib.py": "def old(): pass\ndef new(): pass\n",
    "repo/a.py": "import lib\nlib.old()\nfor name in names():\n    getattr(lib, name)()\n",
    "solution.patch": """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 import lib
-lib.old()
+lib.new()
 for name in names():
""",
}


def test_an_instance_that_calls_by_a_computed_name_is_refused_at_harvest(tmp_path: Path) -> None:
    for path, text in DYNAMIC.items():
        file = tmp_path / "migration/by-name" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    above, _, below = (FRONTIER / "spec.yaml").read_text("utf-8").partition("  brownfield:\n")
    head, _, rest = (above + below[below.index("  migration:\n") :]).partition("  reproduction:\n")
    rest = rest[rest.index("\nagent:") :]
    lines = [
        each for each in (head + rest).split("\n") if not re.search("environment:|reproduction:|brownfield:", each)
    ]
    (tmp_path / "spec.yaml").write_text("\n".join(lines), "utf-8")
    (candidate,) = api.harvest(tmp_path / "spec.yaml").pool.candidates
    assert candidate.status == "dropped"
    assert [(each.code, each.what) for each in candidate.reasons] == [("condition", "count(dynamic_call_sites) == 0")]
    assert candidate.facts["dynamic_call_sites"] == ["a.py:4"]
