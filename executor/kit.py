"""The kit of a run: the plugins that its plan names, loaded by the face, and the folders they may rely on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from executor.ports import Agent, Grader, Provider, Sandbox, Scheduler


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """Plugins by kind. ``sandboxes`` holds the one that was chosen (or several: the plan names which).

    ``base`` is the folder that environments and recordings are relative to; ``cache`` keeps what can be made again
    (None: inside the scratch folder). ``scheduler`` names an entry of ``schedulers``; ``workers`` None is the plan's concurrency.
    """

    agents: Mapping[str, Agent]
    providers: Mapping[str, Provider]
    sandboxes: Mapping[str, Sandbox]
    graders: Mapping[str, Grader]
    schedulers: Mapping[str, Scheduler]
    base: Path = field(default_factory=Path)
    cache: Path | None = None
    scheduler: str = "local"
    workers: int | None = None
