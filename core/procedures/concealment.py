"""What is never told: hidden values, values of fields that are named like secrets, and what looks like a key."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from core.demonstration.screen_texts import is_masked
from core.demonstration.secrecy import is_manager

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST: Final = 3
_KEY: Final = re.compile(r"(?=[^\s/.]*\d)(?=[^\s/.]*[A-Za-z])[A-Za-z0-9+/=_~-]{20,}|-----BEGIN|\bssh-(?:rsa|ed25519)\b")
"""Letters and digits without end, as in keys and tokens; an address has dots or slashes between them."""
_SEPARATED: Final = re.compile(r"[A-Za-z]{3,}[-_/][A-Za-z]{2,}")


@lru_cache(maxsize=4096)
def looks_secret(text: str) -> bool:
    """Whether a text has in it what looks like a key or a token."""
    return any(not _SEPARATED.search(found.group()) for found in _KEY.finditer(text))


class Concealed:
    """Tells whether a text may be told.

    Args:
        values: what was typed into fields whose values are not to be told.

    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = {value.casefold() for value in values if len(value) >= _SHORTEST}

    def hides(self, text: str) -> bool:
        """Whether it holds such a value, is one that dots hide, or names a password manager."""
        if is_masked(text) or is_manager(text) or looks_secret(text):
            return True
        folded = text.casefold()
        # A part of it as well: it stood there while it was typed.
        return any(value in folded or (len(folded) >= _SHORTEST and folded in value) for value in self._values)
