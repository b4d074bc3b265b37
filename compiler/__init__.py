"""From spec and pool to a locked plan, purely."""
