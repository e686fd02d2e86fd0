"""An entry whose target was found elsewhere: proposed as a new version, adopted once it has succeeded twice."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from core.errors import VaiderError
from core.reload.entry import Healed, Proposal
from core.reload.keys import keys_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.reload.entry import Entry
    from core.reload.ports import Entries

_LOG: Final = logging.getLogger("vaider.reload")
_NEEDED: Final = 2
_NEAR: Final = 8
"""Pixels in which two replays found a target in the same place."""


def proposed(entries: Entries, entry_id: str, healed: Sequence[Healed]) -> None:
    """After a replay that succeeded: note where its targets were, if they were elsewhere than recorded."""
    if not healed:
        return
    try:
        entry = entries.get(entry_id)
        changed = after_success(entry, healed)
        if changed.version == entry.version:
            entries.propose(entry.id, entry.version, changed.proposal)
        else:
            entries.change(changed, keys_of(changed))
    except VaiderError as error:
        _LOG.warning("%s is not healed: %s", entry_id, error.message)


def after_success(entry: Entry, healed: Sequence[Healed]) -> Entry:
    """The entry with the proposal, with one success more, or in its new version."""
    proposal = entry.proposal
    successes = proposal.successes + 1 if proposal is not None and _same(proposal.healed, healed) else 1
    if successes < _NEEDED:
        return entry.model_copy(update={"proposal": Proposal(healed=tuple(healed), successes=successes)})
    actions = list(entry.actions)
    for each in healed:
        actions[each.index] = each.action
    return entry.model_copy(update={"actions": tuple(actions), "version": entry.version + 1, "proposal": None})


def _same(one: Sequence[Healed], other: Sequence[Healed]) -> bool:
    return len(one) == len(other) and all(_is_near(a, b) for a, b in zip(one, other, strict=True))


def _is_near(one: Healed, other: Healed) -> bool:
    first, second = one.action.anchor, other.action.anchor
    if one.index != other.index or first is None or second is None:
        return False
    dx, dy = first.place.x - second.place.x, first.place.y - second.place.y
    return max(abs(dx), abs(dy)) <= _NEAR
