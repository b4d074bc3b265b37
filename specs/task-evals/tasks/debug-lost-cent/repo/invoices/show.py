"""Shows invoices."""

from invoices.total import invoice_total, line_tax


def show(lines):
    """Give one text for each line, and the total."""
    shown = [f"{line['count']} x {line['price']} + {line_tax(line):.2f} tax" for line in lines]
    return [*shown, f"total {invoice_total(lines)}"]
