"""Find the data that travels with the packages: report templates, starters and the shipped specs."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent

PACKAGES = ("spec_lang", "ledger", "stats", "compiler", "executor", "analyzer", "prereg")
DISTRIBUTION = "prereg-compiler"


def folder(name: Literal["templates", "specs"]) -> Path:
    """Give the folder of that name: inside the wheel, or beside the packages in a source tree."""
    inside = HERE / name
    return inside if inside.is_dir() else HERE.parent / name


def specs_folder() -> Path:
    """Give the folder of the specs that travel with the packages."""
    return folder("specs")


def texts(*path: str) -> dict[str, str]:
    """Read every file of a folder of ``templates``, by its path below that folder."""
    root = folder("templates").joinpath(*path)
    found = sorted(each for each in root.rglob("*") if each.is_file() and each.suffix != ".pyc")
    return {each.relative_to(root).as_posix(): each.read_text(encoding="utf-8") for each in found}


def tool_version() -> str:
    """Give the version of the installed distribution, or ``0+source`` when it runs uninstalled."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+source"
