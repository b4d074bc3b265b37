"""Issues and pull requests in the shape in which ``gh`` exports them."""

from collections.abc import Sequence
from typing import Any

PLACE = "https://forge.example/o/r"


def issue(
    number: int,
    *,
    title: str | None = None,
    body: str = "It does not work.",
    closed: str = "2026-08-01T10:00:00Z",
    labels: Sequence[str] = (),
) -> dict[str, Any]:
    """A closed issue."""
    return {
        "number": number,
        "title": title or f"Issue {number}",
        "body": body,
        "url": f"{PLACE}/issues/{number}",
        "createdAt": "2026-07-01T10:00:00Z",
        "closedAt": closed,
        "stateReason": "COMPLETED",
        "labels": [{"id": f"L{name}", "name": name, "description": "", "color": "d73a4a"} for name in labels],
    }


def pull(number: int, closes: Sequence[int], commit: str | None, *, files: int = 1) -> dict[str, Any]:
    """A merged pull request and the issues that it closes."""
    return {
        "number": number,
        "mergedAt": "2026-08-01T09:59:00Z",
        "mergeCommit": None if commit is None else {"oid": commit},
        "changedFiles": files,
        "closingIssuesReferences": [
            {
                "id": f"I{each}",
                "number": each,
                "url": f"{PLACE}/issues/{each}",
                "repository": {"id": "R1", "name": "r", "owner": {"id": "O1", "login": "o"}},
            }
            for each in closes
        ],
    }
