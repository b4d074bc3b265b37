"""What canonical documents of ours are made of: JSON without floats."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Plain: TypeAlias = bool | int | str | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""JSON whose numbers are integers within ±(2^53 - 1); every other number is a decimal string (``"0.0421"``)."""
