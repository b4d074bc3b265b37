"""The kinds of plugins by slot, each with the JSON Schema of its options: data that the schema, the docs and editors share."""

from collections.abc import Mapping
from typing import Literal

from spec_lang import treatment_options
from spec_lang.agent_kinds import AGENTS
from spec_lang.option_schemas import Kind, Schema
from spec_lang.option_schemas import amount as _amount
from spec_lang.option_schemas import list_of as _list
from spec_lang.option_schemas import map_of as _map
from spec_lang.option_schemas import one_of as _one_of
from spec_lang.option_schemas import text as _text
from spec_lang.option_schemas import whole as _whole
from spec_lang.oracle_options import ORACLES

Slot = Literal["source", "environment", "check", "agent", "provider", "sandbox", "order", "shuffle", "test", "interval"]
"""Where a plugin is chosen by ``{kind: …}``."""


_WORD: Schema = {"type": "string"}
_ARGV = _list("the program and its arguments, one item each; no shell reads them", _WORD, least=1)
_SEED = _whole("start of the generator", 0)
_PATTERN: Schema = {
    "type": "string",
    "minLength": 1,
    "x-pattern": True,
    "description": "pattern, as `matches` reads it",
}
_FLAG_NEGATE: Schema = {"type": "boolean", "description": "whether the pattern must not be found"}
_FLAG_CASE: Schema = {"type": "boolean", "description": "whether small and capital letters are the same"}
_LEVEL: Schema = {"$ref": "#/$defs/share", "description": "confidence level: 0.95, not 95"}
_ALTERNATIVE = _one_of("which direction counts", "two-sided", "less", "greater")

_TESTS: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["run", "report"],
    "description": "how the repository's tests are run and read",
    "properties": {
        "run": {
            **_ARGV,
            "description": "command that runs the tests; test files are appended (junit: put `{report}` where its file goes)",
        },
        "report": _one_of("how results are read", "pytest-plugin", "unittest", "junit"),
        "timeout": _amount("longest run of one task's tests", "time"),
        "each_timeout": _amount("longest run of one test", "time"),
        "env": _map("environment variables of the tests", _WORD),
        "roots": _list("folders that hold nothing but tests (`tests`, `test`)", _WORD, least=1),
        "suite": _list("paths to run instead of the changed test files", _WORD, least=1),
        "stubs": _map("path → text of a file that a build would make and no commit holds", _WORD),
    },
}
_ISSUE_TESTS: Schema = {
    **_TESTS,
    "properties": {name: each for name, each in _TESTS["properties"].items() if name != "suite"},  # type: ignore[attr-defined]
}
_PRIVATE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["store_env"],
    "description": "the instances lie in a private store; only opaque ids and digests leave it",
    "properties": {
        "store_env": {
            "type": "string",
            "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
            "description": "environment variable that says where the store is",
        }
    },
}
_REPOSITORY: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path", "at", "tests", "test_files"],
    "description": "a repository that defects are put into",
    "properties": {
        "path": _text("its folder, seen from the spec"),
        "at": {
            "type": "string",
            "pattern": "^[0-9a-f]{40}$",
            "description": "full commit id, in quotes; a task may pin another",
        },
        "tests": _TESTS,
        "test_files": _list("globs of the test files, all of which are run", _WORD, least=1),
        "fixture": _text(
            "shared context of the repository's tasks, seen from the spec; a task's own fixture.md goes before it"
        ),
    },
}
_WALK: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["refs", "merges", "duplicates", "missing_blobs"],
    "description": "which commits are looked at; every reading is stated, none is a default",
    "properties": {
        "refs": {
            "type": ["string", "array"],
            "pattern": "^at$",
            "items": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
            "minItems": 1,
            "description": "`at` alone, or the full ids of more commits to walk from",
        },
        "merges": _one_of("leave merges out, or compare them with their first parent", "skip", "first-parent"),
        "duplicates": _one_of("keep commits with the same patch, or the first of them", "keep", "first"),
        "missing_blobs": _one_of(
            "drop a commit when its source, tests or test infrastructure is not all there, or when anything is not",
            "drop",
            "drop-any",
        ),
    },
}
_BOOTSTRAP: Mapping[str, Schema] = {
    "level": _LEVEL,
    "resamples": _whole("how often the tasks are drawn again", 100),
    "seed": _SEED,
    "quantile": _one_of("how an end is read off the resamples", "inverted-cdf", "linear"),
    "algorithm": _one_of("generator of the resamples", "pcg64-multiply-shift-v1"),
}

