"""Who works on a task; each module is an island."""
