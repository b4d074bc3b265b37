"""What a spec may choose from, as data: the facts that expressions read, and the kinds of plugins with the shape of their options."""

from collections.abc import Mapping
from typing import TypeAlias

from spec_lang.kinds import KINDS, Kind

Fact: TypeAlias = tuple[str, str]
"""(type, meaning). Types: ``number share pp USD s bytes task trial turn token bool text date list[…]``, ``text: a, b`` (only these)."""

TASK_FACTS: Mapping[str, Fact] = {
    "id": ("text", "the task's id"),
    "set": ("text", "the set that the task belongs to"),
    "category": ("text", "the task's category, where its source knows one"),
    "models.latest_cutoff": ("date", "the latest training cut-off among `foreknowledge.model_cutoffs`"),
}
"""Facts that every source has."""

SOURCE_FACTS: Mapping[str, Mapping[str, Fact]] = {
    "git-history": {
        **TASK_FACTS,
        "subject": ("text", "first line of the commit message"),
        "body": ("text", "the rest of the commit message"),
        "author": ("text", "name of the author"),
        "hash": ("text", "full commit id"),
        "committed": ("date", "day on which it was committed (UTC)"),
        "authored": ("date", "day on which it was written (UTC)"),
        "merge": ("bool", "whether it has more than one parent"),
        "fail_to_pass": ("list[text]", "tests that fail before the change and pass after it (known after testing)"),
        "pass_to_pass": ("list[text]", "tests that pass before and after it (known after testing)"),
        "pass_to_fail": ("list[text]", "tests that pass before and fail after it (known after testing)"),
        "flaky": ("bool", "whether two harvests of it differ (known after testing)"),
    },
    "issues": {
        **TASK_FACTS,
        "issue.number": ("number", "the issue's number"),
        "issue.title": ("text", "its title, as its reporter wrote it"),
        "issue.body": ("text", "its text, as its reporter wrote it"),
        "issue.created": ("date", "day on which it was opened (UTC)"),
        "issue.closed": ("date", "day on which it was closed (UTC)"),
        "issue.reason": ("text", "why it was closed: `COMPLETED`, `NOT_PLANNED`"),
        "issue.labels": ("list[text]", "names of its labels"),
        "pull": ("number", "number of the merged pull request that closes it"),
        "closes": ("number", "how many issues of the export that pull request closes"),
        "merged": ("date", "day on which it was merged (UTC)"),
        "hash": ("text", "full id of the merge commit"),
        "subject": ("text", "first line of its message"),
        "committed": ("date", "day on which it was committed (UTC)"),
        "sources": ("list[text]", "files that it changes and that are no tests"),
        "tests": ("list[text]", "test files that it changes"),
        "withheld": ("list[text]", "test files that were withheld (known after testing)"),
        "fail_to_pass": ("list[text]", "tests that fail before the change and pass after it (known after testing)"),
        "pass_to_pass": ("list[text]", "tests that pass before and after it (known after testing)"),
        "pass_to_fail": ("list[text]", "tests that pass before and fail after it (known after testing)"),
        "flaky": ("bool", "whether two harvests of it differ (known after testing)"),
    },
    "folder": {
        **TASK_FACTS,
        "title": ("text", "the task's title"),
        "difficulty": ("text", "easy, medium or hard"),
        "language": ("text", "the programming language"),
        "requires": ("list[text]", "programs that must be on PATH"),
        "dynamic_call_sites": (
            "list[text]",
            "places of the start that call by a computed name; only where a check counts call sites (known after testing)",
        ),
        "flaky": ("bool", "whether two harvests of it differ (known after testing)"),
    },
    "defects": {
        **TASK_FACTS,
        "title": ("text", "the task's title"),
        "repository": ("text", "name of the repository that the defect is put into"),
        "commit": ("text", "full id of the commit that it is put into"),
        "turns": ("number", "how often the agent is told something"),
        "declared": ("list[text]", "tests that must fail with the defect, and no others"),
        "broken": ("list[text]", "tests that fail with the defect (known after testing)"),
        "repaired": ("bool", "whether no test fails once the defect is reversed (known after testing)"),
        "fail_to_pass": ("list[text]", "tests that the defect breaks and its reverse repairs (known after testing)"),
        "pass_to_pass": ("list[text]", "tests that pass with the defect and without (known after testing)"),
        "flaky": ("bool", "whether two harvests of it differ (known after testing)"),
    },
}
"""Source kind → the facts that its candidates have; an unknown fact drops a candidate by name."""

