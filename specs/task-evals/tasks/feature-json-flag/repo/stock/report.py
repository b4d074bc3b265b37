"""What is printed."""


def as_table(items):
    """Give the items as an aligned table, with their total value."""
    lines = [f"{item.name:<20} {item.count:>6} {item.price / 100:>10.2f}" for item in items]
    return "\n".join([*lines, f"total {sum(item.count * item.price for item in items) / 100:>32.2f}"])
