"""What this machine can and cannot do: a list of findings, each with what it means and how to put it right."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, Protocol, cast

from ledger.errors import Faults
from prereg import plugins, tool
from prereg.resources import HERE, PACKAGES, folder

FOREIGN = "prereg"
"""The distribution of that name belongs to somebody else and installs the same command."""

SHELLS = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}
LITTLE_ROOM = 1_000_000_000

Status = Literal["ok", "absent", "missing", "warning"]


class _Asked(Protocol):
    def unavailable(self) -> str | None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing looked at. ``missing``: prereg cannot work without it; ``absent``: something optional is not there."""

    name: str
    status: Status
    detail: str
    hint: str | None = None


def examine() -> tuple[Finding, ...]:
    """Look at everything, in order."""
    return tuple(finding for look in LOOKS for finding in look())


def _tool() -> Iterator[Finding]:
    me = tool.identity()
    yield Finding(name="prereg", status="ok", detail=f"{me['name']} {me['version']}, {me['digest']}")
    yield Finding(name="python", status="ok", detail=f"{platform.python_implementation()} {platform.python_version()}")


def _packages() -> Iterator[Finding]:
    # Our import names are plain words, and another distribution may bring a folder of the same name.
    strangers = []
    for each in PACKAGES:
        found = import_module(each).__file__
        if found is None or Path(found).resolve().parent.parent != HERE.parent:
            strangers.append(f"{each} from {found}")
    if strangers:
        hint = "install prereg-compiler into an environment of its own (pipx install, uv tool install)"
        yield Finding(name="packages", status="missing", detail="not ours: " + ", ".join(strangers), hint=hint)
    for where in (folder("templates"), folder("specs")):
        if not where.is_dir():
            yield Finding(
                name=where.name, status="missing", detail=f"{where} is not there", hint="reinstall prereg-compiler"
            )


def _shadows() -> Iterator[Finding]:
    try:
        foreign = distribution(FOREIGN)
    except PackageNotFoundError:
        pass
    else:
        detail = f"another project, {FOREIGN} {foreign.version}, is installed here; it brings a command of our name"
        yield Finding(
            name="namesake", status="warning", detail=detail, hint="uninstall it, then reinstall prereg-compiler"
        )
    first = shutil.which("prereg")
    ours = Path(sys.executable).parent / "prereg"
    if first is None:
        detail = f"prereg is not on PATH; it is {ours}" if ours.exists() else "the command prereg is not installed"
        yield Finding(name="command", status="absent", detail=detail, hint=f"put {ours.parent} on PATH")
    elif ours.exists() and Path(first).resolve() != ours.resolve():
        detail = f"the prereg first on PATH is {first}, not {ours}"
        yield Finding(name="command", status="warning", detail=detail, hint=f"put {ours.parent} first on PATH")
    else:
        yield Finding(name="command", status="ok", detail=first)


def _git() -> Iterator[Finding]:
    if shutil.which("git") is None:
        yield Finding(name="git", status="missing", detail="git is not installed", hint="install git 2.30 or newer")
        return
    told = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    yield Finding(name="git", status="ok", detail=told.stdout.strip() or told.stderr.strip())


def _sandboxes() -> Iterator[Finding]:
    for kind in plugins.installed("sandboxes"):
        try:
            why = cast("_Asked", plugins.load("sandboxes", kind)).unavailable()
        except Faults as fault:
            why = str(fault)
        hint = None if why is None else "a spec that asks for this sandbox cannot be executed here"
        yield Finding(name=f"sandbox {kind}", status="absent" if why else "ok", detail=why or "works", hint=hint)


def _plugins() -> Iterator[Finding]:
    for slot in plugins.SLOTS:
        kinds = plugins.installed(slot)
        broken = [fault for kind in kinds if (fault := _broken(slot, kind))]
        if not kinds:
            yield Finding(
                name=slot, status="missing", detail="no plugin is installed", hint="reinstall prereg-compiler"
            )
        elif broken:
            yield Finding(name=slot, status="warning", detail="; ".join(broken), hint="reinstall what brings it")
        else:
            yield Finding(name=slot, status="ok", detail=", ".join(kinds))


def _broken(slot: plugins.Slot, kind: str) -> str | None:
    try:
        plugins.load(slot, kind)
    except Faults as fault:
        return str(fault)
    return None


def _machine() -> Iterator[Finding]:
    yield Finding(name="processors", status="ok", detail=str(os.cpu_count()))
    free = shutil.disk_usage(Path.cwd()).free
    status: Status = "ok" if free > LITTLE_ROOM else "warning"
    yield Finding(name="disk", status=status, detail=f"{free / 1e9:.1f} GB free in this folder")


def _completion() -> Iterator[Finding]:
    shell = Path(os.environ.get("SHELL", "")).name
    for each in (shell,) if shell in SHELLS else SHELLS:
        made = f"_PREREG_COMPLETE={each}_source prereg"
        line = f"{made} | source" if each == "fish" else f'eval "$({made})"'
        yield Finding(name=f"completion {each}", status="ok", detail=f"add to {SHELLS[each]}: {line}")


LOOKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    _tool,
    _packages,
    _shadows,
    _git,
    _sandboxes,
    _plugins,
    _machine,
    _completion,
)
