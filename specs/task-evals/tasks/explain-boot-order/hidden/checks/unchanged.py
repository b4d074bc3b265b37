"""Nothing was to be changed: every file is as it was."""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEEN = {
    "package.json": "242268a074fae51f",
    "src/boot.js": "2df7912a368a4e3e",
    "src/connect.js": "cfad5f09c9c12842",
    "src/log.js": "47e21b80a2c04f58",
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
