"""Where tasks come from; each module is an island."""
