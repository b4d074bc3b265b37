"""The renamed field in model, store, views and on the command line."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # behind the standard library: no file of the project can stand in for it

import json
import subprocess
import tempfile

from accounts.model import User
from accounts.store import Store
from accounts.views import badge, directory


class Handles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "accounts.json")

    def run_cli(self, *arguments):
        command = [sys.executable, "-m", "accounts.cli", str(self.file), *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    def test_users_have_handles(self):
        user = User(handle="ada", email="ada@example.org")
        self.assertEqual((user.handle, badge(user)), ("ada", "@ada"))
        self.assertFalse(hasattr(user, "username"))
        for bad in ("", "a b"):
            with self.assertRaisesRegex(ValueError, "handle"):
                User(handle=bad, email="x@example.org")

    def test_files_hold_handles(self):
        self.assertEqual(self.run_cli("add", "ada", "ada@example.org").returncode, 0)
        self.assertEqual(json.loads(self.file.read_text()), [{"handle": "ada", "email": "ada@example.org"}])
        self.assertEqual(self.run_cli("list").stdout, "@ada <ada@example.org>\n")

    def test_older_files_are_read_and_written_anew(self):
        self.file.write_text(json.dumps([{"username": "Bob", "email": "b@example.org"}]))
        self.assertEqual(Store(self.file).load(), {"Bob": User(handle="Bob", email="b@example.org")})
        self.assertEqual(self.run_cli("add", "ada", "a@example.org").returncode, 0)
        rows = json.loads(self.file.read_text())
        self.assertEqual([sorted(row) for row in rows], [["email", "handle"]] * 2)
        self.assertEqual(directory(Store(self.file).load()), "@ada <a@example.org>\n@Bob <b@example.org>")

    def test_mixed_files(self):
        rows = [{"username": "bob", "email": "b@example.org"}, {"handle": "ada", "email": "a@example.org"}]
        self.file.write_text(json.dumps(rows))
        self.assertEqual(sorted(Store(self.file).load()), ["ada", "bob"])

    def test_a_handle_that_is_taken(self):
        self.run_cli("add", "ada", "a@example.org")
        done = self.run_cli("add", "ada", "other@example.org")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ada", done.stderr)


if __name__ == "__main__":
    unittest.main()
