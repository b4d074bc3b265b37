"""What the compiler says of its own settings."""

import json
import sys

options = json.load(sys.stdin)["compilerOptions"]
lacking = [name for name in ("strict", "noUncheckedIndexedAccess") if options.get(name) is not True]
# Turning a part of strict off again is no strict.
parts = ("noImplicitAny", "strictNullChecks", "strictFunctionTypes", "strictPropertyInitialization", "noImplicitThis")
lacking += [name for name in parts if options.get(name) is False]
print("not switched on:", ", ".join(lacking)) if lacking else None
sys.exit(1 if lacking else 0)
