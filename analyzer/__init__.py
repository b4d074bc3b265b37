"""Judges the ledger by the registered analysis, with no knobs."""
