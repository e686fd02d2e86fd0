"""Moments as requests give them."""

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator


def _no_number(value: object) -> object:
    """Refuse numbers, which pydantic would take for seconds since 1970."""
    try:
        float(value)  # pyright: ignore[reportArgumentType] - what is no number raises
    except (TypeError, ValueError):
        return value
    raise ValueError("Give a moment as ISO 8601, e.g. 2026-11-22T09:00:00+00:00")


Moment = Annotated[datetime, BeforeValidator(_no_number)]
"""A date and time in ISO 8601."""
