"""A reload entry: a sequence of actions that was carried out once and seen to succeed, and what checking it needs."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field

from core.reload.templates import Template
from core.screens import Box, Point
from core.text import one_line
from core.values import Value

MAX_REQUEST: Final = 10_000
"""Characters of a request."""
MAX_ACTIONS: Final = 2_000

Vocabulary = Literal["desktop", "foreign"]
"""Vaider's own actions, or those of a client, which are emitted on ``/events`` for the front end that owns them."""
TriggerType = Literal["app_click", "button_click", "form_submit", "user_message"]


class SlotKind(StrEnum):
    """Where a slot's value comes from at a replay."""

    VALUE = "value"
    """From the request, else as it was recorded."""
    SECRET = "secret"  # noqa: S105 - a kind, no password
    """A sensitive parameter: never kept, given anew."""
    READ = "read"
    """Read off the screen in the same run: read afresh each time."""


class Slot(Value):
    """A value of the recorded run that came from its request or its parameters."""

    name: str
    kind: SlotKind = SlotKind.VALUE
    value: str | None = None
    """As it was recorded; ``None`` unless ``kind`` is ``value``."""
    rebinds: bool = True
    """Whether it was only typed: what was picked by its picture cannot be another value."""


class WindowIdentity(Value):
    """What tells a window from others; ids and places are another each time."""

    application: str
    """As ``core.screens.Window`` has it."""
    program: str = ""
    """The file name of its process' executable; empty when unknown."""
    title: Template = Template()
    address: str = ""
    """Of the page that a browser shows, host and path as its address bar has them; empty when none could be read."""


class Anchor(Value):
    """How to find a target again."""

    image: str
    """Base64 of a PNG: the target and what is around it; what is transparent is not compared."""
    core: Box
    """The target itself, in pixels of the image: compared strictly."""
    point: Point
    """Where to act, in pixels of the image."""
    place: Point
    """Where that was, from the top left corner of its window; of the desktop, without a window."""
    words: str = ""
    """What was read in the core, empty for nothing."""


class Effect(Value):
    """What was seen after an action; boxes are the desktop's, as the action's points are."""

    changed: tuple[Box, ...] = ()
    appeared: tuple[WindowIdentity, ...] = ()
    """Windows that were not there before."""
    vanished: tuple[WindowIdentity, ...] = ()
    shows: Template | None = None
    """The text that was read afterwards where something changed, when it is what was typed."""
    shown_in: Box | None = None
    """Where."""
    image: str = ""
    """Base64 of a PNG of one change, when no value can show in it; as ``Anchor.image``."""
    image_of: Box | None = Field(default=None, exclude_if=lambda box: box is None)
    """Which: what was acted on, else the largest; ``None``, as in older entries, is the largest."""


class CachedAction(Value):
    """One action of an entry."""

    action: dict[str, Any]
    """As ``core.actions.ACTION`` writes it, or as a client posted it; values are places (``core.reload.templates``)."""
    subtask: int = 0
    step: int | None = None
    """The reference step of the workflow, or the line of the task's plan, that it belongs to, from 0 on."""
    follows: bool = False
    """Whether it belongs to the action before it: nothing was looked at in between."""
    window: WindowIdentity | None = None
    """Where it went to; ``None`` for what needs no window."""
    origin: Point = Point(x=0, y=0)
    """The top left corner of that window when it was recorded: points and boxes of the action are the desktop's."""
    anchor: Anchor | None = None
    effect: Effect | None = None
    """``None`` when it is not known: only the last of those that follow one another has one."""


class Fingerprint(Value):
    """The seed's: what the shown similarity is made of."""

    trigger_type: TriggerType = "user_message"
    trigger_target: Annotated[str, Field(max_length=1000)] = ""
    context_ngrams: tuple[str, ...] = ()
    window_state_hash: str = ""
    """16 hexadecimal digits; empty without window state. The hash gates only if a client sent the window state."""


class Origin(Value):
    """Where an entry comes from."""

    kind: Literal["workflow", "task", "client"] = "client"
    name: str = ""
    """The workflow's folder or the task's id."""
    revision: str = ""
    """SHA-256 of its document: when it has been changed since, the entry is stale."""


