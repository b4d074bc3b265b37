"""Call sites by syntax: what counts in Python and TypeScript, what does not, what no search can see, and the floor."""

import json
from pathlib import Path

import pytest

from compiler.plan import Chosen
from executor.graders.call_sites import CallSitesGrader
from executor.graders.python_sites import survey_python
from executor.graders.script_sites import survey_scripts
from executor.graders.sites import Api, Asked, Survey
from executor.ports import CheckResult, GradeOrder
from executor.sandboxes.local import LocalSandbox
from ledger.plain import Plain

CORE = "def old(x=0):\n    return old(x - 1) if x else 0\n"
PACKAGE = "from lib.core import old\nfrom .core import old as older\n"


def python(text: str, **more: str) -> Survey:
    files = {"src/lib/__init__.py": PACKAGE, "src/lib/core.py": CORE, "src/app.py": text, **more}
    return survey_python(files, Asked(apis=(Api.read("lib.core:old"),)))


def forms(survey: Survey, path: str = "src/app.py") -> list[str]:
    return [site.form for site in survey.sites if site.path == path]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from lib.core import old\nold(1)\n", ["call"]),
        ("from lib import old\nold(1)\n", ["call"]),
        ("from lib import older\nolder(1)\n", ["call"]),
        ("from lib.core import old as o\no(1)\n", ["call"]),
        ("import lib.core\nlib.core.old(1)\n", ["call"]),
        ("import lib.core as c\nc.old(1)\n", ["call"]),
        ("from lib import core\ncore.old(1)\n", ["call"]),
        ("from lib.core import *\nold(1)\n", ["call"]),
        ("import importlib\nimportlib.import_module('lib.core').old(1)\n", ["call"]),
        ("from lib.core import old\ndef f():\n    g = old\n    return g(1)\n", ["call"]),
        ("from lib.core import old\ndef f(rows):\n    for r in rows:\n        if r:\n            old(r)\n", ["call"]),
        ("from lib.core import old\nx = [old(r) for r in range(3) if old(r)]\n", ["call", "call"]),
        ("from lib.core import old\n@old\ndef f(): pass\n", ["decorator"]),
        ("from lib.core import old\n@old(1)\nclass C: pass\n", ["decorator"]),
        ("from lib.core import old\nfrom functools import partial\np = partial(old, 1)\n", ["partial"]),
        ("import functools, lib.core\np = functools.partial(lib.core.old, 1)\n", ["partial"]),
        ("from lib.core import old\nx = list(map(old, []))\n", ["reference"]),
        ("from lib.core import old\ndef f(on=old): on()\n", ["reference"]),
        ("from lib.core import old\nclass C:\n    run = old\n", ["reference"]),
        ("from lib.core import old\nclass C:\n    old = staticmethod(old)\n", ["reference"]),
        ("from lib.core import old\nhandlers = [old]\n", ["reference"]),
        ("from lib.core import old\nf = old if 1 else None\nf(1)\n", ["reference", "call"]),
        ("def f():\n    from lib.core import old\n    def g():\n        return old(1)\n    return g\n", ["call"]),
        ("try:\n    from lib.core import old\nexcept ImportError:\n    old = None\nold(1)\n", ["call"]),
        ("from lib.core import old\nif (f := old): f(1)\n", ["call"]),
        ("from lib.core import old\nx = f'{old(1)}'\n", ["call"]),
        # What is no call site.
        ("# old(1)\n'old(2)'\n", []),
        ('from lib.core import new\n"""old(1)"""\nx = "lib.core.old(3)"\n', []),
        ("def old(x): return x\nold(1)\n", []),
        ("from lib.core import old\ndef f(old): return old(1)\n", []),
        ("from lib.core import old\nf = lambda old: old(1)\n", []),
        ("from lib.core import old\nx = [old(1) for old in []]\n", []),
        ("from lib.core import old\ndef f():\n    old = print\n    old(1)\n", []),
        ("from other.core import old\nold(1)\n", []),
        ("class C:\n    def old(self): self.old()\n", []),
        ("import lib.core as core\ncore.older(1)\n", []),
        ("from lib.core import old\n", []),
    ],
)
def test_what_counts_in_python(text: str, found: list[str]) -> None:
    survey = python(text)
    assert forms(survey) == found
    assert forms(survey, "src/lib/core.py") == []  # what calls itself is no caller


def test_names_are_followed_through_files() -> None:
    survey = python(
        "from glue import call_me, again\ncall_me(1)\nagain.old(2)\n",
        **{"src/glue.py": "import lib.core as again\nfrom lib import older as call_me\n"},
    )
    assert forms(survey) == ["call", "call"]


