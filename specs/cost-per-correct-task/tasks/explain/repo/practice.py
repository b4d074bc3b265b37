"""A small shop: what sending costs, names as they are printed, quantities as they are typed."""

FREE_FROM = 5000
STANDARD = 490
EXPRESS = 900


def delivery(total, express=False):
    """Give what sending an order of ``total`` cents costs, in cents.

    From 5000 cents on an order is sent free. Express always costs 900 cents on top.
    """
    cost = 0 if total >= FREE_FROM else STANDARD
    return cost + EXPRESS if express else cost


def names(raw):
    """Give names as they are printed: without spaces around them, with one space between their parts.

    Empty names are left out, and so is a name that was there before, whatever its capitals. The order stays,
    and the list that is given is not changed.
    """
    cleaned, seen = [], set()
    for each in raw:
        name = " ".join(each.split())
        if name and name.lower() not in seen:
            seen.add(name.lower())
            cleaned.append(name)
    return cleaned


def quantities(text):
    """Give how many of each thing are asked for: ``3 apples, 2 pears`` is ``{"apples": 3, "pears": 2}``.

    A thing that is asked for twice is added up. Spaces and empty parts do not matter. What has no number, or none
    above zero, raises ValueError.
    """
    found = {}
    for part in text.split(","):
        if not part.strip():
            continue
        number, _, thing = part.strip().partition(" ")
        if not number.isdecimal() or int(number) < 1 or not thing.strip():
            raise ValueError(f"no quantity: {part.strip()}")
        found[thing.strip()] = found.get(thing.strip(), 0) + int(number)
    return found
