"""An entry as front ends tell it: in the spelling of the format it grew from, with each action in words."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError

from core.actions import ACTION, in_words
from core.reload.entry import CachedAction, Effect, Entry, Healed, SlotKind, WindowIdentity
from core.reload.templates import filled_in
from core.values import View

_LONGEST: Final = 300
"""Characters of an action's words."""
_BEGIN: Final = 8
"""So many actions does a line of the list tell."""
_NOWHERE: Final = re.compile(r" at \(\d+, \d+\)")


class SlotView(View):
    """A value that came from the request or from the screen."""

    name: str
    kind: str
    value: str | None
    rebinds: bool
    """Whether another value may take its place."""


class Deed(View):
    """An action in words, and the words of its target as they were read."""

    words: str
    target: str


class ListedEntry(View):
    """A line of the list."""

    cache_id: str
    label: str
    request: str
    """Values as ``{slot}``."""
    trigger_type: str
    trigger_target: str
    vocabulary: str
    """``desktop``, or ``foreign``: emitted on ``/events`` for the front end that owns it."""
    slots: tuple[SlotView, ...]
    """The values that it was recorded with."""
    begins: tuple[Deed, ...]
    """What it does: its first actions, but for those at places of which no words are known."""
    actions: int
    use_count: int
    success_count: int
    failure_count: int
    verified: bool
    """Whether Vaider itself saw it succeed."""
    quarantined: str
    """Why it is not offered; empty when it is."""
    healing: bool
    """Whether a new version of it is being tried."""
    created_at: str
    last_used: str
    version: int


class ActionView(View):
    """One action."""

    index: int
    words: str
    window: str
    """Which window it goes to, empty for none."""
    target: str
    """The words of its target, as they were read; empty for none."""
    effect: str
    """What is to be seen after it, empty when that is not known."""
    action: dict[str, Any]
    """As it is kept."""
    anchor: dict[str, Any] | None = None
    """The picture of its target, a PNG in base64 with its places, when it was asked for: data, nothing else."""


class HealingView(View):
    """How an action would be from then on."""

    index: int
    told: str
    before: ActionView
    after: ActionView


class EntryView(ListedEntry):
    """An entry whole."""

    requests: tuple[str, ...]
    sequence: tuple[ActionView, ...]
    success_criteria: str
    origin: str
    """``workflow: …``, ``task: …`` or ``client``."""
    screen: tuple[int, int] | None
    duration_ms: int
    model_calls: int
    original_message_id: str
    agent_id: str
    proposal_successes: int
    """How often the new version has succeeded; two adopt it."""
    healing_steps: tuple[HealingView, ...]
    stale: str = ""
    """Why it is not done any more, whatever it is asked for: its workflow or task was changed. Empty while it is."""


class RefusedEntry(View):
    """An entry of a file that is not kept."""

    position: int
    """In the file, from 0 on."""
    reason: str


class ImportAnswer(View):
    """What became of a file."""

    cache_ids: tuple[str, ...]
    """Of those that are kept, as they are called now."""
    refused: tuple[RefusedEntry, ...]


def listed(entry: Entry) -> ListedEntry:
    """A line of the list."""
    return ListedEntry.model_validate(_line(entry), by_name=True)


def to_entry_view(entry: Entry, *, images: bool = False, stale: str = "") -> EntryView:
    """The entry whole; pictures only when they are wanted."""
    proposal = entry.proposal
    values = _values(entry)

    def healed(one: Healed) -> HealingView:
        before = to_action_view(one.index, entry.actions[one.index], values, images=images)
        after = to_action_view(one.index, one.action, values, images=images)
        return HealingView(index=one.index, told=one.told, before=before, after=after)

    return EntryView.model_validate(
        {
            **_line(entry),
            "requests": tuple(request.shown for request in entry.requests),
            "sequence": tuple(
                to_action_view(index, action, values, images=images) for index, action in enumerate(entry.actions)
            ),
            "success_criteria": entry.success_criteria.shown,
            "origin": f"{entry.origin.kind}: {entry.origin.name}" if entry.origin.name else entry.origin.kind,
            "proposal_successes": proposal.successes if proposal else 0,
            "stale": stale,
            "healing_steps": tuple(healed(one) for one in proposal.healed) if proposal else (),
        },
        by_name=True,
    )


def to_action_view(index: int, cached: CachedAction, values: Mapping[str, str], *, images: bool) -> ActionView:
    """One action, with these values in its words."""
    anchor = cached.anchor
    return ActionView(
        index=index,
        words=_words(cached.action, values)[:_LONGEST],
        window=_window(cached.window, values) if cached.window else "",
        target=anchor.words if anchor else "",
        effect=_effect(cached.effect, values) if cached.effect else "",
        action=cached.action,
        anchor=anchor.model_dump(mode="json") if anchor and images else None,
    )


def foreign_words(action: Mapping[str, Any]) -> str:
    """An action of a client's own vocabulary: its kind, and its plain values by their names."""
    rest = dict(action)
    kind = str(rest.pop("type", "") or rest.pop("action", "") or "action")
    plain = {name: value for name, value in rest.items() if isinstance(value, str | int | float)}
    shown_values = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in plain.items())
    return f"{kind}: {shown_values}" if shown_values else kind


def _words(action: Mapping[str, Any], values: Mapping[str, str]) -> str:
    filled = filled_in(dict(action), values)
    if filled.get("action") == "extract":
        return f"read {filled.get('query')} as {filled.get('variable_name')}"
    try:
        return in_words(ACTION.validate_python(filled))
    except ValidationError:
        return foreign_words(filled)


def _window(window: WindowIdentity, values: Mapping[str, str]) -> str:
    title = window.title.filled(values)
    named = f'"{title}" of {window.application}' if title else window.application
    return f"{named} at {window.address}" if window.address else named


def _effect(effect: Effect, values: Mapping[str, str]) -> str:
    seen = [f'"{effect.shows.filled(values)}" is read'] if effect.shows else []
    seen += [f"{_window(window, values)} appears" for window in effect.appeared]
    seen += [f"{_window(window, values)} vanishes" for window in effect.vanished]
    if effect.changed and not effect.shows:
        places = len(effect.changed)
        seen.append(f"the screen changes in {places} places" if places > 1 else "the screen changes")
    return ", ".join(seen)


def _values(entry: Entry) -> dict[str, str]:
    """The recorded ones; what is not known beforehand stands as its name in braces."""
    unknown = {slot.name: f"{{{slot.name}}}" for slot in entry.slots if slot.kind is not SlotKind.VALUE}
    return {**entry.values(), **unknown}


def _described(entry: Entry, values: Mapping[str, str]) -> Iterator[Deed]:
    """What it does, without what is done at a place of which no words are known."""
    for each in entry.actions:
        deed = Deed(words=_words(each.action, values)[:_LONGEST], target=each.anchor.words if each.anchor else "")
        if deed.target or not _NOWHERE.search(deed.words):
            yield deed


def _line(entry: Entry) -> dict[str, Any]:
    values = _values(entry)
    named = {"quarantined", "verified", "version", "vocabulary", "screen", "duration_ms", "model_calls"}
    return {
        **entry.model_dump(include=named),
        **entry.metadata.model_dump(),
        **entry.fingerprint.model_dump(include={"trigger_type", "trigger_target"}),
        "cache_id": entry.id,
        "label": entry.summary,
        "request": entry.requests[0].shown if entry.requests else "",
        "slots": [slot.model_dump() for slot in entry.slots],
        "begins": tuple(islice(_described(entry, values), _BEGIN)),
        "actions": len(entry.actions),
        "healing": entry.proposal is not None,
    }
