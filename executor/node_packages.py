"""Installs the packages of a lock file once and keeps them: the only step that may use the network, and no script of theirs is run."""

import json
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from executor.locking import locked
from ledger.canonical import canonical, digest
from ledger.errors import Fault, WorldFault

MODULES = "node_modules"
MANIFEST = "package.json"
_INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
_DONE = "prereg-environment.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class NodePackages:
    """What was installed: the folder of modules, the folder of ``node``, and versions by package (``npm:vitest``) and of node."""

    modules: Path
    node: Path
    versions: Mapping[str, str]


def install(lock: Path, *, node: str | None, cache: Path) -> NodePackages:
    """Install what a lock file pins, with the ``package.json`` beside it; kept under the digest of both, of node and of the machine's kind.

    Addresses are npm's business: a lock file may leave them out, and nothing here writes one.

    Raises:
        WorldFault: There is no node or npm, or a node of another version than asked for (``no-interpreter``); one of the two files
            cannot be read (``no-lock``); npm fails (``environment``).
    """
    program, version = _node(node)
    files = {name: _read(lock.parent / name) for name in (MANIFEST, lock.name)}
    identity = canonical(
        {
            "node": version,
            "machine": [platform.system(), platform.machine(), *platform.libc_ver()],
            "manifest": digest(files[MANIFEST]),
            "lock": digest(files[lock.name]),
        }
    )
    home = cache / "environments"
    home.mkdir(parents=True, exist_ok=True)
    folder = home / f"npm-{digest(identity).removeprefix('sha256:')[:16]}"
    with locked(home / f"{folder.name}.lock"):
        if not (folder / _DONE).exists():
            _build(folder, {MANIFEST: files[MANIFEST], "package-lock.json": files[lock.name]})
            (folder / _DONE).write_bytes(identity)
    versions = {"node": version, **_installed(folder / MODULES)}
    return NodePackages(modules=folder / MODULES, node=program.parent, versions=versions)


def _node(asked: str | None) -> tuple[Path, str]:
    program = shutil.which("node")
    if program is None or shutil.which("npm") is None:
        what = f"there is no {'npm' if program else 'node'} on this machine"
        raise WorldFault(Fault(code="no-interpreter", what=what, hint="install Node with npm"))
    said = subprocess.run([program, "--version"], capture_output=True, check=False, text=True, timeout=60).stdout
    version = said.strip().removeprefix("v")
    if asked is not None and not re.match(rf"{re.escape(asked)}(\.|$)", version):
        what, hint = f"there is no Node {asked} on this machine", "put it first on PATH, or name another version"
        raise WorldFault(Fault(code="no-interpreter", what=what, expected=asked, got=version, hint=hint))
    return Path(program), version


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        what = f"{file.name} cannot be read: {problem.strerror}"
        hint = "`lock` is relative to the spec's folder, and package.json stands beside it"
        raise WorldFault(Fault(code="no-lock", what=what, where="environment", hint=hint)) from problem


def _build(folder: Path, files: Mapping[str, bytes]) -> None:
    """Build in place; what was not finished is built anew."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    npm = shutil.which("npm")
    assert npm is not None
    done = subprocess.run(
        [npm, *_INSTALL], cwd=folder, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-8:]
        what = "the packages could not be installed: " + " / ".join(each.strip() for each in said)
        hint = "try npm ci by hand; the lock file may not fit its package.json, or there is no network"
        raise WorldFault(Fault(code="environment", what=what, where="environment", hint=hint))
    (folder / MODULES).mkdir(exist_ok=True)


def _installed(modules: Path) -> dict[str, str]:
    """Give the versions of the packages that stand directly among the modules, as npm noted them."""
    noted = modules / ".package-lock.json"
    listed = json.loads(noted.read_bytes())["packages"] if noted.is_file() else {}
    top = re.compile(rf"{MODULES}/(@[^/]+/[^/]+|[^/]+)")
    found = {match[1]: each.get("version") for path, each in listed.items() if (match := top.fullmatch(path))}
    return {f"npm:{name}": str(version) for name, version in sorted(found.items()) if version}
