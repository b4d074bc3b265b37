"""The report in a real Chromium: accessible in light, dark and narrow, reachable by keyboard, printable, and alone."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.report import render
from compiler.plan import Chosen, EndpointPlan
from tests.analyzer.runs import Shot, plan_of, records_of
from tests.analyzer.test_report import TEMPLATES, document
from tests.analyzer.test_simulated_section import simulation
from tests.needs import require

pytestmark = [pytest.mark.chromium, pytest.mark.slow]

MODULES = Path(
    os.environ.get("PREREG_BROWSER")
    or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "prereg-browser"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""


def lacking() -> str | None:
    """Say what is missing to look at a page as a reader would."""
    if not CHROMIUM:
        return "chromium is not installed"
    if shutil.which("node") is None:
        return "node is not installed"
    return None if (MODULES / ".installed").is_file() else f"{MODULES} is not filled: run .ci/browser"


def page(*, stage: str, simulated: bool) -> str:
    """A report with everything in it: categories, repeats, a timeout, retries, seeded intervals."""
    plan = plan_of(tasks=12, stage=stage, simulated=simulated)
    tasks = tuple(replace(task, category=("core", "docs")[place % 2]) for place, task in enumerate(plan.tasks))
    time = EndpointPlan(
        name="time", role="negative-control", unit="s", measure="time", per_task="mean", compare="neuralmind - baseline",
        interval=Chosen(kind="bootstrap-bca", options={"level": "0.95", "resamples": 500, "seed": 1}),
    )  # fmt: skip
    plan = replace(plan, tasks=tasks, endpoints=(*plan.endpoints, time))

    def shots(task: str, arm: str, seed: int) -> Shot | list[Shot]:
        number = int(task[1:]) * 7 + seed * 3 + (arm == "baseline") * 5
        if number % 19 == 0:
            return Shot(cost=None, ended="timeout", solved=False)
        found = Shot(cost=f"0.{30 + number % 40}", solved=number % 4 != 0, more={"time": 100 + number})
        return [Shot(rule="harness_failure"), found] if number % 23 == 0 else found

    whole = replace(document(plan, records_of(plan, shots)), simulation=simulation())
    return render(whole, TEMPLATES)["report.html"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a browser found on a simulated pilot's report."""
    require(lacking())
    folder = tmp_path_factory.mktemp("seen")
    (folder / "report.html").write_text(page(stage="pilot", simulated=True), encoding="utf-8")
    script = Path(__file__).with_name("look.mjs")
    done = subprocess.run(
        ["node", str(script), str(MODULES), CHROMIUM, str(folder / "report.html"), str(folder)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "folder": folder}


@pytest.mark.parametrize("reader", ["light", "dark", "narrow"])
def test_axe_finds_nothing(seen: Any, reader: str) -> None:
    found = seen["readers"][reader]
    assert found["violations"] == []
    assert found["passes"] > 20, "axe looked at the page"
    assert not found["wide"], "nothing but tables and figures scrolls sideways"


@pytest.mark.parametrize("reader", ["light", "dark", "narrow"])
def test_the_banner_stays_and_hides_no_heading(seen: Any, reader: str) -> None:
    jumped = seen["readers"][reader]["jumped"]
    assert jumped["room"] >= 0, "what is jumped to stands below the banner"
    assert 0 < jumped["share"] < 0.1, "it stays, and leaves the page to what is read"


def test_dark_is_dark_in_figures_too(seen: Any) -> None:
    light, dark = (seen["readers"][each] for each in ("light", "dark"))
    assert light["paper"] != dark["paper"]
    assert light["ink"] != dark["ink"], "the text of a figure follows the page"


def test_everything_is_reached_by_keyboard_and_shows_that_it_is(seen: Any) -> None:
    keys = seen["keys"]
    assert keys["wanted"] > 30
    assert keys["reached"] == keys["wanted"]
    assert keys["unseen"] == 0
    assert keys["opened"], "Enter opens the numbers behind a figure"


def test_the_page_asks_for_nothing_but_itself(seen: Any) -> None:
    assert {each.rpartition("/")[2] for each in seen["requests"]} == {"report.html"}
    assert all(each.startswith("file:") for each in seen["requests"])
    assert seen["errors"] == []


def test_it_prints_on_a_sane_number_of_pages(seen: Any) -> None:
    printed = (seen["folder"] / "print.pdf").read_bytes()
    pages = len(re.findall(rb"/Type /Page[^s]", printed))
    assert 4 <= pages <= 30
    assert seen["cut"] == [], "paper does not scroll: every column stands on it"
