"""The spec language: pydantic models, validation, JSON Schema."""
