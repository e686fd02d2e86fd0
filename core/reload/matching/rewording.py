"""One way to say what can be said in several: the words of a clause in their one form and order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.reload.matching.idioms import (
    exported,
    for_oneself,
    is_word,
    looked,
    made_new,
    owned_by_name,
    pieces_first,
    run,
    timed_last,
    without_empty,
)
from core.reload.matching.quantities import TIMELY
from core.reload.matching.vocabulary import (
    CLICKING,
    GIVING,
    LINK_PHRASES,
    LINKS,
    LOOKED_UP,
    MOVABLE,
    NOUN_CLASSES,
    PHRASES,
    PREPOSITIONS,
    VERB_CLASSES,
    VERB_PHRASES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.reload.matching.words import Token

_Phrases = list[tuple[str, list["Token"]]]

_HEADS: Final = PREPOSITIONS | {"saying", "named", "being"}
"""What begins a phrase."""
_NAMING: Final = frozenset({"saying", "named"})
_DICTATING: Final = frozenset({"type", "say"})
_TIMES: Final = frozenset({"at", "on", "in", "for", "by"})
_DURATIONS: Final = frozenset({"ms", "sec", "min", "h", "day", "days", "week", "weeks", "night", "nights"})
_CURRENCIES: Final = frozenset({"usd", "eur", "gbp", "jpy"})
_SETTING: Final = frozenset({"change", "set", "update", "switch", "adjust"})
_SWITCHING: Final = frozenset({"enable", "disable", "reset", "unlock", "lock"})
_LETTERS: Final = frozenset({
    "message", "messages", "email", "emails", "letter", "letters", "newsletter", "newsletters", "invitation",
    "invitations",
})  # fmt: skip
_LISTS: Final = frozenset({"contacts", "cart", "calendar", "favorites", "playlist", "list", "library", "bookmarks"})
_BRINGING: Final = frozenset({"copy", "move", "upload", "drag", "import", "paste", "translate", "convert"})
"""With these "into" is "to"."""
_FIELDS: Final = frozenset({"field", "box", "textbox"})
_CHOICES: Final = frozenset({"dropdown", "menu", "list"})
_MEETINGS: Final = frozenset({"meeting", "call", "appointment", "event"})
_ENTRIES: Final = frozenset({"contact", "event", "note", "reminder", "task", "appointment", "alarm", "meeting", "card"})
_ALARMS: Final = frozenset({"alarm", "timer", "reminder"})
_ALSO: Final = (
    ("insert", {"row", "column", "rows", "columns"}, "add"),
    ("file", {"ticket", "bug", "issue"}, "create"),
    ("raise", {"ticket", "bug", "issue"}, "create"),
    ("clear", {"trash", "cart"}, "empty"),
    ("begin", {"playlist", "song", "album", "music"}, "play"),
)
"""Verbs that mean another with what they are about."""
_EVERY: Final = frozenset({"all", "every", "each"})
_PARTICLES: Final = {"on": "enable", "off": "disable"}
_WAYS: Final = {"up": "increase", "down": "decrease"}
_ADDRESSING: Final = frozenset({"email", "message", "text"})
_SPECIAL: Final = frozenset({"file", "path", "url", "email", "text"})
_KINDS: Final = {
    "file": {"file", "doc"},
    "path": {"file", "folder"},
    "url": {"url", "link", "website", "webpage", "page", "address"},
    "email": {"address"},
    "handle": {"user", "account", "handle"},
    "tag": {"tag", "hashtag"},
    "number": {"number"},
}
"""What a word of this kind is anyhow: "the file a.txt" is "a.txt"."""
_SECRETS: Final = frozenset({"password", "passphrase", "passcode", "pin", "token", "code", "key"})


class Phrase(NamedTuple):
    """Words and the preposition before them; the verb and its object have none."""

    head: str
    words: tuple[Token, ...]
    movable: bool
    """Whether it may stand anywhere in its clause."""


class Sequences:
    """Words that follow one another, by their first."""

    def __init__(self, sequences: Iterable[tuple[str, ...]]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for sequence in sorted(sequences, key=len, reverse=True):
            self._by_first.setdefault(sequence[0], []).append(sequence)

    def at(self, words: Sequence[Token], at: int) -> tuple[str, ...]:
        """The longest that stands there; empty for none."""
        for sequence in self._by_first.get(words[at].plain, ()):
            if stands(words, at, sequence):
                return sequence
        return ()


def stands(words: Sequence[Token], at: int, sequence: tuple[str, ...]) -> bool:
    """Whether the words stand there, not in quotes."""
    if at + len(sequence) > len(words):
        return False
    return all(
        word.plain == wanted and word.kind == "word" and not word.literal
        for word, wanted in zip(words[at : at + len(sequence)], sequence, strict=True)
    )


_VERB_PHRASES: Final = Sequences(VERB_PHRASES)
_LINK_PHRASES: Final = Sequences(LINK_PHRASES)
_PHRASES: Final = Sequences(PHRASES)
_ASKING: Final = Sequences(LOOKED_UP)


def phrased(words: Sequence[Token]) -> list[Phrase]:
    """The phrases of a clause, in which whatever means the same reads the same."""
    words = owned_by_name(timed_last(words))
    verb, at = _begun(words)
    words = pieces_first([*verb[:1], *words[at:]]) if len(verb) == 1 else [*verb[:1], *words[at:]]
    at = 1 if verb else 0
    names = bool(verb) and verb[0].canon in CLICKING | _DICTATING | {"search"}
    phrases: _Phrases = [("", [])]
    for word in [*verb, *_renamed(words[at:], names=names)]:
        if is_word(word) and word.canon in _HEADS:
            into = word.plain == "into" and bool(verb) and verb[0].canon in _BRINGING
            phrases.append(("to" if into else word.canon, []))
        else:
            phrases[-1][1].append(word)
    _dictated(phrases)
    if phrases[0][1]:
        without_empty(phrases)
        _given(phrases)
        _particled(phrases)
        _searched(phrases)
        _named_otherwise(phrases)
        _entered(phrases)
        exported(phrases)
        run(phrases[0][1])
        _lasting(phrases)
    for _, each in phrases:
        _untyped(each)
        _quantified(each)
    return [_phrase(head, each) for head, each in _folded(phrases) if head or each]


def _phrase(head: str, words: list[Token]) -> Phrase:
    timely = bool(words) and all(
        word.about in TIMELY or word.kind == "unit" or (at and word.canon in _DURATIONS)
        for at, word in enumerate(words)
    )
    if head == "on" and not timely:
        head = "in"
    return Phrase(head, tuple(words), head in MOVABLE or (timely and head in _TIMES))


def _begun(words: Sequence[Token]) -> tuple[list[Token], int]:
    """What it begins with in its one form, and how many words that were, what is only looked at by one verb."""
    verb, at = _verb(words)
    asks = len(_ASKING.at(words, 0)) if verb else 0
    told = looked(verb, words[asks or at :], asks) if verb else None
    return (told[0], asks or at) if told else (verb, at)


def _verb(words: Sequence[Token]) -> tuple[list[Token], int]:
    """What the command begins with in its one form, and how many words that were."""
    first = words[0]
    if not is_word(first):
        return [], 0
    if phrase := _VERB_PHRASES.at(words, 0):
        end = words[len(phrase) - 1].end
        return [first._replace(canon=form, plain=form, end=end) for form in VERB_PHRASES[phrase]], len(phrase)
    shows = first.plain == "display" and len(words) > 1 and words[-1].canon not in {"settings", "options"}
    return [first._replace(canon="open" if shows else VERB_CLASSES.get(first.plain, first.canon))], 1


def _renamed(words: Sequence[Token], *, names: bool) -> list[Token]:
    """With what is said in several words in its one form; ``names`` says that these are names that mean themselves."""
    found: list[Token] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.kind != "word" or word.literal:
            found.append(word)
            at += 1
            continue
        phrase = _LINK_PHRASES.at(words, at)
        forms = LINK_PHRASES[phrase] if phrase else ()
        if not phrase and not names and (phrase := _PHRASES.at(words, at)):
            forms = PHRASES[phrase]
        if phrase:
            last = words[at + len(phrase) - 1]
            found.extend(word._replace(canon=form, plain=form, end=last.end, role=last.role) for form in forms)
        else:
            canon = LINKS.get(word.plain) or (word.canon if names else NOUN_CLASSES.get(word.plain, word.canon))
            names = names or canon in _NAMING
            found.append(word if canon == word.canon else word._replace(canon=canon))
        at += len(phrase) or 1
    return found


def _dictated(phrases: _Phrases) -> None:
    """What is written down, and what is secret, stands letter by letter."""
    for head, each in phrases:
        verb = each[0].canon if each and not head else ""
        exact = head in _NAMING or verb in _DICTATING
        for at, word in enumerate(each):
            secret = at > 0 and each[at - 1].plain in _SECRETS
            if word.kind == "word" and (secret or (exact and (head or at))):
                each[at] = word._replace(canon=word.raw)


def _given(phrases: _Phrases) -> None:
    """As "send bob the report" is "send the report to bob"; "email bob" is "send an email to bob"."""
    first = phrases[0][1]
    verb = first[0]
    if verb.canon in GIVING and len(first) > 1 and not any(head == "to" for head, _ in phrases):
        me = first[1].plain in {"me", "us"} and len(first) > 2  # noqa: PLR2004 - and a third word
        split = 2 if me else next((at for at in range(2, len(first)) if _begins_object(first, at)), 0)
        if split:
            phrases.insert(1, ("to", first[1:split]))
            first[1:split] = []
        elif verb.canon in _ADDRESSING and (len(first) == 2 or first[-1].raw[:1].isupper()):  # noqa: PLR2004 - one receiver
            phrases.insert(1, ("to", first[1:]))
            first[:] = [verb._replace(canon="send", plain="send"), verb]
    if verb.canon == "email" and any(word.about == "email" for head, each in phrases if head == "to" for word in each):
        first[0] = verb._replace(canon="send")


def _begins_object(words: Sequence[Token], at: int) -> bool:
    """As in "send bob | the report" and "send bob | 50 euros"."""
    amount = words[at].about == "number" and at + 1 < len(words) and words[at + 1].canon in _CURRENCIES
    return bool(words[at].determined) or (amount and words[1].about not in {"number", "unit"})


def _particled(phrases: _Phrases) -> None:
    """As "turn the light on" is "turn on the light"."""
    first = phrases[0][1]
    verb = first[0].plain
    if verb in {"turn", "switch"}:
        for at, (head, each) in enumerate(phrases):
            if at and head in _PARTICLES and not each:
                first[0] = first[0]._replace(canon=_PARTICLES[head])
                del phrases[at]
                return
        if len(first) > 2 and first[-1].plain in _WAYS:  # noqa: PLR2004 - a verb, its object and the way
            first[0] = first[0]._replace(canon=_WAYS[first.pop().plain])
    elif verb == "fill":
        phrases[1:] = [phrase for phrase in phrases[1:] if phrase != ("in", [])]
        if first[-1].plain == "out":
            first.pop()


def _searched(phrases: _Phrases) -> None:
    """As "search the web for cats" is "search for cats on the web"."""
    first = phrases[0][1]
    heads = [head for head, _ in phrases]
    if first[0].canon == "search" and len(first) > 1 and "for" in heads and not {"in", "on"} & set(heads):
        phrases.append(("in", first[1:]))
        del first[1:]


def _named_otherwise(phrases: _Phrases) -> None:
    """Verbs that mean the same with what they are about."""
    first = phrases[0][1]
    for_oneself(first)
    made_new(first)
    around = {each.canon for each in (*first[1:2], first[-1])}
    verb, last = first[0], first[-1].canon
    by_head = dict(phrases)
    canon = verb.canon
    if canon in _SETTING and len(first) > 1 and by_head.get("to") and last not in _ALARMS:
        canon = "set"
    elif canon in {"move", "send"} and any(word.canon in _CURRENCIES for word in first):
        canon = "transfer"
    elif canon == "put" and (where := by_head.get("in")) and where[-1].canon in _LISTS:
        canon = "add"
        phrases[:] = [("to" if head == "in" else head, each) for head, each in phrases]
    elif canon == "set" and len(first) > 2 and first[1].plain == "up" and last in _MEETINGS | _ALARMS:  # noqa: PLR2004 - "set up" and what
        canon = "schedule" if last in _MEETINGS else "set"
        del first[1]
    elif canon == "add" and last in _ENTRIES and first[-1].determined in {"a", "an"} and "to" not in by_head:
        canon = "create"
    elif also := next((one for said, about, one in _ALSO if canon == said and around & about), ""):
        canon = also
    elif canon == "write" and last == "message" and by_head.get("to"):
        canon = "send"
    elif canon in {"press", "click"} and len(first) > 2 and (at := _button(first)):  # noqa: PLR2004 - and its name
        canon = "click"
        del first[at]
    first[0] = verb._replace(canon=canon)
    if len(first) == 1 and len(phrases) > 1 and len(phrases[1][1]) > 1 and phrases[1][1][-1].about in _SPECIAL:
        first.append(phrases[1][1].pop())


def _entered(phrases: _Phrases) -> None:
    """As "put 5 in the age field" is "type 5 in the age field"."""
    first = phrases[0][1]
    last = {head: each[-1].canon for head, each in phrases if head and each}
    verb = first[0]
    cell = any(word.canon in {"cell", *_FIELDS} for head, each in phrases if head == "in" for word in each)
    if verb.canon in {"put", "fill", "write"} and len(first) > 1 and cell:
        first[0] = verb._replace(canon="type")
    elif verb.canon == "fill" and first[-1].canon in _FIELDS and [head for head, _ in phrases] == ["", "with"]:
        phrases[:] = [("", [verb._replace(canon="type"), *phrases[1][1]]), ("in", first[1:])]
    elif verb.canon == "select" and last.get("from") in _CHOICES:
        phrases[:] = [("in" if head == "from" else head, each) for head, each in phrases]


def _button(words: Sequence[Token]) -> int:
    return next((at for at in (len(words) - 1, 1) if words[at].plain == "button"), 0)


def _lasting(phrases: _Phrases) -> None:
    """As "a 30 minute meeting" is "a meeting for 30 minutes"."""
    first = phrases[0][1]
    for at in range(1, len(first) - 2):
        number, unit = first[at : at + 2]
        if number.about == "number" and unit.canon in _DURATIONS and is_word(first[at + 2]):
            phrases.append(("for", [number._replace(determined=False), unit]))
            del first[at : at + 2]
            return


def _untyped(words: list[Token]) -> None:
    """As "the file a.txt" is "a.txt"."""
    for at in range(len(words) - 1, 0, -1):
        # Of several pieces, such as 555-0142, the first tells: it is what stands there when it is asked.
        about = words[at].about
        kinds = _KINDS.get("number" if about in {"", "text"} and words[at].raw[:1].isdigit() else about)
        if kinds and words[at - 1].canon in kinds and is_word(words[at - 1]) and (at > 1 or words[0].determined):
            start = at - 1
            if (
                start
                and words[at].about == "email"
                and words[start - 1].canon == "email"
                and words[start - 1].determined
            ):
                start -= 1
            del words[start:at]
            return


def _quantified(words: list[Token]) -> None:
    """As "every file" is "all files"."""
    last = len(words) - 1
    for at, word in enumerate(words[:-1]):
        if word.plain in _EVERY and is_word(word):
            words[at] = word._replace(canon="all")
            if is_word(words[last]):
                words[last] = words[last]._replace(canon=_singular(words[last].canon))
            return


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _folded(phrases: _Phrases) -> _Phrases:
    """As "the report of march" is "the march report", but that each word knows how it belongs there."""
    found: _Phrases = []
    for at, (head, each) in enumerate(phrases):
        before = found[-1] if found else None
        start = 1 if before and not before[0] else 0
        following = phrases[at + 1][0] if at + 1 < len(phrases) else ""
        if before and each and len(before[1]) > start and _folds(head, each, before[1], following):
            role = {"being": "", "for": "'s" if not before[0] and before[1][0].canon in _SWITCHING else "for"}.get(
                head, head
            )
            while start < len(before[1]) - 1 and (
                before[1][start].role == "'s" or (head in {"for", "being"} and before[1][start].canon == "all")
            ):
                start += 1
            before[1][start:start] = [word if word.role else word._replace(role=role) for word in each]
        else:
            found.append((head, each))
    return found


def _folds(head: str, words: Sequence[Token], before: Sequence[Token], following: str) -> bool:
    if head == "for":
        return before[0].canon != "search" and not (len(words) > 1 and words[-1].canon in _DURATIONS)
    return head in {"of", "being"} or (head == "from" and before[-1].canon in _LETTERS and following != "to")
