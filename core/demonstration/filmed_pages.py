"""Clicks that a new page tells of: one link has its name, or the last part of its address.

Without a pointer this is what a film shows of a click. After something was typed, a page may come because it was sent,
whatever the links beside it say: then nothing is told for certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import EventKind
from core.demonstration.equal_texts import phrase_of
from core.demonstration.shown import known
from core.page_addresses import last_part
from core.plans.phrasing import marks
from core.steps import Step

if TYPE_CHECKING:
    from core.analysis import Event
    from core.demonstration.screen_texts import ScreenTexts, Seen

_SETTLED_MS: Final = 1200
"""Within it a page has drawn its heading."""
_EARLY_MS: Final = 150
_LARGE: Final = 1.25
"""A heading is so much higher than most of what came with it."""
_LETTERS: Final = 4
_STEM: Final = 3
"""Letters that a verb has in common with its "-ing"."""


def page_click(event: Event, texts: ScreenTexts, *, most: int = 1) -> Step | None:
    """The click on the text that names the page that came; ``None`` where none does, or more than ``most`` do."""
    before = [one for one in texts.at(max(0, event.t_ms - _EARLY_MS)) if one.is_quotable]
    for name in (last_part(event), _heading(event, texts)):
        links = [one for one in before if name and _plain(one.text) == name]
        if 0 < len(links) <= most:
            # One that goes with its page is a link more likely than one of a bar that stays.
            link = next((one for one in links if one.until_ms is not None), links[0])
            phrase = phrase_of(link.text, link.box, event.t_ms - _EARLY_MS, texts)
            return known(event.t_ms, event.t_ms, Step.of("CLICK", phrase))
    return None


def pressed_button(event: Event) -> Step | None:
    """The click on a button that says then what it does: "Sign in", "Signing in..."; ``None`` for anything else."""
    before, after = event.before or "", event.text or ""
    word, doing = (_plain(each).partition(" ")[0] for each in (before, after))
    doing = doing.removesuffix("...").removesuffix("\u2026")
    is_doing = word.isalpha() and doing.isalpha() and doing.endswith("ing") and doing != word
    name = marks(before)
    if event.kind is not EventKind.CHANGED or name is None or not is_doing or doing[:_STEM] != word[:_STEM]:
        return None
    return known(event.t_ms, event.t_ms, Step.of("CLICK", name))


def _heading(event: Event, texts: ScreenTexts) -> str:
    """The one large text that came with it."""
    came = [one for one in texts.came(event.t_ms, event.t_ms + _SETTLED_MS) if one.is_quotable]
    if not came:
        return ""
    heights = sorted(one.box[3] for one in came)
    tallest: Seen = max(came, key=lambda one: one.box[3])
    is_large = len(came) > 1 and tallest.box[3] >= _LARGE * heights[len(heights) // 2]
    name = _plain(tallest.text)
    return name if is_large and len(name) >= _LETTERS else ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
