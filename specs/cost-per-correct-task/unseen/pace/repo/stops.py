"""The way between two stops, in minutes."""


def gap(one, other):
    """Give the minutes between two stops, which are numbers of houses in one long street: four houses a minute."""
    return -(-abs(one - other) // 4)
