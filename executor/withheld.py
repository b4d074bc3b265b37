"""What a source withheld from a starting tree, so that it can be verified."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Withheld:
    """The test files that a fix adds, changes or removes.

    ``strict``: none of them is in the starting tree in any version; otherwise their versions before the fix are. ``before``:
    digests of those versions. ``tests``: the files among them that are run. ``suite``: the test files that remain.
    """

    paths: tuple[str, ...]
    strict: bool
    before: frozenset[str]
    tests: tuple[str, ...]
    suite: tuple[str, ...]
