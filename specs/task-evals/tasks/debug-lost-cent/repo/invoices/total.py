"""Adds invoices up."""


def line_tax(line):
    """Give the tax of a line {"price", "count", "rate"}."""
    return round(float(line["price"]) * line["count"] * float(line["rate"]) / 100, 2)


def invoice_total(lines):
    """Give the total of an invoice as text with two decimals."""
    total = 0.0
    for line in lines:
        total += float(line["price"]) * line["count"] + line_tax(line)
    return f"{total:.2f}"