def test_circles_of_names_end() -> None:
    more = {"src/a.py": "from b import old\nold(1)\n", "src/b.py": "from a import old\nfrom b import *\nold = old\n"}
    assert forms(python("x = x\ny = z\nz = y\nz()\n", **more)) == []


def test_modules_that_hand_an_api_on() -> None:
    survey = python(
        "legacy = __import__('lib.core').old\n", **{"src/b.py": "from lib.core import old\n__all__ = ['old']\n"}
    )
    handed = [(site.path, site.line) for site in survey.reexports]
    assert handed == [("src/app.py", 1), ("src/b.py", 1), ("src/lib/__init__.py", 1), ("src/lib/__init__.py", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "import lib.core as c\ngetattr(c, 'old')(1)\n",
        "import lib.core as c\ngetattr(c, 'o' + 'ld')(1)\n",
        "import lib.core as c\nvars(c)[name](1)\n",
        "import lib.core as c\nc.__dict__[name](1)\n",
        "globals()[name](1)\n",
        "import importlib\nimportlib.import_module(name).old(1)\n",
        "from operator import attrgetter\nattrgetter(name)(1)\n",
        "eval('old(1)')\n",
        "exec(name)\n",
        "call('lib.core:old', 1)\n",
        "TABLE = {'old': 1}\n",
    ],
)
def test_what_no_search_can_see_in_python(text: str) -> None:
    assert len(python(text).dynamic) >= 1


@pytest.mark.parametrize(
    "text", ["getattr(self, name)\n", "getattr(x, 'other')\n", "'''old'''\n", "eval('1 + 1')\n", "d['x']\n"]
)
def test_what_is_not_meant(text: str) -> None:
    assert python(text).dynamic == ()


def test_what_no_run_reaches_is_marked() -> None:
    text = "from lib.core import old\nif False:\n    old(1)\ndef f():\n    return 1\n    old(2)\nwhile 0:\n    old(3)\nold(4)\n"
    assert [site.dead for site in python(text).sites] == [True, True, True, False]


# --- TypeScript ---

SCRIPTS = {
    "src/core.ts": "export function old(x: number): number {\n  return x ? old(x - 1) : 0;\n}\n",
    "src/index.ts": "export { old } from './core';\nexport { old as older } from './core.js';\nexport * as core from './core';\n",
}


def script(text: str, name: str = "src/app.ts", language: str = "typescript") -> Survey:
    return survey_scripts({**SCRIPTS, name: text}, Asked(apis=(Api.read("src/core:old"),)), language)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import { old } from './core';\nold(1);\n", ["call"]),
        ("import { old as o } from './index';\no(1);\n", ["call"]),
        ("import { older } from '.';\nolder(1);\n", ["call"]),
        ("import { older } from './index.js';\nolder(1);\n", ["call"]),
        ("import * as c from './core';\nc.old(1); c?.old(2);\n", ["call", "call"]),
        ("const { old } = require('./core');\nold(1);\n", ["call"]),
        ("const c = require('./core');\nc.old(1);\n", ["call"]),
        ("async function f() {\n  const { old: o } = await import('./core');\n  o(1);\n}\n", ["call"]),
        (
            "import { old } from './core';\nfunction f() {\n  const g = old;\n  for (const x of []) { if (x) g(x); }\n}\n",
            ["call"],
        ),
        ("import { old } from './core';\nclass C { @old a() {} @old(1) b() {} }\n", ["decorator", "decorator"]),
        ("import { old } from './core';\nconst b = old.bind(null, 1);\n", ["partial"]),
        ("import { old } from './core';\nimport { partial } from 'x';\nconst b = partial(old, 1);\n", ["partial"]),
        ("import { old } from './core';\nold.call(null, 1); old.apply(null, [1]);\n", ["call", "call"]),
        ("import { old } from './core';\n[1].map(old);\n", ["reference"]),
        ("import { old } from './core';\nconst o = { old, f: old };\n", ["reference", "reference"]),
        ("import { old } from './core';\nfunction f(on = old) { on(1); }\n", ["reference"]),
        ("import { old } from './core';\nconst s = `${old(1)}`;\n", ["call"]),
        # What is no call site.
        ("// old(1)\nconst s = 'x old(2)';\n/* old(3) */\n", []),
        ("import { old } from './core';\n", []),
        ("import { old } from './other';\nold(1);\n", []),
        ("import { old } from './core';\nfunction f(old: number) { return old; }\n", []),
        ("import { old } from './core';\nconst f = (old: any) => old(1);\n", []),
        ("import { old } from './core';\nconst f = old => old(1);\n", []),
        ("import { old } from './core';\nfunction f() { const old = 1; return old; }\n", []),
        ("import { old } from './core';\ntype T = typeof old;\n", []),
        ("const x = { old: 1 };\nx.old;\n", []),
    ],
)
def test_what_counts_in_typescript(text: str, found: list[str]) -> None:
    survey = script(text)
    assert forms(survey, "src/app.ts") == found
    assert forms(survey, "src/core.ts") == []


