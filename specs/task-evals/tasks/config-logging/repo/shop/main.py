"""Starts the shop."""

import json
import logging.config
import pathlib

LOG = logging.getLogger(__name__)


def configure(file="config/logging.json"):
    """Set logging up as the file says."""
    logging.config.dictConfig(json.loads(pathlib.Path(file).read_text(encoding="utf-8")))


def main():
    configure()
    LOG.info("the shop is open")


if __name__ == "__main__":
    main()
