"""What an account is."""

from dataclasses import dataclass


@dataclass
class User:
    username: str
    email: str

    def __post_init__(self):
        if not self.username or " " in self.username:
            raise ValueError(f"not a username: {self.username!r}")
