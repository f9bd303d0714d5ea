"""The only room that touches disk, processes or a cluster."""
