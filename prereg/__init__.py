"""The face: command line, one function a verb, audit, demo."""
