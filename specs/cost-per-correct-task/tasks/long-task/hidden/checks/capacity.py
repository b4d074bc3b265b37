"""The checks of ``capacity``; the one that is named runs."""

import ast
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from asking import asked  # noqa: E402


def value():
    wanted = json.loads(Path(__file__).with_name("expected.json").read_text("utf-8"))["capacity"]
    return asked(
        "from parcels import capacity, fits", {"capacity()": wanted, "fits(31500)": True, "fits(31501)": False}
    )


def written():
    """The number stands there as one number; nothing is read or added up when it runs."""
    tree = ast.parse(Path("parcels.py").read_text("utf-8"))
    found = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "capacity")
    left = [each for each in found.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    alone = len(left) == 1 and isinstance(left[0], ast.Return) and isinstance(left[0].value, ast.Constant)
    return alone and not found.decorator_list


CHECKS = {"value": value, "written": written}
sys.exit(not CHECKS[sys.argv[1]]())
