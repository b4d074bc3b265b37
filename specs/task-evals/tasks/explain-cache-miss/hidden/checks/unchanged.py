"""Nothing was to be changed: every file is as it was."""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEEN = {
    "app.log": "9a535b3223ebf05a",
    "offers/__init__.py": "e3b0c44298fc1c14",
    "offers/cache.py": "8cadd6e05d02268b",
    "offers/keys.py": "47440fbfea19292b",
    "offers/request.py": "e0b2728369e2ba68",
    "offers/service.py": "a523427567e3a93c",
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
