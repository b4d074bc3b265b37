"""The files that a spec names, and reading those that are written in YAML."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from spec_lang.diagnostics import Diagnostic, SpecErrors
from spec_lang.load import Loaded
from spec_lang.model import Choice, Spec
from spec_lang.span import Source, Span
from spec_lang.yaml_tree import Node, read_tree

Key: TypeAlias = str | int

CODES = {"P388": "a file that the spec names and nobody gave"}

POOL = "pool/candidates.jsonl"
"""Name under which the pool stands among the inputs."""

EARLIER = "registration:"
"""Prefix under which the plan of an earlier registration, named by ``disjoint_from``, stands among the inputs."""

FILES_OF_PROVIDERS: Mapping[str, tuple[str, ...]] = {"files": ("write",)}
"""Provider kind → options whose values are files of the author (a name, a list of names, or a map to names); else it is ``files``."""


def input_names(spec: Spec) -> tuple[str, ...]:
    """Give the files that a spec names, sorted, each once.

    Exclusions, prompts, what providers write, what repairs say, a simulation, overheads, prices. Files that only harvest
    reads (a repository, requirements) are not among them: the pool holds what they gave.
    """
    return tuple(sorted({name for _, name in places_of_inputs(spec)}))


def earlier_names(spec: Spec) -> tuple[str, ...]:
    """Give the earlier registrations whose tasks some set must not draw, as the spec names them.

    The bytes of each one's ``plan.json`` are an input too, under ``registration:NAME``.
    """
    return tuple(sorted({name for tasks in spec.tasks.values() for name in tasks.disjoint_from}))


def provider_files(choice: Choice) -> tuple[str, ...]:
    """Give the author's files that one provider needs."""
    return tuple(name for _, name in _of_provider(choice, ()))


def read_yaml(name: str, inputs: Mapping[str, bytes], named_at: Span) -> Node:
    """Read one input as strict YAML. Raises SpecErrors when it was not given or is faulty."""
    return read_tree(Source(name=name, text=text_of(name, inputs, named_at)))


def text_of(name: str, inputs: Mapping[str, bytes], named_at: Span) -> str:
    """Give one input as text; ``named_at`` is where the spec names it. Raises SpecErrors when it is not there or not UTF-8."""
    if name not in inputs:
        raise SpecErrors([Diagnostic(code="P388", summary=f"there is no file {name}", span=named_at, hint="write it")])
    try:
        return inputs[name].decode("utf-8")
    except UnicodeDecodeError as problem:
        summary = f"{name} is not UTF-8: byte {problem.start} is {inputs[name][problem.start]:#04x}"
        raise SpecErrors(
            [Diagnostic(code="P388", summary=summary, span=named_at, hint="save it as UTF-8")]
        ) from problem


def places_of_inputs(spec: Spec) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Give every file that a spec names, each with the key path at which it does."""
    for key, tasks in sorted(spec.tasks.items()):
        if tasks.exclusions is not None:
            yield ("tasks", key, "exclusions", "file"), tasks.exclusions.file
        if tasks.prompts is not None:
            yield ("tasks", key, "prompts", "file"), tasks.prompts.file
    for key, arm in sorted(spec.arms.items()):
        yield from _of_provider(arm.provider, ("arms", key, "provider"))
    if spec.trials.repairs is not None:
        yield ("trials", "repairs", "say"), spec.trials.repairs.say
    if spec.sample_size.simulation is not None:
        yield ("sample_size", "simulation"), spec.sample_size.simulation
    if spec.overhead is not None:
        yield ("overhead",), spec.overhead
    if spec.routes is not None and spec.routes.prices is not None:
        yield ("routes", "prices"), spec.routes.prices


def named_at(loaded: Loaded, name: str) -> Span | None:
    """Find the first place where a spec names one of its files."""
    return next((loaded.spans.at(*path) for path, each in places_of_inputs(loaded.spec) if each == name), None)


def _of_provider(choice: Choice, path: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], str]]:
    for option in FILES_OF_PROVIDERS.get(choice.kind, ("files",)):
        yield from _texts(choice.options.get(option), (*path, option))


def _texts(value: object, path: tuple[Key, ...]) -> Iterator[tuple[tuple[Key, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _texts(each, (*path, key))
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value):
            yield from _texts(each, (*path, place))
