"""Pictures drawn in a second process: the same bytes, whatever becomes of it."""

import os
import threading
import time
from collections.abc import Iterator, Mapping

import pytest

from analyzer.page import Figure
from analyzer.report import drawn_by
from prereg.drawing import beside


def figure(name: str, draw: object = None) -> Figure:
    return Figure(id=name, title=name, says=name, draw=draw if callable(draw) else lambda: f"<svg>é {name}</svg>")


FIGURES = [figure("one"), figure("two")]


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    # The runner of tests may have threads, which hold nothing of ours.
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the processes that are begun, and see that none is left behind."""
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        child = fork()
        children.append(child)
        return child

    monkeypatch.setattr(os, "fork", counted)
    yield children
    for child in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def beside_it(figures: list[Figure]) -> Mapping[str, str]:
    with beside(figures) as drawn:
        return drawn()


def test_a_second_process_draws_the_same(forked: list[int]) -> None:
    assert beside_it(FIGURES) == drawn_by(FIGURES)
    assert len(forked) == 1


def test_pictures_longer_than_a_pipe_come_whole(forked: list[int]) -> None:
    assert beside_it([figure("long", lambda: "x" * 3_000_000)]) == {"long": "x" * 3_000_000}
    assert len(forked) == 1


@pytest.mark.parametrize("end", [lambda: os._exit(3), lambda: os.kill(os.getpid(), 9), lambda: 1 / 0])
def test_where_it_comes_to_nothing_this_process_draws(forked: list[int], end: object) -> None:
    here = os.getpid()

    def draw() -> str:
        if os.getpid() != here and callable(end):
            end()
        return "<svg/>"

    assert beside_it([figure("one", draw)]) == {"one": "<svg/>"}
    assert len(forked) == 1


def test_a_picture_that_cannot_be_drawn_fails_here(forked: list[int]) -> None:
    with pytest.raises(ZeroDivisionError):
        beside_it([figure("one", lambda: str(1 // 0))])
    assert len(forked) == 1


def test_none_is_left_behind_where_the_words_fail(forked: list[int]) -> None:
    slow = [figure("slow", lambda: time.sleep(60) or "<svg/>")]
    with pytest.raises(LookupError), beside(slow):
        raise LookupError("the words")
    assert len(forked) == 1


def test_no_second_process_where_it_would_not_pay(forked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    assert beside_it([]) == {}
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert beside_it(FIGURES) == drawn_by(FIGURES)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert beside_it(FIGURES) == drawn_by(FIGURES)
    assert forked == []
