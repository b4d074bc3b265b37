"""How much of a harvest's time is spent inside test suites: `python benchmarks/harvest_real.py SPEC` harvests that spec's sets.

Work around the suites (reading git, making trees, starting sandboxes) should stay under 15 %. Prints one JSON document.
"""

import argparse
import json
import sys
from pathlib import Path

from prereg.harvesting import harvest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "spec", type=Path, help="a spec whose repositories are on this machine; its pool is written anew"
    )
    asked = parser.parse_args()
    found = harvest(
        asked.spec, report=lambda step: print(f"{step.done}/{step.total} {step.candidate}", file=sys.stderr)
    )
    sets = {
        name: {
            "found": each.found,
            "proved": each.proved,
            "kept": each.kept,
            "test_seconds": float(each.test_seconds),
            "other_seconds": float(each.other_seconds),
            "share_in_tests": round(float(each.test_seconds / (each.test_seconds + each.other_seconds)), 3),
        }
        for name, each in found.report.sets.items()
    }
    print(json.dumps({"seconds": float(found.report.seconds), "workers": found.report.workers, "sets": sets}, indent=2))


if __name__ == "__main__":
    main()
