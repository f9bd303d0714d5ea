"""What is true of GPUs, XIDs, metrics and component versions, as data with sources.

The files beside this module hold the facts; `catalog.facts()` is the way in.
"""
