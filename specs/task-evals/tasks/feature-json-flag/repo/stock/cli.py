"""The command line."""

import argparse
import sys

from stock.items import read_items
from stock.report import as_table


def main(argv=None):
    parser = argparse.ArgumentParser(prog="stock")
    verbs = parser.add_subparsers(dest="verb", required=True)
    report = verbs.add_parser("report", help="print what is in stock")
    report.add_argument("file")
    arguments = parser.parse_args(argv)
    try:
        items = read_items(arguments.file)
    except OSError as problem:
        print(f"stock: {arguments.file}: {problem.strerror}", file=sys.stderr)
        return 2
    print(as_table(items))
    return 0
