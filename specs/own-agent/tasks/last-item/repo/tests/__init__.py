"""The tests that an agent may run."""
