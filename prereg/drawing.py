"""Draws the pictures of a report in a second process, while the first one works out the words beside them."""

import json
import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import NoReturn

from analyzer.page import Figure
from analyzer.report import Drawn, when_asked


def beside(figures: Sequence[Figure]) -> Drawn:
    """Begin the pictures in a copy of this process, which pays where there is a second core; else they are drawn when asked for.

    So they are while another thread is at work: whatever it holds, the copy would wait for in vain. Where the copy comes to
    nothing, this process draws, and fails by itself if that cannot be done.
    """
    if not figures or not hasattr(os, "fork") or (os.cpu_count() or 1) < 2 or threading.active_count() > 1:
        return when_asked(figures)
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # The threads that it warns of are those of numpy, which are idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _draw(figures, writer)
    os.close(writer)

    def wait() -> Mapping[str, str]:
        with os.fdopen(reader, "rb") as pipe:
            drawn = pipe.read()
        _, status = os.waitpid(child, 0)
        svg: Mapping[str, str] = json.loads(drawn) if status == 0 else when_asked(figures)()
        return svg

    return wait


def _draw(figures: Sequence[Figure], writer: int) -> NoReturn:
    try:
        svg = when_asked(figures)()
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(json.dumps(svg).encode("ascii"))
        os._exit(0)
    finally:  # nothing of the first process may end a second time here: no handler, no buffer
        os._exit(1)
