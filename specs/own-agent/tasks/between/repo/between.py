"""Ranges of numbers."""


def between(number, low, high):
    """Whether a number is above one and below another."""
    return low > number and number > high
