"""How a result is judged; each module is an island."""
