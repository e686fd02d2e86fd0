"""Turns of phrase that say with other words, or in another order, what a plain command says."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from core.reload.matching.vocabulary import (
    CHECKED,
    FORMATS,
    GIVING,
    HARD,
    KNOWN,
    LOOKING,
    PIECES,
    PLAIN,
    PREPOSITIONS,
    ROUTINES,
    RUNNING,
    VERBS,
    VIEWING,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.reload.matching.words import Token

Phrases = list[tuple[str, list["Token"]]]

_TIMELY: Final = frozenset({"date", "time", "month", "weekday"})
_WHEN: Final = frozenset({"on", "at"})
_LETTERS: Final = frozenset({"message", "email", "letter", "reminder", "invitation", "text"})
_ALARMS: Final = frozenset({"alarm", "timer", "reminder"})
_CHOSEN: Final = frozenset({"photo", "photos", "file", "files", "doc", "song", "video", "image", "attachment", "link"})
"""Another one of these is one that somebody has to choose."""
_MAKING: Final = frozenset({"create", "add", "schedule", "register", "log", "insert", "write", "post"})
_OWN: Final = frozenset({
    "book", "reserve", "order", "buy", "print", "create", "open", "add", "set", "schedule", "play", "download",
})  # fmt: skip
"""What is done for oneself anyway."""
_OPENING: Final = frozenset({"print", "open", "read", "delete", "look"})


def is_word(word: Token) -> bool:
    """Whether it is a plain one, not in quotes and nobody's."""
    return word.kind == "word" and not word.literal and not word.role


def timed_last(words: Sequence[Token]) -> list[Token]:
    """As "on Friday at 3pm book a room" is "book a room on Friday at 3pm"."""
    at = 0
    while at + 1 < len(words) and is_word(words[at]) and words[at].canon in _WHEN and words[at + 1].about in _TIMELY:
        at += 2
    return [*words[at:], *words[:at]] if at < len(words) else list(words)


def owned_by_name(words: Sequence[Token]) -> list[Token]:
    """With "Grace" of "Grace Hopper's report" said to be whose it is as well."""
    found = list(words)
    for at in range(len(found) - 1, 1, -1):
        name, before = found[at], found[at - 1]
        apart = name.breaks or name.determined or before.plain in PLAIN | HARD | VERBS
        titled = name.raw[:1].isupper() and before.raw[:1].isupper()
        if name.role == "'s" and name.kind == "word" and is_word(before) and titled and not apart:
            found[at - 1] = before._replace(role="'s")
    return found


def for_oneself(first: list[Token]) -> None:
    """As "book me a flight" is "book a flight"."""
    mine = len(first) > 2 and first[1].plain == "me" and is_word(first[1])  # noqa: PLR2004 - and what
    if mine and first[0].canon in _OWN and (first[2].determined or first[2].about == "number"):
        del first[1]


def pieces_first(words: Sequence[Token]) -> list[Token]:
    """As "print the contract, pages 4 to 6" is "print pages 4 to 6 of the contract"."""
    for at in range(2, len(words) - 1):
        piece, behind = words[at], words[at + 1 :]
        if piece.breaks and is_word(piece) and piece.canon in PIECES and all(_is_counted(word) for word in behind):
            of = piece._replace(raw="of", canon="of", plain="of", breaks=False, determined="")
            return [words[0], piece._replace(breaks=False), *behind, of, *words[1:at]]
    if len(words) > 2 and words[0].canon in _OPENING and words[1].canon in PIECES:  # noqa: PLR2004 - a verb and the piece
        return [word._replace(canon="of") if is_word(word) and word.canon == "from" else word for word in words]
    return list(words)


def _is_counted(word: Token) -> bool:
    return word.about in {"number", "symbol", "ordinal"} or word.plain in {"to", "and", "through"}


def looked(verb: Sequence[Token], words: Sequence[Token], asks: int) -> tuple[list[Token], int] | None:
    """Of what is only told: the one verb for looking at it, and how many words that were; ``None`` for all else.

    Args:
        verb: what the command begins with, in its one form.
        words: behind it.
        asks: so many words of a clause ask for something; 0 for a command.

    """
    known = KNOWN if asks or verb[0].canon in VIEWING else CHECKED if verb[0].plain == "check" else ()
    if not asks and verb[0].canon == "search" and len(verb) == 1:
        # "Search the inbox" looks for something in it.
        return None
    noun = list(takewhile(lambda word: not (is_word(word) and word.canon in PREPOSITIONS), words))
    last = noun[-1] if noun else None
    if last is None or not is_word(last) or last.plain not in known:
        return None
    return [verb[0]._replace(canon=LOOKING, plain=LOOKING)], asks


def run(first: list[Token]) -> None:
    """As "replay the parcel-form routine" is "run parcel-form"; its name is exact, or stands in quotes."""
    if first[0].plain not in RUNNING | {"start"} or len(first) < 2:  # noqa: PLR2004 - a verb and its object
        return
    at = next((at for at in (len(first) - 1, 1) if is_word(first[at]) and first[at].plain in ROUTINES), 0)
    name = [word for index, word in enumerate(first) if index not in {0, at}]
    if len(name) != 1 or not _is_exact(name[0]) or (not at and first[0].plain == "start"):
        return
    first[:] = [first[0]._replace(canon="run", plain="run"), name[0]]


def _is_exact(name: Token) -> bool:
    if name.literal:
        return True
    return name.kind in {"word", "place"} and not name.role and any(mark in name.raw.strip("-_") for mark in "-_")


def made_new(first: list[Token]) -> None:
    """As "create another contact" and "create a new contact" are "create a contact"."""
    if len(first) < 3 or not is_word(first[1]) or first[1].canon not in {"new", "another"}:  # noqa: PLR2004 - and what
        return
    verb, last, how = first[0], first[-1].canon, first[1].canon
    made = verb.canon in _MAKING and not (how == "another" and last in _CHOSEN)
    sent = verb.canon == "send" and how == "another" and last in _LETTERS
    if made or sent or (verb.canon == "set" and last in _ALARMS):
        del first[1]
        first[1] = first[1]._replace(determined=how if how == "another" else "a")
        if verb.canon == "add" and how == "new":
            first[0] = verb._replace(canon="create")


def without_empty(phrases: Phrases) -> None:
    """As "send it over to bob" is "send it to bob"; "what is it like" is "what is it"."""
    verb = phrases[0][1][0].canon
    for at in range(len(phrases) - 1, 0, -1):
        head, each = phrases[at]
        following = phrases[at + 1][0] if at + 1 < len(phrases) else ""
        over = verb in GIVING and head in {"over", "along"} and following == "to"
        if not each and (over or (verb == LOOKING and head == "like")):
            del phrases[at]


def exported(phrases: Phrases) -> None:
    """As "export it to PDF" is "export it as PDF"."""
    if phrases[0][1][0].canon in {"export", "save", "convert"}:
        for at, (head, each) in enumerate(phrases):
            if head == "to" and each and each[-1].plain in FORMATS:
                phrases[at] = ("as", each)
