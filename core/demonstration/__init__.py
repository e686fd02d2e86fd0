"""Derives a task from a recording without a model: only from what was seen or logged."""
