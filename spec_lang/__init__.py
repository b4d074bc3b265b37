"""What is said: the language of a pre-registration, from text to a checked noun."""
