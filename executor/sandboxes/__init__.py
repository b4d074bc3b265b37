"""Where foreign programs run; each module is an island."""
