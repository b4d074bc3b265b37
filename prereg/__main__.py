"""``prereg`` and ``python -m prereg``: the command line as a process, which leaves at once when its work is done."""

import atexit
import gc
import os
import sys
import threading
from typing import NoReturn

from prereg.cli import carried_out


def run() -> NoReturn:
    """Run the command line and leave with its exit code.

    What was asked to happen at the exit still happens, and what is written is written. Only Python's taking apart of all that
    is left, a million nouns after a long ledger, is not waited for. With a thread still at work the long way is taken.
    """
    gc.set_threshold(100_000, 30, 30)  # a spec or a ledger is many nouns and no circle among them
    code, _held = carried_out()  # held on to: letting go of a long ledger would take it apart
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
