"""Tests that plugins of other distributions run on themselves; nothing here is loaded by pytest unless a test module imports it."""
