"""``python -m prereg``: the command line."""

import sys

from prereg.cli import main

sys.exit(main())
