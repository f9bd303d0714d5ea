"""Kubernetes objects as plain data: keys, order, labels and canonical YAML."""
