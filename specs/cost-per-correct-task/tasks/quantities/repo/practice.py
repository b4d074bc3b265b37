"""A small shop: what sending costs, names as they are printed, quantities as they are typed."""

FREE_FROM = 5000
STANDARD = 490
EXPRESS = 900


def delivery(total, express=False):
    """Give what sending an order of ``total`` cents costs, in cents.

    From 5000 cents on an order is sent free. Express always costs 900 cents on top.
    """
    if total > FREE_FROM:
        return 0
    return STANDARD + EXPRESS if express else STANDARD


def names(raw):
    """Give names as they are printed: without spaces around them, with one space between their parts.

    Empty names are left out, and so is a name that was there before, whatever its capitals. The order stays,
    and the list that is given is not changed.
    """
    for place, each in enumerate(raw):
        raw[place] = each.strip()
    return sorted(set(raw))


def quantities(text):
    """Give how many of each thing are asked for: ``3 apples, 2 pears`` is ``{"apples": 3, "pears": 2}``.

    A thing that is asked for twice is added up. Spaces and empty parts do not matter. What has no number, or none
    above zero, raises ValueError.
    """
    raise NotImplementedError
