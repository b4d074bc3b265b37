"""Keeps accounts in a JSON file."""

import json
import pathlib

from accounts.model import User


class Store:
    def __init__(self, file):
        self.file = pathlib.Path(file)

    def load(self):
        """Give all users, by username."""
        if not self.file.exists():
            return {}
        rows = json.loads(self.file.read_text(encoding="utf-8"))
        return {row["username"]: User(username=row["username"], email=row["email"]) for row in rows}

    def save(self, users):
        rows = [{"username": user.username, "email": user.email} for user in users.values()]
        self.file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
