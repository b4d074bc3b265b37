"""What an arm adds to an agent; each module is an island."""
