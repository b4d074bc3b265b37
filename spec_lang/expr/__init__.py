"""The expression language: total, typed and unit-aware."""
