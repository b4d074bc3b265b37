"""Node packages: installed once from a lock file, linked into the workspace of every job, part of no change; vitest proves TypeScript."""

import shutil
import subprocess
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from compiler.plan import Chosen, LimitsPlan
from compiler.task import TestPlan
from executor.environments import Environment, prepare
from executor.node_packages import MODULES
from executor.ports import Job, Sandbox
from executor.sandboxes.bubblewrap import BubblewrapSandbox
from executor.sandboxes.local import LocalSandbox
from executor.suite import run_suite
from executor.trees import Leaf, pack
from executor.workspace import capture, open_workspace, template
from ledger.errors import WorldFault
from tests.executor.node_world import asked, cache, packages
from tests.needs import require


@pytest.fixture(params=[LocalSandbox, pytest.param(BubblewrapSandbox, marks=pytest.mark.bubblewrap)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    made: Sandbox = request.param()
    require(made.unavailable())
    return made


def job_in(folder: Path, environment: Environment, *argv: str) -> Job:
    for name in ("workspace", "home"):
        (folder / name).mkdir(exist_ok=True)
    return Job(
        argv=argv,
        workspace=folder / "workspace",
        home=folder / "home",
        limits=LimitsPlan(time_s=Decimal(60)),
        stdout=folder / "out",
        stderr=folder / "err",
        path=tuple(map(str, environment.path)),
        mounts=environment.mounts,
    )


def test_packages_are_installed_once_and_their_versions_are_known(tmp_path: Path) -> None:
    found = packages("ms", tmp_path)
    assert found.versions["npm:ms"] == "2.1.3"
    assert {"node", "python"} <= found.versions.keys()
    (mount,) = [each for each in found.mounts if each.inside == MODULES]
    mark = mount.host / ".mark"
    mark.touch()
    assert packages("ms", tmp_path) == found
    assert mark.exists()
    for file in mount.host.parent.glob("*.json"):
        assert "://" not in file.read_text(), "an address was written"


def test_a_job_finds_them_and_leaves_no_trace(tmp_path: Path, sandbox: Sandbox) -> None:
    job = job_in(tmp_path, packages("ms", tmp_path), "node", "-e", "console.log(require('ms')('2 days'))")
    end = sandbox.run(job)
    assert (end.exit_code, job.stdout.read_text()) == (0, "172800000\n"), job.stderr.read_text()
    assert list(job.workspace.iterdir()) == []
    module = replace(job, argv=("node", "--input-type=module", "-e", "import ms from 'ms'; console.log(ms('1h'))"))
    assert (sandbox.run(module).exit_code, job.stdout.read_text()) == (0, "3600000\n"), job.stderr.read_text()


def test_what_a_tool_writes_among_them_is_no_change_and_what_stood_there_stays(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    environment = packages("ms", tmp_path)
    write = "mkdir -p node_modules/.tool && echo x > node_modules/.tool/cache && echo y > made.txt"
    start = template(pack((Leaf(path="README.md", data=b"# a project\n"),)), tmp_path / "cache")
    with open_workspace(start, tmp_path) as workspace:
        job = replace(job_in(tmp_path, environment, "sh", "-c", write), workspace=workspace.root)
        assert sandbox.run(job).exit_code == 0
        assert capture(workspace).changed == ("made.txt",)
    own = pack((Leaf(path="node_modules/ms/index.js", data=b"module.exports = () => 'own'\n"),))
    with open_workspace(template(own, tmp_path / "cache"), tmp_path) as workspace:
        said = job_in(tmp_path, environment, "node", "-e", "console.log(require('ms')('1h'))")
        job = replace(said, workspace=workspace.root)
        assert (sandbox.run(job).exit_code, job.stdout.read_text()) == (0, "own\n")
        assert capture(workspace).changed == ()


def test_no_link_is_followed(tmp_path: Path, sandbox: Sandbox) -> None:
    job = job_in(tmp_path, packages("ms", tmp_path), "true")
    outside = tmp_path / "outside"
    outside.mkdir()
    (job.workspace / MODULES).symlink_to(outside)
    assert sandbox.run(job).exit_code == 0
    assert list(outside.iterdir()) == []
    (job.workspace / MODULES).unlink()
    swapped = replace(job, argv=("sh", "-c", f"rm -r node_modules && ln -s {outside} node_modules"))
    (outside / "kept").touch()
    assert sandbox.run(swapped).exit_code == 0
    assert [each.name for each in outside.iterdir()] == ["kept"]
    assert list(job.workspace.iterdir()) == []


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(chosen: Chosen) -> str:
        with pytest.raises(WorldFault) as caught:
            prepare(chosen, base=tmp_path, cache=tmp_path / "cache")
        assert caught.value.reasons[0].hint
        return caught.value.reasons[0].code

    require(None if shutil.which("npm") else "there is no npm")
    assert code(Chosen(kind="npm", options={"lock": "absent.json"})) == "no-lock"
    assert code(Chosen(kind="npm", options={"lock": "package-lock.json", "node": "1.2"})) == "no-interpreter"
    wrong = asked("ms", tmp_path)
    (tmp_path / "package.json").write_text('{"name": "tests", "dependencies": {"ms": "1.0.0"}}')
    assert code(wrong) == "environment"  # npm itself refuses a lock that does not fit
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code(asked("ms", tmp_path)) == "no-interpreter"


# --- TypeScript by vitest ---

SUITE = """import { describe, expect, it } from "vitest";
import { slug } from "../src/slug";

describe("slug", () => {
  it("joins words", () => expect(slug("Two Words")).toBe("two-words"));
  it("drops marks", () => expect(slug("What?")).toBe("what"));
});
"""


def test_vitest_proves_typescript_without_a_network(tmp_path: Path, sandbox: Sandbox) -> None:
    environment = packages("vitest", tmp_path)
    root = tmp_path / "tree"
    for name, text in (
        ("package.json", '{"name": "slug", "private": true}'),
        ("src/slug.ts", 'export const slug = (text: string): string => text.toLowerCase().replace(" ", "-");\n'),
        ("test/slug.test.ts", SUITE),
        ("vitest.config.ts", 'import { defineConfig } from "vitest/config";\nexport default defineConfig({});\n'),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    plan = TestPlan(
        run=("vitest", "run", "--reporter=junit", "--outputFile={report}"),
        report="junit",
        files=("test/slug.test.ts",),
        fail_to_pass=(),
        pass_to_pass=(),
        restore=(),
    )
    found = run_suite(
        plan,
        root=root,
        scratch=tmp_path / "scratch",
        sandbox=sandbox,
        path=tuple(map(str, environment.path)),
        mounts=environment.mounts,
    )
    assert found.states == {
        "test/slug.test.ts::slug > joins words": "passed",
        "test/slug.test.ts::slug > drops marks": "failed",
    }, found.said
    assert sorted(each.name for each in root.iterdir()) == ["package.json", "src", "test", "vitest.config.ts"]


def test_the_cache_of_tests_lies_outside_of_the_clone() -> None:
    assert not cache().resolve().is_relative_to(Path(__file__).parents[2])
    listed = subprocess.run(["git", "ls-files", "*/node_modules/*"], capture_output=True, check=False, text=True)
    assert listed.stdout == ""