TRIAL_FACTS: Mapping[str, Fact] = {
    "verdict": ("text: pass, partial, fail, skipped", "what the oracle says of the trial"),
    "judgment": (
        "text: success, partial, failure, unjudged",
        "what a person said of the trial; compared with an answer, `unjudged` is unknown",
    ),
    "stop": (
        "text: finished, timeout, limit, error, cancelled, no-result, skipped",
        "how the agent stopped; `limit`: turns, cost, memory, processes or output",
    ),
    "arm": ("text", "name of the arm"),
    "task": ("text", "id of the task"),
    "seed": ("number", "which repeat of the task in the arm, from 1"),
    "terminal_reason": ("text", "the reason that the agent's own result event gives"),
    "result_event": ("bool", "whether the agent ended with a result event"),
    "environment_ok": ("bool", "whether what the agent said of itself was what the arm expects"),
    "cost": ("USD", "money that the trial cost; unknown is never 0"),
    "time": ("s", "the harness's own bracket around the agent"),
    "turns": ("turn", "turns of the agent"),
    "tokens": ("token", "all tokens"),
    "input_tokens": ("token", "tokens read that no cache held"),
    "output_tokens": ("token", "tokens written"),
    "cache_read": ("token", "tokens read from a cache"),
    "cache_write": ("token", "tokens written to a cache"),
    "tool_calls": ("number", "calls of tools"),
    "tool_errors": ("number", "calls of tools that failed"),
    "calls_before_first_edit": ("number", "calls of tools before the first that edits a file"),
    "files_changed": ("number", "files of the workspace that differ at the end"),
    "left_running": ("number", "processes that had to be killed after the agent stopped"),
    "touched_gold": ("bool", "whether the change touches a file that the reference touches"),
    "repairs": ("number", "how often the agent was told that its result does not pass (see `trials.repairs`)"),
    "first_verdict": ("text: pass, partial, fail", "the verdict before any repair (see `trials.repairs`)"),
    "limits.time": ("s", "the arm's time limit"),
    "limits.cost": ("USD", "the arm's cost limit"),
    "limits.turns": ("turn", "the arm's turn limit"),
    "overhead.tokens": ("token", "all tokens that the arm uses on a prompt that asks for nothing (see `overhead`)"),
    "overhead.input_tokens": ("token", "of these, read that no cache held"),
    "overhead.output_tokens": ("token", "of these, written"),
    "overhead.cache_read": ("token", "of these, read from a cache"),
    "overhead.cache_write": ("token", "of these, written to a cache"),
    "overhead.cost": ("USD", "money that the arm spends on such a prompt"),
    "overhead.time": ("s", "time that the arm takes for it"),
    "overhead.turns": ("turn", "turns that the arm takes for it"),
}
"""Facts of one trial, read by measures, missing-data rules and per-arm expressions."""

OF_REPAIRS: frozenset[str] = frozenset({"repairs", "first_verdict"})
"""Facts that are there where `trials.repairs` is."""

OVERHEAD: frozenset[str] = frozenset(name for name in TRIAL_FACTS if name.startswith("overhead."))
"""Facts that hold for every trial of an arm, measured beforehand by ``prereg overhead``."""

