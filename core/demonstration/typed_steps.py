"""The steps for what was typed: known, hidden, or in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.demonstration.shown import clock, known, place_name
from core.plans.phrasing import marks
from core.steps import FOCUS, Step

if TYPE_CHECKING:
    from core.demonstration.gestures import Entry
    from core.demonstration.looks import Look

_UNREAD: Final = "What was typed at {} could not be read for certain."
_OTHER_LENGTH: Final = "What was typed at {} looks like {}, but {} letters were typed."
_TWO_READINGS: Final = "What was typed at {} looks like {}, and a moment later like {}."


def focused(entry: Entry, value: str) -> Step:
    """The step for letters that go where the focus is."""
    return known(entry.t_ms, entry.until_ms, Step.of("TYPE", FOCUS).typing(value))


def written_into(look: Look, value: str, added: str) -> Step:
    """The step by which the field comes to hold the same: one of several lines keeps what it holds otherwise.

    ``added`` is what was typed behind that.
    """
    if not look.several_lines:
        return Step.of("TYPE", look.field).typing(value)
    if not added and look.before and value.startswith(look.before) and not _is_in_word(value, len(look.before)):
        added = value.removeprefix(look.before).strip()
    return Step.of("TYPE", look.field, args={"clear": not added}).typing(added or value)


def _is_in_word(text: str, at: int) -> bool:
    """Whether a place is within a word: what stands before it is no older text but its first letters."""
    return text[at - 1 : at].isalnum() and text[at : at + 1].isalnum()


def hidden(span: tuple[int, int], target: str, name: str) -> Step:
    """The step for a value that the recording hides."""
    return known(*span, Step.of("TYPE", target, f"{{{place_name(name, hidden=True)}}}"), hidden=True)


def unread(span: tuple[int, int], target: str, name: str, doubt: str = "", read: str = "") -> Step:
    """The step for a value that could not be read for certain."""
    step = Step.of("TYPE", target, f"{{{place_name(name, hidden=False)}}}")
    return known(*span, step, doubt=doubt or _UNREAD.format(clock(span[0])), read=read)


def ambiguous(span: tuple[int, int], target: str, name: str, value: str, rival: str) -> Step:
    """The step for a value that two pictures tell differently."""
    doubt = _TWO_READINGS.format(clock(span[0]), marks(value) or "one thing", marks(rival) or "another")
    return unread(span, target, name, doubt, value)


def misread(span: tuple[int, int], target: str, name: str, value: str, typed: int) -> Step:
    """The step for a value that has not as many letters as were typed: a letter of it was read wrong."""
    doubt = _OTHER_LENGTH.format(clock(span[0]), marks(value) or "something else", typed)
    return unread(span, target, name, doubt, value)
