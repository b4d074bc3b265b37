"""Starters: an experiment that ships with prereg, laid out in a folder with the histories it works on."""

import os
import shutil
import subprocess
from pathlib import Path

from ledger.errors import Fault, WorldFault
from prereg.resources import specs_folder

# A history is kept as patches. With these, its commit ids come out the same on every machine.
_SAME_EVERYWHERE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}


def names() -> tuple[str, ...]:
    """Name the starters that this prereg carries."""
    return tuple(sorted(each.name for each in specs_folder().iterdir() if (each / "spec.yaml").is_file()))


def about(name: str) -> str:
    """Say what a starter is: the first sentence of the comment that begins its spec."""
    first = (specs_folder() / name / "spec.yaml").read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ").partition(". ")[0].rstrip(".")


def lay(name: str, into: Path) -> None:
    """Copy a starter into an empty or new folder and build its histories as git repositories.

    Raises WorldFault when the starter is unknown, the folder is in use, or git fails.
    """
    origin = specs_folder() / name
    if name not in names():
        raise WorldFault(
            Fault(code="starter", what=f"no starter is called {name!r}", hint=f"starters: {', '.join(names())}")
        )
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise WorldFault(
            Fault(code="folder", what="the folder is in use", where=str(into), hint="name a new or an empty folder")
        )
    into.mkdir(parents=True, exist_ok=True)
    for each in sorted(origin.iterdir()):
        if each.is_file():
            shutil.copyfile(each, into / each.name)
        elif each.name != "history":
            shutil.copytree(each, into / each.name)
    histories = origin / "history"
    if histories.is_dir():
        for patches in sorted(histories.iterdir()):
            _build_history(patches, into / patches.name)


def _build_history(patches: Path, repository: Path) -> None:
    """Apply the patches, in order of name, to a new repository."""
    repository.mkdir()
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(
        repository,
        "am",
        "--quiet",
        "--committer-date-is-author-date",
        "--no-gpg-sign",
        *(str(each.resolve()) for each in sorted(patches.glob("*.patch"))),
    )


def _git(repository: Path, *arguments: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    name = repository.name
    environment |= {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": f"history@{name}.example"}
    try:
        subprocess.run(
            ["git", "-C", str(repository), *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=environment | _SAME_EVERYWHERE,
        )
    except FileNotFoundError:
        raise WorldFault(Fault(code="git", what="git is not installed", hint="install git and run again")) from None
    except subprocess.CalledProcessError as failed:
        raise WorldFault(
            Fault(code="git", what=f"git {arguments[0]} failed", got=failed.stderr.strip(), where=str(repository))
        ) from failed
