"""Programs of ours that run inside a task's own interpreter; nothing else stands in this folder, it is shown to the tests."""
