"""Nothing was to be changed: every file is as it was."""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEEN = {
    "README.md": "0d6bf84c867e4b12",
    "settings.toml": "a0aa731ddcf4f4f8",
    "throttle/__init__.py": "e3b0c44298fc1c14",
    "throttle/gate.py": "0eed4bc2838f5587",
    "throttle/stats.py": "fa6684045836089c",
}


def main() -> int:
    found = {}
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if path.is_file() and inside.parts[0] not in ("checks", ".git") and "__pycache__" not in inside.parts:
            found[inside.as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    for name in sorted(set(found) | set(SEEN)):
        if found.get(name) != SEEN.get(name):
            print(f"{name} was changed")
            return 1
    return 0


sys.exit(main())
