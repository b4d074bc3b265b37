"""Draws the pictures of a report in a second process, while the first one works out the words beside them."""

import json
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from analyzer.page import Figure
from analyzer.report import Drawn, drawn_by


@contextmanager
def beside(figures: Sequence[Figure]) -> Iterator[Drawn]:
    """Begin the pictures in a copy of this process, which pays where there is a second core; else they are drawn when asked for.

    So they are while another thread is at work: whatever it holds, the copy would wait for in vain. Where the copy comes to
    nothing, this process draws, and fails by itself if that cannot be done. Whatever happens meanwhile, no copy is left behind.
    """
    if not figures or not hasattr(os, "fork") or (os.cpu_count() or 1) < 2 or threading.active_count() > 1:
        yield lambda: drawn_by(figures)
        return
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # The threads that it warns of are those of numpy, which are idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _draw(figures, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        try:
            yield lambda: _received(pipe.read()) or drawn_by(figures)
        finally:
            os.kill(child, signal.SIGKILL)  # it has said all, or nobody listens any more
            os.waitpid(child, 0)


def _received(said: bytes) -> Mapping[str, str] | None:
    """Read what the copy said; None where it ended before it had said all."""
    try:
        svg: Mapping[str, str] = json.loads(said)
    except ValueError:
        return None
    return svg


def _draw(figures: Sequence[Figure], writer: int) -> NoReturn:
    try:
        svg = drawn_by(figures)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(json.dumps(svg).encode("ascii"))
    finally:  # nothing of the first process may end a second time here: no handler, no buffer
        os._exit(0)
