"""A request for offers."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Request:
    user: int
    filters: tuple = ()
    page: int = 1
    received: datetime = field(default_factory=datetime.now)