CHECK_FACTS: Mapping[str, Mapping[str, Fact]] = {
    "tests": {
        "passed": ("number", "how many of its tests passed"),
        "failed": ("number", "how many did not"),
        "count": ("number", "how many there are"),
    },
    "command": {"exit_code": ("number", "the exit status; unknown when it was stopped")},
    "file-contains": {"count": ("number", "how many matches there are in all files")},
    "answer-contains": {"count": ("number", "how many matches there are")},
    "call-sites": {
        "count": ("number", "how many call sites there are; with `replaces` only those that a run can reach"),
        "before": ("number", "how many there were at the start"),
        "reexports": ("number", "names by which modules still hand the API on"),
        "dynamic": ("number", "calls by a name that only a run knows (`getattr`), as far as they may reach the API"),
        "floor": ("number", "with `replaces`: sites of the old API and of this one at the start"),
        "merged": (
            "number",
            "with `replaces`: sites that reported consolidations saved; none while `needs` does not hold",
        ),
        "reported": ("number", "with `replaces`: consolidations that the agent reported"),
    },
    "number": {
        "present": ("bool", "whether there is a finite number"),
        "within": ("bool", "whether it is within the tolerance, in its unit"),
        "difference": ("number", "how far off it is, in its unit; unknown without a number in that unit"),
    },
    "differential": {
        "present": ("bool", "whether there is a table with the compared columns"),
        "within": ("bool", "whether every value is within its tolerance"),
        "difference": ("number", "the largest difference as a multiple of its tolerance; unknown when one has none"),
        "count": ("number", "how many values are compared"),
        "failed": ("number", "how many are not within their tolerance"),
    },
    "trace": {
        "failed": ("number", "how many rules do not hold"),
        "calls": ("number", "calls of tools, refused ones left out"),
        "reads": ("number", "of them, those that read a file"),
        "ranged_reads": ("number", "of those, the ones that asked for a part of it"),
        "whole_reads": ("number", "and the ones that named the file alone"),
        "edits": ("number", "calls that edit"),
        "shell_calls": ("number", "calls that run a command"),
        "searches": ("number", "calls that search"),
        "mcp_calls": ("number", "calls of MCP servers' tools"),
        "refused": ("number", "calls that the harness declined"),
        "cancelled": ("number", "how often the harness cancelled it"),
    },
    "unchanged": {
        "files": ("number", "how many files were changed, added or removed"),
        "functions": (
            "number",
            "in files whose functions are compared: how many functions differ, those that may included",
        ),
        "unexpected": ("number", "how much was changed that should not be"),
    },
    "quotes": {
        "count": ("number", "how many lines are quoted"),
        "invented": ("number", "how many of them do not stand in the file"),
        "beside": ("number", "with `lines`: how many of them stand in the file, but not among those"),
        "missing": ("number", "with `lines`: how many of those are not quoted"),
    },
    "condition": {},
}
"""Check kind → what an oracle may read of it beside ``CHECK.ok``."""

OWN_TERMS: frozenset[str] = frozenset({"folder"})
"""Kinds of sources whose tasks bring their own prompt, checks and limits: ``oracle: {from: task}``."""


ENDPOINT_FIELDS: Mapping[str, Fact] = {
    "n": ("task", "tasks that the estimate stands on"),
    "estimate": ("its unit", "the compared estimate"),
    "p": ("number", "p-value of the declared test, adjusted where a family is declared"),
    "lower": ("its unit", "lower end of the declared interval"),
    "upper": ("its unit", "upper end of the declared interval"),
    "discordant": ("task", "tasks on which two arms differ (true-or-false measures)"),
    "count(ARM)": ("task", "tasks of an arm whose value is true (true-or-false measures)"),
    "arm(ARM)": ("its unit", "the value of one arm"),
}
"""What a decision reads of an endpoint: ``solved.lower``, ``solved.count(baseline)``."""

__all__ = [
    "CHECK_FACTS",
    "ENDPOINT_FIELDS",
    "KINDS",
    "OF_REPAIRS",
    "OVERHEAD",
    "OWN_TERMS",
    "SOURCE_FACTS",
    "TASK_FACTS",
    "TRIAL_FACTS",
    "Fact",
    "Kind",
]
