"""Who runs trials at the same time; each module is an island."""
