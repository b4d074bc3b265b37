"""The clock and the dice of the face: claimed times and fresh ids, handed down to whoever may not ask for them."""

import secrets
from datetime import UTC, datetime


def now() -> str:
    """Give the time as a record claims it: RFC 3339, UTC, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_id() -> str:
    """Give 128 random bits as hex: the lineage of a registration."""
    return secrets.token_hex(16)
