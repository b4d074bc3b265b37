"""The checks of ``capacity``; the one that is named runs."""

import ast
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, ".")


def value():
    from parcels import capacity, fits

    wanted = json.loads(Path(__file__).with_name("expected.json").read_text("utf-8"))["capacity"]
    return capacity() == wanted and type(capacity()) is int and fits(31500) and not fits(31501)


def written():
    """The number stands there as one number; nothing is read or added up when it runs."""
    tree = ast.parse(Path("parcels.py").read_text("utf-8"))
    body = next(each.body for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "capacity")
    left = [each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    return len(left) == 1 and isinstance(left[0], ast.Return) and isinstance(left[0].value, ast.Constant)


CHECKS = {"value": value, "written": written}
sys.exit(not CHECKS[sys.argv[1]]())
