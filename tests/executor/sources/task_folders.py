"""A small task in a folder of tasks, laid out in one call."""

import io
import json
from collections.abc import Mapping
from pathlib import Path

from ruamel.yaml import YAML

TASK: Mapping[str, object] = {
    "title": "Add right",
    "prompt": "2 and 2 should give 4.",
    "category": "bugfix",
    "difficulty": "easy",
    "language": "text",
    "requires": ["sh"],
    "timeoutMs": 600000,
    "maxCostUsd": 0.5,
    "checks": [
        {"kind": "command", "run": "sh check.sh", "expectExit": 0, "timeoutMs": 5000},
        {"kind": "file-contains", "path": "calc.txt", "pattern": "4", "ignoreCase": True},
    ],
    "hidden": ["check.sh"],
}
PATCH = """\
diff --git a/calc.txt b/calc.txt
--- a/calc.txt
+++ b/calc.txt
@@ -1 +1 @@
-2 2 5
+2 2 4
"""


def lay_task(root: Path, name: str, said: Mapping[str, object] = TASK, *, as_json: bool = False) -> Path:
    """Lay out ``root/tasks/NAME``: calc.txt is wrong, check.sh says so, and the patch mends it. Gives the task's folder."""
    task = root / "tasks" / name
    for part in ("repo", "hidden"):
        (task / part).mkdir(parents=True)
    content = {"id": name, **said}
    if as_json:
        (task / "task.json").write_text(json.dumps(content, indent=2))
    else:
        written = io.StringIO()
        YAML(typ="safe", pure=True).dump(content, written)
        (task / "task.yaml").write_text(written.getvalue())
    (task / "repo" / "calc.txt").write_text("2 2 5\n")
    (task / "hidden" / "check.sh").write_text("read a b c < calc.txt; test $((a + b)) = $c\n")
    (task / "solution.patch").write_text(PATCH)
    return task
