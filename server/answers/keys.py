"""What the outside sees of keys: whether they are there, where they come from, where to get them; never a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.key_kinds import KEY_KINDS

if TYPE_CHECKING:
    from adapters.keys import Keys, KeyStatus


def key_answer(status: KeyStatus) -> dict[str, Any]:
    """One key, as ``/keys`` and ``vaider keys --json`` tell it."""
    kind = KEY_KINDS[status.name]
    return {
        **vars(status),
        "title": kind.title,
        "adds": kind.adds,
        "variables": list(kind.variables),
        "page": kind.page or None,
    }


def keys_answer(keys: Keys) -> dict[str, Any]:
    """All keys, and where new ones can be kept."""
    file = str(keys.file) if keys.file else None
    return {"keys": [key_answer(status) for status in keys.status()], "keyring": keys.ring_state(), "file": file}
