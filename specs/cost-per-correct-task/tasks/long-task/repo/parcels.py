"""Parcels, and what the depots can take of them."""

LARGEST = 31500


def capacity():
    """Give how many kilograms all depots together take in a day."""
    return 0


def fits(grams):
    """Say whether a parcel can be sent at all."""
    return 0 < grams <= LARGEST