KINDS: Mapping[Slot, Mapping[str, Kind]] = {
    "source": {
        "git-history": Kind(
            doc="Fixes of a git history: a commit's parent is given, its tests are held out.",
            options={
                "repository": _text("folder of the repository, seen from the spec"),
                "at": {"type": "string", "pattern": "^[0-9a-f]{40}$", "description": "full commit id, in quotes"},
                "tests": _TESTS,
                "test_files": _list("globs of the paths that are tests and their infrastructure", _WORD, least=1),
                "walk": _WALK,
            },
            required=("repository", "at", "tests", "test_files", "walk"),
        ),
        "folder": Kind(
            doc="A folder of tasks, one folder each: task.json or task.yaml, repo/, hidden/, and a reference to prove it.",
            options={"path": _text("folder that holds the tasks, seen from the spec")},
            required=("path",),
        ),
        "issues": Kind(
            doc="Closed issues with the merge commits that fixed them: the issue's own text is the prompt, the fix's tests are withheld.",
            options={
                "issues": _text("file of `gh issue list --json …`, seen from the spec"),
                "pulls": _text("file of `gh pr list --json …`, seen from the spec"),
                "repository": _text("folder of the repository, seen from the spec"),
                "at": {"type": "string", "pattern": "^[0-9a-f]{40}$", "description": "full commit id, in quotes"},
                "tests": _ISSUE_TESTS,
                "test_files": _list("globs of the paths that are tests and their infrastructure", _WORD, least=1),
                "withhold": _one_of(
                    "`files`: test files that the fix changes are removed from the start; `changes`: their earlier versions stay",
                    "files",
                    "changes",
                ),
                "private": _PRIVATE,
            },
            required=("withhold",),
        ),
        "defects": Kind(
            doc="Defects put into repositories at pinned commits, one folder a task: task.yaml, defect.patch, fixture.md.",
            options={
                "path": _text("folder that holds the tasks, seen from the spec"),
                "repositories": _map("name that tasks use → a repository", _REPOSITORY),
            },
            required=("path", "repositories"),
        ),
    },
    "environment": {
        "host": Kind(doc="The host's own programs, as they are found."),
        "venv": Kind(
            doc="A virtual environment made once: an interpreter, and what is installed into it.",
            options={
                "python": _text("interpreter to make it with: a name or a version in quotes"),
                "requirements": _text("file of pinned requirements, seen from the spec"),
                "install": _list("packages with their versions", _WORD, least=1),
            },
        ),
        "npm": Kind(
            doc="Node packages installed once from a lock file, no script of theirs run, and linked into every workspace.",
            options={
                "lock": _text("lock file of npm, seen from the spec; its package.json stands beside it"),
                "node": _text("version of Node that must be there, in quotes"),
            },
            required=("lock",),
        ),
    },
    "check": {
        "tests": Kind(
            doc="The task's own tests, run in a fresh copy after the agent stopped.",
            options={
                "of": _one_of(
                    "which of them; the last two where tests were withheld: all restored ones, and those that remained",
                    "fail-to-pass",
                    "pass-to-pass",
                    "held-out",
                    "baseline",
                )
            },
            required=("of",),
        ),
        "command": Kind(
            doc="Runs a command in a copy of the graded tree, without network; its exit status says whether it holds.",
            options={
                "run": {
                    "type": ["string", "array"],
                    "items": _WORD,
                    "minItems": 1,
                    "minLength": 1,
                    "description": "a line for `sh -c`, or the program and its arguments as a list",
                },
                "expect_exit": {"type": "integer", "minimum": 0, "maximum": 255, "description": "0 unless given"},
                "timeout": _amount("longest run; 2 min unless given", "time"),
            },
            required=("run",),
        ),
        "file-contains": Kind(
            doc="Searches files of the graded tree for a pattern; `^` and `$` are the ends of a line.",
            options={
                "path": _text("a file, or a glob over files: `src/**/*.ts`"),
                "pattern": _PATTERN,
                "negate": _FLAG_NEGATE,
                "ignore_case": _FLAG_CASE,
            },
            required=("path", "pattern"),
        ),
        "answer-contains": Kind(
            doc="Searches the agent's final answer for a pattern; `^` and `$` are the ends of a line.",
            options={"pattern": _PATTERN, "negate": _FLAG_NEGATE, "ignore_case": _FLAG_CASE},
            required=("pattern",),
        ),
        **ORACLES,
    },
    "agent": AGENTS,
    "provider": {
        "none": Kind(doc="Adds nothing: the control."),
        "files": Kind(
            doc="Writes files into the workspace before the agent starts.",
            options={"write": _map("path in the workspace → file, seen from the spec", _text("a file"))},
            required=("write",),
        ),
        "fixture": Kind(
            doc="Writes the task's own fixture, the shared context of its repository, into the workspace.",
            options={"to": _text("path in the workspace: `CLAUDE.md`")},
            required=("to",),
        ),
        "mcp": Kind(
            doc="Hands MCP servers to the agent, which must connect to them and to no others.",
            options=treatment_options.MCP,
            required=("servers",),
        ),
        "settings": Kind(
            doc="Lays settings over the agent's own: a variant of it.",
            options=treatment_options.SETTINGS,
            required=("settings",),
        ),
        "setup": Kind(
            doc="Runs commands before the agent starts; what they may touch is declared.",
            options={
                "run": _list("commands, in order", _ARGV, least=1),
                "declares": _list("globs of the workspace paths that they may touch", _WORD),
                "versions": _map("name → command that prints its version", _ARGV),
            },
            required=("run",),
        ),
    },
    "sandbox": {
        "local": Kind(doc="A process group of the host with limits; no wall."),
        "bubblewrap": Kind(doc="Namespaces of the kernel: no network, only declared folders."),
        "first-available": Kind(
            doc="The first of several that works on the machine; which one is recorded.",
            options={"of": _list("kinds, best first", _one_of("a sandbox", "bubblewrap", "local"), least=1)},
            required=("of",),
        ),
    },
    "order": {
        "interleave": Kind(doc="All trials in one seeded random order.", options={"seed": _SEED}, required=("seed",)),
        "alternate": Kind(doc="Arms take turns, task by task."),
    },
    "shuffle": {
        "python-random-v1": Kind(
            doc="The order that CPython's `random.Random(seed).shuffle` gives.",
            options={"seed": _SEED},
            required=("seed",),
        ),
        "keyed-sha256-v1": Kind(
            doc="By the SHA-256 of seed and id: adding a candidate never reorders the others.",
            options={"seed": _SEED},
            required=("seed",),
        ),
    },
    "test": {
        "wilcoxon-signed-rank": Kind(
            doc="Exact signed-rank test of per-task differences, ties enumerated.",
            options={
                "alternative": _ALTERNATIVE,
                "zeros": _one_of("drop zeros before ranking, or rank them first and drop them then", "wilcox", "pratt"),
            },
            required=("alternative", "zeros"),
        ),
        "sign-flip": Kind(
            doc="Permutation test of the mean difference: all sign vectors where they can be counted, else seeded draws.",
            options={
                "alternative": _ALTERNATIVE,
                "resamples": _whole("sign vectors to draw where not all can be counted", 100),
                "seed": _SEED,
            },
            required=("alternative", "resamples", "seed"),
        ),
        "mcnemar-exact": Kind(
            doc="Exact binomial test of the tasks on which two arms differ.",
            options={"alternative": _ALTERNATIVE},
            required=("alternative",),
        ),
        "mcnemar-midp": Kind(
            doc="The mid-p variant of it (Fagerland): less conservative, and not exact.",
            options={"alternative": _ALTERNATIVE},
            required=("alternative",),
        ),
    },
    "interval": {
        "newcombe-paired": Kind(
            doc="Newcombe's interval of a paired difference of shares.", options={"level": _LEVEL}, required=("level",)
        ),
        "tango-score": Kind(
            doc="Tango's score interval of a paired difference of shares.",
            options={"level": _LEVEL},
            required=("level",),
        ),
        "clustered-t": Kind(
            doc="Student's interval of the mean over tasks; with `by`, over groups of tasks that are alike.",
            options={
                "level": _LEVEL,
                "by": _text("fact of a task; tasks that share it are one cluster: `repository`"),
            },
            required=("level",),
        ),
        "wilson": Kind(doc="Wilson's interval of a share.", options={"level": _LEVEL}, required=("level",)),
        "bootstrap-percentile": Kind(
            doc="Percentile bootstrap over tasks.", options=_BOOTSTRAP, required=("level", "resamples", "seed")
        ),
        "bootstrap-bca": Kind(
            doc="Bias-corrected accelerated bootstrap over tasks.",
            options={**_BOOTSTRAP, "ties": _one_of("how resamples equal to the estimate count", "mid", "strict")},
            required=("level", "resamples", "seed", "ties"),
        ),
        "hodges-lehmann": Kind(
            doc="Hodges-Lehmann interval of the median difference.", options={"level": _LEVEL}, required=("level",)
        ),
    },
}

__all__ = ["KINDS", "Kind", "Schema", "Slot"]
