"""Runs the command line: ``python -m stock``."""

import sys

from stock.cli import main

sys.exit(main())
