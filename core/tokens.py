"""Tokens of a team's server: who may do what."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from core.values import Value

PREFIX: Final = "vdr_"
"""How each token begins, so that a secret scanner knows it."""


class Scope(StrEnum):
    """What the bearer of a token may do."""

    SUBMIT = "submit"
    """Have videos analysed, and read, leave and judge what it submitted itself."""
    READ = "read"
    """Read every analysis."""
    ADMIN = "admin"
    """Everything, the private things too: runs, memory, recorder, keys, settings."""


class Limits(Value):
    """What a token may ask for; ``None`` where there is no limit."""

    waiting: int | None = None
    """How many of its jobs may wait."""
    bytes_a_day: int | None = None
    """How many bytes it may send between two midnights UTC."""


class Bearer(Value):
    """Who sent a request: a named token, or with an empty name the machine's own account or the token file."""

    name: str = ""
    scope: Scope = Scope.ADMIN
    limits: Limits = Limits()


class TokenInfo(Value):
    """A token as lists show it; the secret is not kept."""

    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None = None
    used_on: str = ""
    """The day of its last use, UTC; empty until then."""
    waiting: int | None = None
    bytes_a_day: int | None = None
    """Both as in ``Limits``."""
