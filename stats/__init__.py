"""Arithmetic that knows nothing of us: exact tests, intervals, resampling, sample sizes."""
