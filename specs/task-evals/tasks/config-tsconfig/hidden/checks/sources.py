"""Nothing was to be changed: every file is as it was."""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEEN = {
    "src/greet.ts": "95a3491a95537457",
    "src/main.ts": "c9fac9993d65e9e4",
    "tools/words.ts": "f83209cfebf29760",
}


def main() -> int:
    found = {}
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if path.is_file() and inside.parts[0] in ("src", "tools") and "__pycache__" not in inside.parts:
            found[inside.as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    for name in sorted(set(found) | set(SEEN)):
        if found.get(name) != SEEN.get(name):
            print(f"{name} was changed")
            return 1
    return 0


sys.exit(main())
