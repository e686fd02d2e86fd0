"""What a task is called: by what was achieved ("Send a parcel"), else by where it was done and what was done last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.distinctive import is_plainly_read, is_volatile
from core.demonstration.opening import plain_title, windows_of
from core.plans.phrasing import first_quotation
from core.window_kinds import is_manager

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.demonstration.screen_texts import ScreenTexts
    from core.recording.input_log import InputLog
    from core.steps import Step

_EMPTY: Final = re.compile(r"untitled|new tab|new window|about:blank|blank page|start page", re.IGNORECASE)
"""Titles of pages that are not there yet."""
_DOING: Final = re.compile(
    r"(?:add|apply|archive|assign|book|buy|cancel|change|check ?out|close|compose|confirm|convert|copy|create|delete|"
    r"download|edit|enter|execute|export|file|generate|import|install|invite|join|log ?in|make|move|new|open|order|pay|"
    r"place|post|print|publish|register|remove|rename|request|reserve|run|save|schedule|search|send|set|share|sign|"
    r"submit|subscribe|transfer|update|upload|write)\b",
    re.IGNORECASE,
)
_MOST: Final = 80
_MOST_WORDS: Final = 8
_MENU: Final = 5
"""A line of so many capitalised words in a row is a menu bar."""
_LARGE: Final = 0.8
_BEFORE_MS: Final = 80
_UNKNOWN: Final = "What was shown in the recording"


def title_of(texts: ScreenTexts, log: InputLog | None, steps: Sequence[Step], criteria: Sequence[str]) -> str:
    """The title.

    Args:
        texts: of the recording.
        log: what was done, if it was logged.
        steps: of the plan.
        criteria: what shows that it is done, in sentences.

    """
    clicks = [step for step in steps if step.action_type == "CLICK"]
    label = first_quotation(clicks[-1].target.primary) if clicks else ""
    if _says_what(label):
        return label[:_MOST]
    moments = reversed(clicks) if criteria else ()
    typed = {step.action_value for step in steps if step.action_type == "TYPE"}
    headings = (text for click in moments for text in _headings_over(texts, click))
    said = next((text for text in headings if _says_what(text) and text not in typed), "")
    if said:
        return said[:_MOST]
    place = next(_titles(log), "") or next(iter(_headings(texts, 0)), "")
    if not label and criteria:
        label = first_quotation(criteria[0])
    return ": ".join(dict.fromkeys(part[:_MOST] for part in (place, label) if part)) or _UNKNOWN


def _says_what(text: str) -> bool:
    """Whether words say what is done to what."""
    return 1 < len(text.split()) <= _MOST_WORDS and _DOING.match(text) is not None


def _titles(log: InputLog | None) -> Iterator[str]:
    for window in windows_of(log):
        title = plain_title(window.title)
        if title and not _EMPTY.fullmatch(title) and not is_manager(f"{window.application} {window.title}"):
            yield title


def _headings_over(texts: ScreenTexts, click: Step) -> list[str]:
    """Those that stand above what was clicked: what it brought stands below it."""
    t_ms, label = click.t_ms - _BEFORE_MS, first_quotation(click.target.primary)
    tops = {one.text: one.box[1] for one in texts.at(max(0, t_ms))}
    lowest = tops.get(label or "")
    return [text for text in _headings(texts, t_ms) if lowest is None or tops[text] <= lowest]


def _headings(texts: ScreenTexts, t_ms: int) -> list[str]:
    """The large texts of a moment that may name something, top to bottom."""
    there = [one for one in texts.at(max(0, t_ms)) if one.is_quotable and _names(one.text)]
    tallest = max((one.box[3] for one in there), default=0)
    return [one.text for one in there if one.box[3] >= _LARGE * tallest]


def _names(text: str) -> bool:
    words = text.split()
    has_letters = sum(sign.isalpha() for sign in text) > 2 and any(sign.islower() for sign in text)  # noqa: PLR2004
    is_menu = len(words) >= _MENU and all(word[:1].isupper() for word in words)
    is_plain = is_plainly_read(text) and not is_volatile(text) and not any(sign in text for sign in "/\\@~$#()")
    return has_letters and is_plain and not is_menu and len(words) <= _MOST_WORDS
