"""A tour of a van: its stops in order, and how long it takes."""

from stops import gap


def length(stops):
    """Give how many minutes a tour takes: six at each stop, and the way between them."""
    return 6 * len(stops) + sum(gap(one, other) for one, other in zip(stops, stops[1:]))
