"""Letters to patients."""

FOOTER = ["Kind regards", "Your clinic"]


class Letter:
    """A letter: lines of text under a greeting."""

    def __init__(self, patient, lines=[], footer=FOOTER):
        self.patient = patient
        self.lines = lines
        self.footer = footer

    def add(self, line):
        self.lines.append(line)
        return self

    def sign(self, doctor):
        """Put the doctor's name above the clinic's."""
        self.footer.insert(1, doctor)
        return self

    def text(self):
        return "\n".join([f"Dear {self.patient},", *self.lines, *self.footer])
