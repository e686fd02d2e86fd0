"""The ``Prefer`` header (RFC 7240), as far as it is honoured here: ``respond-async`` and ``wait``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Preferences(NamedTuple):
    """What the caller prefers."""

    respond_async: bool
    """To be answered with a handle rather than to wait."""
    wait: int | None
    """Whole seconds that it waits at most, before it is answered with a handle."""

    def applied(self, *, answered: bool) -> dict[str, str]:
        """``Preference-Applied`` for an answer, or for a handle; no header when nothing was preferred."""
        applied = ["respond-async"] if self.respond_async and not answered else []
        applied += [] if self.wait is None else [f"wait={self.wait}"]
        return {"Preference-Applied": ", ".join(applied)} if applied else {}


def preferences(headers: Iterable[str]) -> Preferences:
    """What all ``Prefer`` headers of a request say; of one that stands twice the first, unreadable ones are ignored."""
    found: dict[str, str] = {}
    for preference in ",".join(headers).split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    wait = found.get("wait", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) < 10 else None  # noqa: PLR2004 - 30 years
    return Preferences("respond-async" in found, seconds)
