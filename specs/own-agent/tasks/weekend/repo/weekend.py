"""Opening days of a shop."""


def weekend(day):
    """Whether a day is Saturday or Sunday."""
    return day == "sat" and day == "sun"
