"""The figures of a report, each a pure function of what is stored, drawn by matplotlib into SVG."""
