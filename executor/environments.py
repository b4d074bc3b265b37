"""Makes the interpreter that a task's tests run with: the host's own, or a virtual environment built once and kept."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compiler.plan import Chosen
from executor.locking import locked
from executor.node_packages import MODULES, install
from executor.ports import Mount
from ledger.canonical import canonical, digest
from ledger.errors import Fault, WorldFault
from ledger.plain import Plain

_ASK = (
    "import json, platform, sys, sysconfig; "
    "print(json.dumps([platform.python_version(), sys.base_prefix, sys.prefix, sysconfig.get_platform()]))"
)
# Names and versions of all distributions, without importing any of them; each is read once.
_LIST = (
    "import importlib.metadata as m, json; said = [d.metadata for d in m.distributions()]; "
    "print(json.dumps({each['Name'].lower(): each['Version'] for each in said if each['Name']}))"
)
_SHOWN_ANYWAY = (Path("/usr"), Path("/bin"), Path("/lib"), Path("/lib64"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """An interpreter and what it needs: ``path`` goes before PATH, ``mounts`` must be seen inside, ``versions`` say what is in it."""

    python: Path
    path: tuple[Path, ...] = ()
    mounts: tuple[Mount, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Interpreter:
    python: Path
    version: str
    base: Path
    prefix: Path
    platform: str


def prepare(environment: Chosen | None, *, base: Path, cache: Path) -> Environment:
    """Give the environment that a task set names; None is the host's. Files it names are relative to ``base``.

    ``host {python}`` uses an interpreter as it is: the one that runs prereg unless named.
    ``venv {python, requirements, install}`` builds one under ``cache`` with pip, the only step of a harvest that may use
    the network; it is kept under the digest of all that it was asked to be.
    ``npm {lock, node}`` installs what a lock file pins, scripts left out, and links it into the workspace of every job: the agent's,
    and those of the tests. It is kept in the same way.

    Raises:
        WorldFault: There is no such interpreter (``no-interpreter``), the requirements or the lock file is missing
            (``no-requirements``, ``no-lock``), pip or npm fails (``environment``), or the kind is not known (``environment``).
    """
    kind = "host" if environment is None else environment.kind
    options = {} if environment is None else environment.options
    asked = str(options["python"]) if "python" in options else None
    if kind == "host":
        return _environment(_find(asked))
    if kind == "venv":
        return _venv(options, _find(asked), base=base, cache=cache)
    if kind == "npm":
        return _npm(options, base=base, cache=cache)
    raise WorldFault(
        Fault(code="environment", what=f"there is no environment of kind {kind!r}", expected="host, venv or npm")
    )


def _environment(interpreter: _Interpreter) -> Environment:
    folders = dict.fromkeys((interpreter.prefix, interpreter.base))
    return Environment(
        python=interpreter.python,
        path=(interpreter.python.parent,),
        mounts=tuple(
            Mount(host=folder, inside=str(folder))
            for folder in folders
            if not any(folder.is_relative_to(shown) for shown in _SHOWN_ANYWAY)
        ),
        versions={**json.loads(_said(interpreter.python, _LIST)), "python": interpreter.version},
    )


def _npm(options: Mapping[str, Plain], *, base: Path, cache: Path) -> Environment:
    node = str(options["node"]) if "node" in options else None
    found = install(base / str(options["lock"]), node=node, cache=cache)
    host = _environment(_find(None))
    return Environment(
        python=host.python,
        path=(found.modules / ".bin", found.node, *host.path),
        mounts=(Mount(host=found.modules, inside=MODULES), *host.mounts),
        versions={**found.versions, "python": host.versions["python"]},
    )


# --- interpreters ---


def _find(asked: str | None) -> _Interpreter:
    """Find an interpreter by version (``3.12``), name or path; None is the one that runs prereg."""
    if asked is None:
        return _ask(Path(sys.executable))
    for candidate in _candidates(asked):
        try:
            found = _ask(candidate)
        except (OSError, subprocess.SubprocessError, ValueError):
            continue  # a shim without its interpreter, a broken link: look further
        if not _is_version(asked) or found.version == asked or found.version.startswith(f"{asked}."):
            return found
    raise WorldFault(
        Fault(
            code="no-interpreter",
            what=f"there is no Python {asked} on this machine",
            expected=f"python{asked} on PATH or under pyenv" if _is_version(asked) else asked,
            hint="install it (pyenv, uv or your system's packages), or name another under `environment: {python: …}`",
        )
    )


def _candidates(asked: str) -> Iterator[Path]:
    if not _is_version(asked):
        found = shutil.which(asked)
        return iter(() if found is None else (Path(found),))
    short = ".".join(asked.split(".")[:2])
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(pyenv.glob(f"{asked}*"), key=lambda each: [int(part) for part in re.findall(r"\d+", each.name)])
    named = (shutil.which(f"python{short}"), shutil.which("python3"))
    return iter(
        (
            Path(sys.executable),
            *(each / "bin" / "python3" for each in reversed(kept)),
            *(Path(each) for each in named if each is not None),
        )
    )


def _is_version(asked: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+){0,2}", asked) is not None


def _ask(python: Path) -> _Interpreter:
    version, base, prefix, platform = json.loads(_said(python, _ASK))
    place = Path(os.path.abspath(python))  # noqa: PTH100  # resolve() would step out of a virtual environment
    return _Interpreter(python=place, version=version, base=Path(base), prefix=Path(prefix), platform=platform)


def _said(python: Path, program: str) -> str:
    call = [str(python), "-I", "-c", program]
    return subprocess.run(call, capture_output=True, check=True, text=True, timeout=60, stdin=subprocess.DEVNULL).stdout


# --- virtual environments ---


def _venv(options: Mapping[str, Plain], interpreter: _Interpreter, *, base: Path, cache: Path) -> Environment:
    requirements = _requirements(options, base)
    wanted = options.get("install", ())
    install = [str(each) for each in wanted] if isinstance(wanted, Sequence) and not isinstance(wanted, str) else []
    identity = canonical(
        {
            "python": interpreter.version,
            "base": str(interpreter.base),
            "platform": interpreter.platform,
            "requirements": None if requirements is None else digest(requirements),
            "install": install,
        }
    )
    home = cache / "environments"
    home.mkdir(parents=True, exist_ok=True)
    folder = home / digest(identity).removeprefix("sha256:")[:16]
    done = folder / "prereg-environment.json"
    with locked(home / f"{folder.name}.lock"):
        if not done.exists():
            _build(folder, interpreter, requirements, install)
            done.write_bytes(identity)
    return _environment(_ask(folder / "bin" / "python"))


def _requirements(options: Mapping[str, Plain], base: Path) -> bytes | None:
    name = options.get("requirements")
    if name is None:
        return None
    try:
        return (base / str(name)).read_bytes()
    except OSError as error:
        raise WorldFault(
            Fault(
                code="no-requirements",
                what=f"the requirements file {name} cannot be read: {error.strerror}",
                where="environment",
                hint="`requirements` is relative to the spec's folder",
            )
        ) from error


def _build(folder: Path, interpreter: _Interpreter, requirements: bytes | None, install: Sequence[str]) -> None:
    """Build in place (a virtual environment cannot be moved); one that was not finished is built anew."""
    if folder.exists():
        shutil.rmtree(folder)
    bare = [] if install or requirements is not None else ["--without-pip"]
    _step([str(interpreter.python), "-m", "venv", *bare, str(folder)])
    listed = folder / "requirements.txt"
    asked = list(install)
    if requirements is not None:
        listed.write_bytes(requirements)
        asked = ["-r", str(listed), *asked]
    if asked:
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"]
        _step([*pip, "--disable-pip-version-check", *asked])


def _step(call: Sequence[str]) -> None:
    done = subprocess.run(call, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-8:]
        raise WorldFault(
            Fault(
                code="environment",
                what="the virtual environment could not be built: " + " / ".join(said),
                where="environment",
                hint="try the same with pip by hand; a requirement may not exist for this Python, or there is no network",
            )
        )
