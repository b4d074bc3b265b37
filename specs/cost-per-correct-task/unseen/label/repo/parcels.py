"""A parcel desk: what a parcel weighs on the bill, how its label reads, and how long a tour takes."""

STEP = 100
WIDEST = 30


def billed(grams, length, width, height):
    """Give the weight in grams that is billed for a parcel of so many grams and centimetres.

    It is the larger of its weight and its volume weight (a fifth of a gram for each cubic centimetre), rounded up to the
    next full 100 grams. A parcel of no weight and no size is billed as 100.
    """
    return max(grams, length * width * height // 5) // STEP * STEP


def label(name, street, town):
    """Give the lines of a label: name, street, and the town in capitals.

    Spaces around a line go, an empty line is left out, and what is longer than 30 characters is cut at the last space
    before, so that no word is torn; a single word that is longer is cut at 30.
    """
    return [line.strip()[:WIDEST] for line in (name, street.upper(), town)]


def minutes(text):
    """Give how many minutes a time is: ``1h 20m`` is 80, ``45m`` is 45, ``2h`` is 120.

    Spaces do not matter, hours stand before minutes, minutes are below 60 where hours stand before them. Anything else
    raises ValueError.
    """
    raise NotImplementedError
