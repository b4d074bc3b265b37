"""The report as a table and, asked for, as JSON."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

import json
import subprocess
import tempfile

ROWS = "name,count,price\nScrews,120,3\n\"Nägel, lang\",7,1250\n"
TABLE = "Screws                  120       0.03\nNägel, lang               7      12.50\ntotal                            91.10\n"


def run(*arguments):
    command = [sys.executable, "-m", "stock", "report", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name, "stock.csv")
        self.file.write_text(ROWS, encoding="utf-8")

    def test_json(self):
        for arguments in ((str(self.file), "--json"), ("--json", str(self.file))):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            items = [{"name": "Screws", "count": 120, "price": 3}, {"name": "Nägel, lang", "count": 7, "price": 1250}]
            self.assertEqual(json.loads(done.stdout), {"items": items, "total": 9110})
            self.assertIn("Nägel", done.stdout)

    def test_no_items(self):
        self.file.write_text("name,count,price\n", encoding="utf-8")
        self.assertEqual(json.loads(run(str(self.file), "--json").stdout), {"items": [], "total": 0})

    def test_the_table_is_as_before(self):
        self.assertEqual(run(str(self.file)).stdout, TABLE)

    def test_a_missing_file_is_told_as_before(self):
        done = run(str(self.file) + "x", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
