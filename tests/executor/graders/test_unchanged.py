"""The unchanged check: functions byte for byte, files, modes, and every way of changing what was to stay as it was."""

from pathlib import Path

import pytest

from executor.graders.functions import read_outline
from executor.graders.unchanged import UnchangedGrader
from executor.ports import CheckResult
from ledger.plain import Plain
from tests.executor.graders.streams import order

PYTHON = '''"""Practice."""

import re

LIMIT = 50


# what it costs to send something
@trace
def delivery(total):
    """Cost."""
    # comment

    return 0 if total > LIMIT else 5


def names(raw):
    return [each for each in raw]


class Shop:
    """A shop.

    # no comment
    """

    rate = 2

    @property
    def price(self):
        return self.rate

    @price.setter
    def price(self, value):
        self.rate = value
'''
SCRIPT = """import { limit } from "./limits";

// what it costs
export const delivery = (total: number): number => {
  return total > limit ? 0 : 5;
};

export function names(raw: string[]) {
  return raw.map((each) => each.trim());
}

export class Shop {
  rate = 2;
  get price() {
    return this.rate;
  }
  set price(value) {
    this.rate = value;
  }
  later = async () => this.rate;
}

[1].forEach(function (each) {
  console.log(each);
});
"""


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    for side in ("start", "result"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "practice.py").write_bytes(PYTHON.encode())
        (tmp_path / side / "practice.ts").write_bytes(SCRIPT.encode())
        (tmp_path / side / "notes.md").write_text("notes\n")
    return tmp_path / "start", tmp_path / "result"


def judged(trees: tuple[Path, Path], changed: list[str], **options: Plain) -> CheckResult:
    start, result = trees
    asked = order(result, "unchanged", options, pristine=start, changed=tuple(changed))
    return UnchangedGrader().grade(asked)


def test_functions_are_found_with_what_belongs_to_them() -> None:
    python, script = read_outline("practice.py", PYTHON), read_outline("practice.ts", SCRIPT)
    assert python is not None
    assert script is not None
    assert list(python.functions) == ["delivery", "names", "Shop.price", "Shop.price#2"]
    assert python.functions["delivery"].startswith("# what it costs to send something\n@trace\ndef")
    assert list(script.functions) == ["delivery", "names", "Shop.get price", "Shop.set price", "Shop.later"]
    assert script.functions["delivery"].startswith("// what it costs\nexport const delivery")
    assert "console.log" in script.around
    assert "import" not in python.around + script.around


