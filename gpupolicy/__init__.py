"""gpupolicy: one spec for a GPU cluster's policy, checked against the hardware and compiled."""

__version__ = "0.1.0"
