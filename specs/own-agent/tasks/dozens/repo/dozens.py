"""Boxes of eggs."""


def dozens(eggs):
    """How many whole dozens there are."""
    return eggs // 11