def test_typescript_hands_on_too_and_jsx_is_read() -> None:
    survey = script("import { old } from './core';\nexport const legacy = old;\nexport default old;\n")
    assert {(site.path, site.line) for site in survey.reexports} >= {
        ("src/app.ts", 2),
        ("src/index.ts", 1),
        ("src/index.ts", 2),
    }
    shown = script(
        "import { old } from './core';\nexport const A = () => <b onClick={old}>{old(1)}</b>;\n", "src/a.tsx"
    )
    assert forms(shown, "src/a.tsx") == ["reference", "call"]
    assert shown.unread == ()
    plain = survey_scripts(
        {"a.mjs": "export const old = () => 1;\n", "b.mjs": "import { old } from './a.mjs';\nold();\n"},
        Asked(apis=(Api.read("a:old"),)),
        "javascript",
    )
    assert forms(plain, "b.mjs") == ["call"]


@pytest.mark.parametrize(
    "text",
    [
        "import * as c from './core';\nc['old'](1);\n",
        "import * as c from './core';\nc[name](1);\n",
        "call('old', 1);\n",
        "require(name);\n",
        "import(name);\n",
        "eval(name);\n",
    ],
)
def test_what_no_search_can_see_in_typescript(text: str) -> None:
    assert len(script(text).dynamic) == 1


# --- the check ---


def grade(
    tmp_path: Path, before: dict[str, str], after: dict[str, str], *, earlier: bool = True, **options: Plain
) -> CheckResult:
    for name, files in (("before", before), ("after", after)):
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    (tmp_path / "scratch").mkdir(exist_ok=True)
    order = GradeOrder(
        check=Chosen(kind="call-sites", options={"language": "python", "of": [], **options}),
        root=tmp_path / "after",
        pristine=tmp_path / "before",
        changed=(),
        answer=None,
        events=(),
        tests=None,
        scratch=tmp_path / "scratch",
        sandbox=LocalSandbox(),
        earlier={"behaviour": earlier},
    )
    return CallSitesGrader().grade(order)


OLD = {
    "lib.py": "def old(): pass\ndef new(): pass\n",
    "a.py": "from lib import old\nold()\nold()\n",
    "t/test_a.py": "import lib\nlib.old()\n",
}
NEW = {**OLD, "a.py": "from lib import new\nnew()\nnew()\n"}


def test_an_old_api_is_gone_where_it_is_looked_for(tmp_path: Path) -> None:
    gone = grade(tmp_path, OLD, NEW, of=["lib:old"], paths=["*.py"])
    assert gone.ok is True
    assert dict(gone.facts) == {"count": 0, "before": 2, "reexports": 0, "dynamic": 0, "dynamic_call_sites": []}
    left = grade(tmp_path, OLD, NEW, of=["lib:old"])
    assert (left.ok, left.detail) == (False, "t/test_a.py:2: call: lib.old()")
    assert grade(tmp_path, OLD, NEW, of=["lib:old"], most=1).ok is True
    sites = json.loads(left.artefacts["sites"].read_text())
    assert [each["at"] for each in sites["result"]["sites"]] == ["t/test_a.py:2:1"]


def test_patterns_find_what_names_cannot(tmp_path: Path) -> None:
    method = {"a.py": "class C: pass\nC().fetch(1)\n# C().fetch(2)\n'C().fetch(3)'\n"}
    found = grade(tmp_path, method, method, patterns=["$X.fetch($$$)"])
    assert (found.ok, found.facts["count"]) == (False, 1)


def test_a_call_by_a_computed_name_may_stay_but_none_may_come(tmp_path: Path) -> None:
    there = {**NEW, "b.py": "import lib\ngetattr(lib, name)()\n"}
    assert grade(tmp_path / "1", there, there, of=["lib:old"], paths=["*.py"]).ok is True
    come = grade(tmp_path / "2", NEW, there, of=["lib:old"], paths=["*.py"])
    assert (come.ok, come.facts["dynamic"]) == (False, 1)


