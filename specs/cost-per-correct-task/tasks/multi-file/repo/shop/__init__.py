"""A small shop in two modules."""
