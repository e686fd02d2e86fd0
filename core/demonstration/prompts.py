"""Lines behind which a command is typed: what a film shows of a prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.analysis import EventKind
from core.demonstration.screen_texts import row_of, same_row
from core.text import SHELL_PROMPTS, one_line

if TYPE_CHECKING:
    from core.analysis import Event
    from core.demonstration.screen_texts import ScreenTexts

_OWN: Final = re.compile(r"[^\s<]{3,}[$#%>](?= \S)")
"""A prompt that is read as one line with what is typed behind it."""
_COMES: Final = {EventKind.APPEARED, EventKind.TYPED}
_GAP: Final = 2
"""Heights between a prompt and what is written behind it."""
_PROMPTS: Final = (*SHELL_PROMPTS, ":")
"""How a line ends behind which a command is typed."""
_DEBUGGER: Final = re.compile(r"\([\w.:-]+\)")
"""The prompt of a debugger."""


def is_prompted(event: Event) -> bool:
    """Whether it was typed behind a prompt, which stays."""
    before = one_line(event.before or "")
    is_prompt = before.endswith(_PROMPTS) or _DEBUGGER.fullmatch(before) is not None
    return is_prompt and one_line(event.text or "").startswith(before)


def ends_in_command(line: str, command: str) -> bool:
    """Whether a line is a shell's prompt with that command behind it."""
    return line.endswith(command) and line.removesuffix(command).rstrip().endswith(SHELL_PROMPTS)


def has_prompt(line: str) -> bool:
    """Whether a line begins with a prompt, of which a command has readings of its own."""
    return _OWN.match(line) is not None


def _own_prompt(event: Event, texts: ScreenTexts) -> str:
    """The prompt that was read as one line with what was typed behind it: a shell's, or what stood there alone."""
    line = one_line(event.text or "")
    if own := _OWN.match(line):
        return own[0]
    if event.region is None:
        return ""
    x, _, _, height = event.region
    stood = (
        one.text
        for one in texts.at(max(0, event.t_ms - 1))
        if same_row(one.box, event.region) and abs(one.box[0] - x) <= height
    )
    return next((text for text in stood if text.endswith(":") and line.startswith(f"{text} ")), "")


def behind_prompt(event: Event, texts: ScreenTexts) -> Event:
    """The same as typed over the prompt that stands before it: one short text, of which no letter was seen alone."""
    own = _own_prompt(event, texts) if event.kind is EventKind.TYPED and not event.before else ""
    if own:
        return event.model_copy(update={"before": own})
    is_one = event.kind in _COMES and bool(event.text) and "\u00b7" not in (event.text or "")
    if not is_one or event.region is None or event.before:
        return event
    x, _, _, height = event.region
    prompt = next(
        (
            one
            for one in texts.at(max(0, event.t_ms - 1))
            if same_row(one.box, event.region) and 0 <= x - one.box[0] - one.box[2] <= _GAP * height
        ),
        None,
    )
    if prompt is None or not prompt.text.endswith(SHELL_PROMPTS) or "<" in prompt.text:
        return event
    update = {
        "kind": EventKind.TYPED,
        "text": f"{prompt.text} {event.text}",
        "before": prompt.text,
        "region": row_of(prompt.box, event.region),
        "until_ms": event.until_ms if event.kind is EventKind.TYPED else event.t_ms,
        "cause": None,
    }
    return event.model_copy(update=update)
