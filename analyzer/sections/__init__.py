"""The sections of a report, each a pure function of what is stored."""