EDITS: dict[str, tuple[str, str, str, str | None]] = {
    "the one that may": ("practice.py", "else 5", "else 6", None),
    "a comment inside it": ("practice.py", "    # comment\n", "", None),
    "the comment above it": ("practice.py", "# what it costs to send something\n", "# else\n", None),
    "its decorator": ("practice.py", "@trace\n", "", None),
    "an import": ("practice.py", "import re\n", "import re\nimport math\n", None),
    "empty lines between": ("practice.py", "\n\n\ndef names", "\n\ndef names", None),
    "another": ("practice.py", "[each for each in raw]", "list(raw)", "`names` changed"),
    "spaces in another": ("practice.py", "[each for each in raw]", "[each for each  in raw]", "`names` changed"),
    "a comment in another": ("practice.py", "in raw]\n", "in raw]  # fine\n", "`names` changed"),
    "a comment above another": ("practice.py", "def names", "# fine\ndef names", "`names` changed"),
    "a decorator of another": ("practice.py", "def names", "@cache\ndef names", "`names` changed"),
    "another renamed": ("practice.py", "def names", "def name", "`names` is gone"),
    "one added": ("practice.py", "def names", "def more():\n    pass\n\n\ndef names", "`more` is new"),
    "a second of its name": (
        "practice.py",
        "class Shop",
        "def names(raw):\n    return 1\n\n\nclass Shop",
        "`names#2` is new",
    ),
    "a method": ("practice.py", "return self.rate", "return 1", "`Shop.price` changed"),
    "a second of one name": ("practice.py", "self.rate = value", "self.rate = 1", "`Shop.price#2` changed"),
    "a class attribute": ("practice.py", "rate = 2", "rate = 3", "the code outside"),
    "a line of a text that looks like a comment": ("practice.py", "    # no comment\n", "", "the code outside"),
    "an empty line of a text": ("practice.py", "A shop.\n\n", "A shop.\n", "the code outside"),
    "a constant": ("practice.py", "LIMIT = 50", "LIMIT = 40", "the code outside"),
    "another put in its place": (
        "practice.py",
        "\n\nclass Shop",
        "\n\nnames = print\n\n\nclass Shop",
        "the code outside",
    ),
    "another put in its place by an import": (
        "practice.py",
        "import re\n",
        "import re\nfrom re import names\n",
        "`names` is imported otherwise",
    ),
    "a constant put in its place by an import": (
        "practice.py",
        "LIMIT = 50\n",
        "LIMIT = 50\nfrom sys import maxsize as LIMIT\n",
        "`LIMIT` is imported otherwise",
    ),
    "a class put in its place by an import": (
        "practice.py",
        "import re\n",
        "import re\nfrom enum import Enum as Shop\n",
        "`Shop` is imported otherwise",
    ),
    "a builtin that others use, by an import": (
        "practice.py",
        "import re\n",
        "import re\nfrom re import escape as property\n",
        "`property` is imported otherwise",
    ),
    "what nobody uses, from elsewhere": ("practice.py", "import re\n", "import regex as re\n", None),
    "what only it uses, from elsewhere": (
        "practice.ts",
        "import { limit } from",
        "import { other as limit } from",
        None,
    ),
    "a script's console, by an import": (
        "practice.ts",
        "import {",
        "import * as console from 'fs';\nimport {",
        "`console` is imported otherwise",
    ),
    "code behind a script's end": (
        "practice.ts",
        "  return total > limit ? 0 : 5;\n};\n",
        "  return total > limit ? 0 : 5;\n}; globalThis.rate = 3;\n",
        "the code outside",
    ),
    "code before a script's begin": (
        "practice.ts",
        "export const delivery",
        "globalThis.rate = 3; export const delivery",
        "the code outside",
    ),
    "a star": ("practice.py", "import re\n", "import re\nfrom re import *\n", "the code outside"),
    "code behind an import": ("practice.py", "import re\n", "import re; x = 1\n", "the code outside"),
    "line ends": ("practice.py", "def names(raw):\n", "def names(raw):\r\n", "`names` changed"),
    "a file that cannot be parsed": ("practice.py", "def names(raw):", "def names(raw:", "cannot be parsed"),
    "a script's one": ("practice.ts", "? 0 : 5", "? 0 : 6", None),
    "a script's import": ("practice.ts", "import {", "import fs from 'fs';\nimport {", None),
    "a script's other": ("practice.ts", "each.trim()", "each", "`names` changed"),
    "a script's export": ("practice.ts", "export function names", "function names", "`names` changed"),
    "a script's setter": ("practice.ts", "this.rate = value", "this.rate = 1", "`Shop.set price` changed"),
    "a script's field": ("practice.ts", "async () => this.rate", "async () => 1", "`Shop.later` changed"),
    "a script's callback": ("practice.ts", "console.log(each)", "console.log(1)", "the code outside"),
    "a script's new one": ("practice.ts", "export class", "const more = () => 1;\nexport class", "`more` is new"),
    "a script that cannot be parsed": (
        "practice.ts",
        "export class Shop {",
        "export class Shop {{",
        "cannot be parsed",
    ),
    "another file": ("notes.md", "notes", "more notes", "notes.md: changed"),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits(trees: tuple[Path, Path], name: str) -> None:
    path, old, new, blame = EDITS[name]
    file = trees[1] / path
    text = file.read_bytes().decode()
    assert old in text
    file.write_bytes(text.replace(old, new, 1).encode())
    found = judged(trees, [path], functions={"practice.py": ["delivery"], "practice.ts": ["delivery"]})
    assert found.ok is (blame is None), found.detail
    assert blame is None or blame in found.detail


def test_moving_a_function_within_its_file_changes_nothing(trees: tuple[Path, Path]) -> None:
    names = "def names(raw):\n    return [each for each in raw]\n\n\n"
    (trees[1] / "practice.py").write_text(PYTHON.replace(names, "") + "\n\n" + names, "utf-8")
    assert judged(trees, ["practice.py"], functions={"practice.py": []}).ok is True


def test_functions_and_code_around_may_be_let_free(trees: tuple[Path, Path]) -> None:
    more = "LIMIT = 40\n\n\ndef more():\n    return 1\n"
    (trees[1] / "practice.py").write_text(PYTHON.replace("LIMIT = 50\n", more), "utf-8")
    free = {"functions": {"practice.py": []}, "new_functions": True, "module_code": "any"}
    assert judged(trees, ["practice.py"], **free).ok is True
    (trees[1] / "practice.py").write_text(
        PYTHON.replace("class Shop", "def names():\n    pass\n\n\nclass Shop"), "utf-8"
    )
    assert judged(trees, ["practice.py"], **free).ok is False


def test_files(trees: tuple[Path, Path]) -> None:
    result = trees[1]
    assert judged(trees, []).ok is True
    assert judged(trees, ["notes.md"]).ok is False
    assert judged(trees, ["notes.md"], files=["*.md"]).ok is True
    assert judged(trees, ["notes.md"], new_files=["*.md"]).ok is False  # it is not new
    (result / "practice.py").write_text(PYTHON.replace("in raw]", "in raw[:1]"), "utf-8")
    assert judged(trees, ["practice.py"], files=["*.py"]).ok is True
    assert judged(trees, ["practice.py"], files=["*.py"], functions={"practice.py": ["delivery"]}).ok is False
    (result / "practice.py").write_text(PYTHON, "utf-8")
    (result / "more.md").write_text("more")
    assert judged(trees, ["more.md"], new_files=["*.md"]).ok is True
    found = judged(trees, ["more.md"])
    assert (found.ok, found.detail, dict(found.facts)) == (
        False,
        "more.md: is new",
        {"files": 1, "functions": 0, "unexpected": 1},
    )
    (result / "notes.md").unlink()
    assert judged(trees, ["notes.md"]).detail == "notes.md: is gone"
    (result / "practice.py").chmod(0o755)
    assert judged(trees, ["practice.py"], functions={"practice.py": []}).detail == "practice.py: another mode"
    (result / "practice.py").unlink()
    (result / "practice.py").symlink_to(trees[0] / "practice.py")
    assert judged(trees, ["practice.py"], functions={"practice.py": []}).ok is False


def test_what_stands_in_files_is_not_told(trees: tuple[Path, Path]) -> None:
    (trees[1] / "practice.py").write_text(PYTHON.replace("LIMIT = 50", "LIMIT = 40"), "utf-8")
    found = judged(trees, ["practice.py"], functions={"practice.py": ["delivery"]})
    assert "LIMIT" not in found.detail + str(found.facts)


def test_a_parser_that_complains_is_heard_by_nobody(trees: tuple[Path, Path]) -> None:
    (trees[1] / "practice.py").write_text(PYTHON.replace("else 5", r"else int('\d'[1:] and '5')"), "utf-8")
    assert judged(trees, ["practice.py"], functions={"practice.py": ["delivery"]}).ok is True
