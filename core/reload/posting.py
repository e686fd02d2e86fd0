"""Makes an entry of what a client says it did: which of its values came from the request, and may be others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from core.reload.entry import CachedAction, Draft, Fingerprint, Slot, SlotKind
from core.reload.fingerprint import ngrams, window_state_hash
from core.reload.labels import label_for, label_text
from core.reload.templates import Template, templated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from core.reload.entry import Vocabulary
    from core.reload.offers import Posted

_KINDS: Final = frozenset(
    {
        *("type", "action", "op", "renderer", "variant", "position", "dockEdge", "windowStyle"),
        *("icon", "keys", "modifiers"),
    }
)
"""Keys whose texts say what kind of thing is done: never a value of the request."""
_PLACES: Final = frozenset({"x", "y", "w", "h", "width", "height", "duration", "zIndex", "position"})
_TYPED: Final = frozenset({"text", "url"})
"""Keys of Vaider's own actions whose texts go to the desktop as they stand."""
_SECRET: Final = re.compile(
    r"pass(word|wd|phrase|code)?|secret|token|pin|cvv|cvc|otp|api_?key|credential", re.IGNORECASE
)
_ID: Final = re.compile(r"(^id|Id|_id)s?$")
_WORD: Final = re.compile(r"\w+")
_SURE_LENGTH: Final = 3
"""A shorter value may stand anywhere by chance."""
_MOST_SLOTS: Final = 50


class _Text(NamedTuple):
    """One text of the actions, with the key that it stands under."""

    key: str
    text: str


def draft_of_posted(posted: Posted, vocabulary: Vocabulary, actions: Sequence[Mapping[str, Any]]) -> Draft:
    """The entry of a sequence that succeeded, as its client says.

    Texts of the actions that stand in the request as whole words are its slots. One may be another value only if the
    request holds it once and, in a foreign vocabulary, if every other word that is shown is the request's: what came
    from elsewhere may have come of the value. Texts under keys such as ``password`` are never kept.
    """
    texts = list(_texts(list(actions)))
    secrets = _named((each for each in texts if _SECRET.fullmatch(each.key) and each.text.strip()), ())
    request = Template.of(posted.request, secrets).shown
    values = _named(
        (each for each in texts if each.text not in secrets.values() and _stands(each.text, request)), secrets
    )
    # What holds another value is made of it: "lunch with alice" beside "alice" is no value of its own.
    values = {
        name: value
        for name, value in values.items()
        if not any(other != value and _occurrences(other, value) for other in values.values())
    }
    free = vocabulary == "desktop" or (not secrets and _is_free(actions, request))
    slots = [
        *(Slot(name=name, kind=SlotKind.SECRET) for name in secrets),
        *(
            Slot(name=name, value=value, rebinds=free and _rebinds(value, request, texts, vocabulary))
            for name, value in values.items()
        ),
    ]
    known = secrets | values
    shown = Template.of(posted.summary, secrets).shown
    return Draft(
        vocabulary=vocabulary,
        fingerprint=Fingerprint(
            trigger_type=posted.trigger_type,
            trigger_target=posted.trigger_target,
            context_ngrams=ngrams(request),
            window_state_hash=window_state_hash(posted.window_state),
        ),
        requests=(Template.of(posted.request, known),),
        slots=tuple(slots),
        actions=tuple(CachedAction(action=_placed(dict(action), known)) for action in actions),
        summary=label_text(shown) or label_for(request, posted.trigger_type, posted.trigger_target),
    )


def _texts(value: Any, key: str = "", *, numbers: bool = False) -> Iterator[_Text]:
    """Every text but those that name kinds, with its key; numbers as well, but for those that say where."""
    if isinstance(value, str):
        yield _Text(key, value)
    elif numbers and isinstance(value, int | float) and not isinstance(value, bool) and key not in _PLACES:
        yield _Text(key, str(value))
    elif isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            if name not in _KINDS or isinstance(part, dict):
                yield from _texts(part, name, numbers=numbers)
    elif isinstance(value, list | tuple):
        for part in cast("list[Any]", value):
            yield from _texts(part, key, numbers=numbers)


def _named(found: Iterable[_Text], taken: Collection[str]) -> dict[str, str]:
    """Values by names made of their keys, each once."""
    names: dict[str, str] = {}
    for each in found:
        if each.text in names.values() or len(names) >= _MOST_SLOTS:
            continue
        base = re.sub(r"\W", "_", each.key)[:40] or "value"
        name, count = base, 2
        while name in names or name in taken:
            name, count = f"{base}_{count}", count + 1
        names[name] = each.text
    return names


def _stands(text: str, request: str) -> bool:
    return bool(text.strip()) and text == text.strip() and bool(_occurrences(text, request))


def _occurrences(text: str, request: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", request))


def _rebinds(value: str, request: str, texts: Sequence[_Text], vocabulary: str) -> bool:
    if len(value) < _SURE_LENGTH or _occurrences(value, request) != 1:
        return False
    held = [each for each in texts if each.text == value]
    if vocabulary == "desktop":
        return len(held) == 1 and held[0].key in _TYPED
    return any(not _ID.search(each.key) for each in held)


def _is_free(actions: Sequence[Mapping[str, Any]], request: str) -> bool:
    """Whether all that is shown was said in the request."""
    said = {word.casefold() for word in _WORD.findall(request)}
    shown = [each.text for each in _texts(list(actions), numbers=True) if not _ID.search(each.key)]
    return all(word.casefold() in said for text in shown for word in _WORD.findall(text))


def _placed(value: Any, known: Mapping[str, str]) -> Any:
    """With places for the values, but not in what names kinds."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        return {
            name: part if name in _KINDS and not isinstance(part, dict) else _placed(part, known)
            for name, part in parts.items()
        }
    if isinstance(value, list | tuple):
        return [_placed(part, known) for part in cast("list[Any]", value)]
    return templated(value, known)
