"""How long and how much: `python -m bench` holds the compiler against its bounds."""