class Metadata(Value):
    """The seed's counts; times are UTC, ISO 8601. Each use has at most one success or one failure."""

    created_at: str
    last_used: str
    use_count: Annotated[int, Field(ge=0)] = 0
    success_count: Annotated[int, Field(ge=0)] = 0
    failure_count: Annotated[int, Field(ge=0)] = 0
    original_message_id: str = ""
    """The job of the recorded run, or what a client calls its message."""
    agent_id: str = ""
    """Who decided then: a provider's name, or a client's."""


class Healed(Value):
    """A target that a replay found elsewhere, and how the action would be from then on."""

    index: int
    action: CachedAction
    told: str
    """Where it was and where it is, in words."""


class Proposal(Value):
    """A new version of an entry, adopted after it has succeeded twice."""

    healed: tuple[Healed, ...]
    successes: int = 1


class Draft(Value):
    """An entry before it is kept: without an id and counts."""

    vocabulary: Vocabulary = "desktop"
    fingerprint: Fingerprint
    requests: tuple[Template, ...]
    """The request that it answered; further ones are its other phrasings, such as the workflow's own description."""
    slots: tuple[Slot, ...] = ()
    actions: tuple[CachedAction, ...]
    summary: Annotated[str, Field(max_length=2000)] = ""
    success_criteria: Template = Template()
    origin: Origin = Origin()
    screen: tuple[int, int] | None = None
    """Width and height of the desktop it was recorded on."""
    duration_ms: Annotated[int, Field(ge=0)] = 0
    """What the recorded run took, to tell what a replay saves."""
    model_calls: Annotated[int, Field(ge=0)] = 0
    verified: bool = False
    """Whether Vaider itself saw it succeed; what a client says has to be seen once before it is believed."""

    def values(self) -> dict[str, str]:
        """The recorded value of each slot that has one."""
        return {slot.name: slot.value for slot in self.slots if slot.value is not None}


class Entry(Draft):
    """A draft that is kept."""

    id: Annotated[str, Field(pattern=r"^reload-[1-9][0-9]*$")]
    metadata: Metadata
    quarantined: str = ""
    """Why it is not offered until it has succeeded again; empty when it is not quarantined."""
    version: Annotated[int, Field(ge=1)] = 1
    proposal: Proposal | None = None


Outcome = Literal["succeeded", "failed", "interrupted"]


class Counts(NamedTuple):
    """An entry's finished uses. What was interrupted says nothing of the entry."""

    successes: int = 0
    failures: int = 0

    def replaced(self, before: Outcome | None, after: Outcome | None) -> Counts:
        """With a use that was counted as ``before`` counted as ``after``; ``None`` is not counted yet."""
        return Counts(
            max(0, self.successes + (after == "succeeded") - (before == "succeeded")),
            max(0, self.failures + (after == "failed") - (before == "failed")),
        )


MOST_LETTERS: Final = 200
_TAGS: Final = str.maketrans("<>", "()")
_QUOTED: Final = 50
"""Characters of a request that has to stand for a summary."""
_APP: Final = re.compile(r"app:\s*(?P<name>\S.*)", re.IGNORECASE | re.DOTALL)
_BUTTON: Final = re.compile(r'button\s+"(?P<name>.+)"', re.IGNORECASE | re.DOTALL)


def label_text(text: str, most: int = MOST_LETTERS) -> str:
    """The text as one line of visible letters, without the brackets of tags, of bounded length."""
    line = one_line(text).translate(_TAGS)
    return line if len(line) <= most else line[: most - 1] + "…"


def label_for(request: str, trigger_type: str, trigger_target: str) -> str:
    """What an entry is called whose recorder did not say: as the formats this grew from call it.

    ``app: X`` is "Open X app", ``button "Y"`` is 'Click "Y"', else the first 50 characters of the request.
    """
    said = label_text(request, 10_000) or label_text(trigger_target, 1000)
    if (app := _APP.fullmatch(said)) is not None:
        return label_text(f"Open {app['name']} app")
    if (button := _BUTTON.fullmatch(said)) is not None:
        return label_text(f'Click "{button["name"]}"')
    if not request.strip() and said:
        if trigger_type == "app_click":
            return label_text(f"Open {said} app")
        if trigger_type == "button_click":
            return label_text(f'Click "{said}"')
    if not said:
        return "What was done once"
    return said if len(said) <= _QUOTED else f"{said[:_QUOTED].rstrip()}..."
