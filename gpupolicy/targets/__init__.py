"""The rooms that write manifests, one a target, all of one shape."""
