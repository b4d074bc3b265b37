"""The programs of agents: where they are, which version they say they are, the digest of what is installed, and how a sandbox sees them."""

import hashlib
import re
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from compiler.plan import AgentPlan, LimitsPlan
from executor.ports import Job, Mount, Sandbox
from ledger.errors import Fault, WorldFault

_VERSION = re.compile(r"\b\d+\.\d+(?:\.\d+)?(?:[-.+][0-9A-Za-z.-]+)?")
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/")
_ASKING = LimitsPlan(time_s=Decimal(60), output_bytes=1 << 20)
_LOCK = threading.Lock()
_ASKED: dict[tuple[str, str, str], Mapping[str, str]] = {}
"""(name, fingerprint of its files, sandbox) → what was asked of it: asked again when any file changed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """An installed program. ``argv`` starts it; ``installed`` are the files that tell what it is, below ``folder``; ``mounts`` show it."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    installed: tuple[Path, ...]
    mounts: tuple[Mount, ...]

    def fingerprint(self) -> str:
        """Give a digest of names, sizes and times of its files: what may have changed, without reading it."""
        seen = hashlib.sha256()
        for each in self.installed:
            state = each.stat()
            seen.update(f"{each}\0{state.st_size}\0{state.st_mtime_ns}\0".encode())
        return seen.hexdigest()

    def digest(self) -> str:
        """Give the digest of what is installed, the same on every machine: names and contents of its files."""
        seen = hashlib.sha256()
        for each in self.installed:
            seen.update(f"{each.relative_to(self.folder)}\0{_content(each)}\n".encode())
        return f"sha256:{seen.hexdigest()}"


def find(name: str, kind: str, hint: str) -> Program:
    """Find a program on this machine's PATH. Raises WorldFault (``program-missing``)."""
    found = shutil.which(name)
    if found is None:
        what = f"there is no program {name!r}, which agents of kind {kind} need"
        raise WorldFault(Fault(code="program-missing", what=what, where="agent.kind", hint=hint))
    real = Path(found).resolve()
    interpreter = _interpreter(real)
    shown = [_installation(real), *([] if interpreter is None else [_installation(Path(interpreter).resolve())])]
    if (python := _made_from(real)) is not None:
        shown.append(python)
    mounts = tuple(Mount(host=each, inside=str(each)) for each in dict.fromkeys(shown) if not _in_system(each))
    argv = (str(real),) if interpreter is None else (interpreter, str(real))
    folder, files = _installed(real)
    return Program(name=name, argv=argv, folder=folder, installed=files, mounts=mounts)


def ask(program: Program, agent: AgentPlan, sandbox: Sandbox, question: Sequence[str]) -> Mapping[str, str]:
    """Give ``agent`` (the version that the binary says) and ``program NAME`` (its digest).

    Raises:
        WorldFault: It cannot be started or says no version (``agent``), or says another than the plan's (``agent-version``).
    """
    key = (program.name, program.fingerprint(), sandbox.kind)
    with _LOCK:
        if key not in _ASKED:
            version = _version(program, sandbox, question)
            _ASKED[key] = {"agent": version, f"program {program.name}": program.digest()}
    known = _ASKED[key]
    if agent.version is not None and known["agent"] != agent.version:
        raise WorldFault(
            Fault(
                code="agent-version",
                what=f"{program.name} is of another version than the plan says",
                expected=agent.version,
                got=known["agent"],
                where="agent.version",
                hint=f"install {agent.kind} {agent.version}, and turn its updates off; or amend the spec",
            )
        )
    return known


def _version(program: Program, sandbox: Sandbox, question: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="prereg-ask-") as made:
        folder = Path(made)
        for name in ("workspace", "home"):
            (folder / name).mkdir()
        job = Job(
            argv=(*program.argv, *question),
            workspace=folder / "workspace",
            home=folder / "home",
            limits=_ASKING,
            stdout=folder / "stdout",
            stderr=folder / "stderr",
            mounts=program.mounts,
        )
        sandbox.run(job)
        said = job.stdout.read_text("utf-8", "replace")
        found = _VERSION.search(said)
        if found is None:
            complaint = job.stderr.read_text("utf-8", "replace").strip()[-500:]
            what = f"{program.name} does not say its version"
            raise WorldFault(Fault(code="agent", what=what, got=complaint or said.strip()[:500], where="agent.kind"))
    return found.group()


def _interpreter(real: Path) -> str | None:
    """Give the interpreter of a script for node: started by name it would have to stand on the PATH of the task."""
    with real.open("rb") as file:
        first = file.readline(200)
    return shutil.which("node") if first.startswith(b"#!") and b"node" in first else None


def _installed(real: Path) -> tuple[Path, tuple[Path, ...]]:
    """Give the files that tell what is installed, and the folder they are named from.

    An npm package is all its files and those of its binaries (``codex`` and ``codex-linux-x64``); an environment of Python is what its
    installer recorded of each distribution; any other program is its own file.
    """
    package = next((each for each in real.parents if (each / "package.json").is_file()), None)
    if package is not None and "node_modules" in package.parts:
        whole = [package, *package.parent.glob(f"{package.name}-*")]
        files = sorted(file for each in whole for file in each.rglob("*") if file.is_file())
        return package.parent, tuple(files)
    packages = next(iter(sorted(real.parent.parent.glob("lib/python*/site-packages"))), None)
    if packages is not None and (real.parent.parent / "pyvenv.cfg").is_file():
        return packages, tuple(sorted(packages.glob("*.dist-info/RECORD")))
    return real.parent, (real,)


def _content(file: Path) -> str:
    """Give the digest of a file; of a record of files without those that differ from machine to machine (scripts, compiled code)."""
    if file.name == "RECORD":
        kept = [
            line
            for line in file.read_bytes().splitlines()
            if not line.startswith(b"../") and b"__pycache__" not in line
        ]
        return hashlib.sha256(b"\n".join(sorted(kept))).hexdigest()
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _installation(real: Path) -> Path:
    """Give the folder that a sandbox must show so that the program finds its own files."""
    modules = [each for each in real.parents if each.name == "node_modules"]
    if modules:
        return modules[-1]
    return real.parent.parent if real.parent.name == "bin" and len(real.parts) > 3 else real


def _made_from(real: Path) -> Path | None:
    """Give the prefix of the interpreter behind a virtual environment."""
    settings = real.parent.parent / "pyvenv.cfg"
    if not settings.is_file():
        return None
    said = dict(line.partition("=")[::2] for line in settings.read_text("utf-8").splitlines())
    home = next((value.strip() for name, value in said.items() if name.strip() == "home"), None)
    return None if home is None else Path(home).resolve().parent


def _in_system(path: Path) -> bool:
    return f"{path}/".startswith(_SYSTEM)