def test_a_link_is_no_file_and_what_does_not_parse_may_hide_anything(tmp_path: Path) -> None:
    (tmp_path / "after").mkdir()
    (tmp_path / "after" / "link.py").symlink_to(tmp_path / "before" / "a.py")
    assert grade(tmp_path, OLD, NEW, of=["lib:old"], paths=["*.py"]).ok is True
    broken = grade(tmp_path, OLD, {**NEW, "c.py": "def (:\n", "d.py": "x = '\0'\n"}, of=["lib:old"], paths=["*.py"])
    assert (broken.ok, broken.detail) == (False, "c.py: cannot be parsed; d.py: cannot be parsed")


FLOOR: dict[str, Plain] = {
    "of": ["lib:new"],
    "paths": ["*.py"],
    "replaces": {"of": ["lib:old"]},
    "consolidations": "merged.json",
    "needs": "behaviour",
}


def test_the_floor_stands_on_both_apis_at_the_start(tmp_path: Path) -> None:
    half = {**OLD, "b.py": "import lib\nlib.new()\n"}
    assert grade(tmp_path / "1", half, {**NEW, "b.py": half["b.py"]}, **FLOOR).facts["floor"] == 3
    fewer = grade(tmp_path / "2", half, {**NEW, "b.py": ""}, **FLOOR)
    assert (fewer.ok, fewer.facts["count"], fewer.detail) == (False, 2, "2 sites and 0 merged ones, 3 needed")
    shim = {**NEW, "lib.py": "def old(): new()\ndef new(): pass\n", "b.py": ""}
    assert grade(tmp_path / "3", half, shim, **FLOOR).facts["count"] == 2  # a shim is no call site that was migrated


@pytest.mark.parametrize(
    ("report", "behaviour", "merged"),
    [
        ([{"sites": ["a.py:2", "a.py:3"], "into": "a.py:2", "why": "one loop"}], True, 1),
        ([{"sites": ["a.py:2", "a.py:3"], "into": "a.py:2", "why": "one loop"}], False, 0),
        ([{"sites": ["a.py:2", "a.py:3"], "into": "a.py:9", "why": "one loop"}], True, 0),
        ([{"sites": ["a.py:2"], "into": "a.py:2", "why": "one loop"}], True, 0),
        ([{"sites": ["a.py:2", "a.py:2"], "into": "a.py:2", "why": "one loop"}], True, 0),
        ([{"sites": ["a.py:2", "a.py:3"], "into": "a.py:2"}], True, 0),
        ({"sites": []}, True, 0),
        ([3], True, 0),
        ([[[]]] * 3, True, 0),
    ],
)
def test_a_consolidation_is_judged_by_itself(tmp_path: Path, report: object, behaviour: bool, merged: int) -> None:
    one = {**NEW, "a.py": "from lib import new\nnew()\n", "merged.json": json.dumps(report)}
    result = grade(tmp_path, OLD, one, earlier=behaviour, **FLOOR)
    assert (result.ok, result.facts["merged"]) == (merged == 1, merged)
    told = json.loads(result.artefacts["sites"].read_text())["consolidations"]
    assert len(told) == result.facts["reported"]
    assert all((each["refused"] is None) == (each["merged"] > 0) for each in told)


def test_files_that_share_a_name_are_all_searched() -> None:
    use = "from lib.core import old\nold(1)\n"
    assert forms(python(use, **{"app.py": use, "src/app/__init__.py": use}), "app.py") == ["call"]
    found = survey_scripts(
        {
            **SCRIPTS,
            "a.ts": "import { old } from './src/core';\nold(1);\n",
            "a.js": "import { old } from './src/core';\nold(2);\n",
        },
        Asked(apis=(Api.read("src/core:old"),)),
        "typescript",
    )
    assert [site.path for site in found.sites] == ["a.js", "a.ts"]


DEEP = {
    "brackets": "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n",
    "attributes": "a" + ".b" * 5000 + "()\n",
    "signs": "x = " + "-" * 20_000 + "1\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_too_deep_is_told(name: str) -> None:
    assert python(DEEP[name]).unread == ("src/app.py",)


def test_aliases_without_end_are_told() -> None:
    text = "\n".join(f"n{number} = n{number + 1}" for number in range(3000))
    assert python(f"{text}\nn0()\n").unread == ("src/app.py",)
    text = "\n".join(f"const n{number} = n{number + 1};" for number in range(3000))
    assert script(f"{text}\nn0();\n").unread == ("src/app.ts",)
