"""What the configured logging writes, where, and at which level."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

import contextlib
import io
import json
import logging
import logging.handlers
import os
import tempfile

from shop.main import configure

CONFIG = ROOT / "config" / "logging.json"
NAMES = ("shop.orders", "payments", "payments.net", "early")


class Logs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        early = logging.getLogger("early")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        before = os.getcwd()
        os.chdir(folder.name)
        cls.addClassCleanup(os.chdir, before)
        cls.addClassCleanup(logging.shutdown)
        console = io.StringIO()
        with contextlib.redirect_stderr(console), contextlib.redirect_stdout(console):
            configure(CONFIG)
            for name in NAMES:
                logger = early if name == "early" else logging.getLogger(name)
                for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
                    logger.log(level, "%s says %s", name, logging.getLevelName(level))
        cls.console = console.getvalue()
        cls.file = pathlib.Path("shop.log").read_text(encoding="utf-8") if os.path.exists("shop.log") else ""

    def seen(self, text):
        levels = ("DEBUG", "INFO", "WARNING", "ERROR")
        return {name: [level for level in levels if f"{name} says {level}" in text] for name in NAMES}

    def test_console(self):
        usual, rare = ["INFO", "WARNING", "ERROR"], ["ERROR"]
        wanted = {"shop.orders": usual, "payments": rare, "payments.net": rare, "early": usual}
        self.assertEqual(self.seen(self.console), wanted)

    def test_file(self):
        usual, rare = ["WARNING", "ERROR"], ["ERROR"]
        self.assertEqual(self.seen(self.file), {"shop.orders": usual, "payments": rare, "payments.net": rare, "early": usual})

    def test_nothing_is_logged_twice(self):
        for text in (self.console, self.file):
            self.assertEqual(text.count("payments.net says ERROR"), 1)
            self.assertEqual(text.count("shop.orders says ERROR"), 1)

    def test_rotation(self):
        found = []
        for logger in (logging.getLogger(), *map(logging.getLogger, NAMES)):
            found += [each for each in logger.handlers if isinstance(each, logging.handlers.RotatingFileHandler)]
        self.assertTrue(found, "no file is rotated by its size")
        self.assertEqual({(each.maxBytes, each.backupCount) for each in found}, {(1_000_000, 3)})


if __name__ == "__main__":
    unittest.main()
