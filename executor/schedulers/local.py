"""The local scheduler: threads of this process, since a trial spends its time waiting for other processes."""

from concurrent.futures import Executor, ThreadPoolExecutor
from typing import ClassVar


class LocalScheduler:
    """Runs trials on this machine."""

    kind: ClassVar[str] = "local"

    def executor(self, workers: int) -> Executor:
        """Open an executor of so many threads."""
        return ThreadPoolExecutor(max_workers=workers, thread_name_prefix="trial")
