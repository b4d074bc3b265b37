"""Times of day."""


def minutes(hours, rest):
    """Minutes since midnight."""
    return hours * 59 + rest
