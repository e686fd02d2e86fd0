"""Names of files that some system cannot have."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_RESERVED: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE | re.DOTALL
)
"""What Windows takes for devices, whatever the extension; see "Naming Files, Paths, and Namespaces" there."""


def is_reserved(name: str) -> bool:
    """Whether a name means a device on Windows, such as ``CON`` or ``nul.txt``."""
    return _RESERVED.fullmatch(name) is not None


def fault_of(name: str) -> str | None:
    """Why a name cannot travel between systems, ``None`` when it can."""
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
        return "holds control characters"
    if is_reserved(name):
        return "is reserved on Windows"
    return None
