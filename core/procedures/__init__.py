"""Derives procedures from a recording: steps in the past tense, grouped by activity."""
