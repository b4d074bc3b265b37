"""What a compiled design must satisfy, one file a concern."""
