"""Prices of a shop."""


def discount(total):
    """Orders of 100 and more are ten cheaper."""
    return total - 10 if total > 100 else total
