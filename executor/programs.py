"""Programs that a task requires: whether they are on the PATH that a trial will have."""

import os
import shutil
from collections.abc import Iterable

from executor.environments import Environment

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


def absent(required: Iterable[str], environment: Environment) -> tuple[str, ...]:
    """Give the required programs that are not there."""
    path = os.pathsep.join([*map(str, environment.path), *SYSTEM_PATH])
    return tuple(name for name in required if shutil.which(name, path=path) is None)
