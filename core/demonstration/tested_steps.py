"""The steps of a test that was filmed with the commands of its runner beside the page."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from core.demonstration.equal_texts import phrase_of
from core.demonstration.filmed_guesses import ENTER, Part
from core.demonstration.screen_texts import is_quotable, label_of
from core.demonstration.shown import known
from core.demonstration.typed_steps import hidden
from core.plans.phrasing import marks
from core.secrets import is_secret_name
from core.steps import BROWSER, TICKED, UNTICKED, ActionType, Step
from core.text import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.demonstration.test_commands import Command, CommandLog

_EARLY_MS: Final = 3000
"""So long before it is written in the film a command may have been carried out."""
_BEFORE_MS: Final = 1000
_ANSWER_MS: Final = 3000
_KEY: Final = re.compile(r"\{(\w+)\}")
_ENTER: Final = frozenset({"enter", "return"})
_CLICKS: Final[dict[str, ActionType]] = {"click": "CLICK", "dblclick": "DOUBLE_CLICK", "rightclick": "RIGHT_CLICK"}
_STATES: Final = {"check": TICKED, "uncheck": UNTICKED}
_FILLED_MS: Final = 600
"""Before it was filled a field showed what it asks for."""
_KINDS: Final = frozenset(
    {"btn", "button", "link", "input", "data", "test", "cy", "id", "primary", "secondary", "xs", "sm"}
)
_LETTERS: Final = 3
_MOSTLY: Final = 0.45
"""Of what an author calls a thing, so much is what the page shows of it at least."""


def with_tested(parts: Sequence[Part], log: CommandLog, texts: ScreenTexts) -> list[Part]:
    """The parts of a film; where a test's commands are written, these in the place of what was seen meanwhile."""
    tested = list(_parts(log, texts))
    own = [part for part in parts if part.event is None or log.is_beside(part.event.region)]
    if not tested:
        return own
    start, end = tested[0].t_ms - _BEFORE_MS, tested[-1].until_ms + _ANSWER_MS
    left = [part for part in own if not start <= part.t_ms <= end]
    return sorted([*left, *tested], key=lambda part: part.t_ms)


def _parts(log: CommandLog, texts: ScreenTexts) -> Iterator[Part]:
    t_ms, written_ms, opened, is_used = 0, 0, "", False
    for command in log.commands:
        if command.verb == "visit":
            is_left = bool(opened) and (is_used or opened != log.address)
            if is_left and command.words == log.address != "":
                yield _part(max(t_ms, command.t_ms), Step.of("OPEN_URL", BROWSER, log.address))
            opened, is_used = command.words, False
            continue
        value = _value_of(command, log, texts)
        # Where several are written at once, they were carried out before.
        done_ms = value.t_ms if value is not None else t_ms if command.t_ms == written_ms else command.t_ms
        t_ms, written_ms, is_used = max(t_ms, done_ms), command.t_ms, True
        seen = [*texts.at(max(0, t_ms - _FILLED_MS)), *texts.at(t_ms)]
        yield from _carried_out(command, t_ms, value, [one for one in seen if one.box[0] >= log.right], texts)


def _value_of(command: Command, log: CommandLog, texts: ScreenTexts) -> Seen | None:
    """What a command typed, as it came on the page by itself, before that was written or a moment after."""
    value = letters_of(_typed(command.words))
    if command.verb != "type" or not value:
        return None
    came = texts.came(max(0, command.t_ms - _EARLY_MS), command.t_ms + _BEFORE_MS)
    page = [one for one in came if one.box[0] >= log.right]
    together = Counter(one.t_ms for one in page)
    there = (one for one in page if letters_of(one.text).endswith(value))
    return min(there, key=lambda one: (together[one.t_ms], abs(one.t_ms - command.t_ms)), default=None)


def _typed(words: str) -> str:
    return _KEY.sub("", words).strip()


def _carried_out(
    command: Command, t_ms: int, value: Seen | None, page: Sequence[Seen], texts: ScreenTexts
) -> Iterator[Part]:
    if command.verb in {"type", "select"}:
        yield from _given(command, t_ms, value, page)
    elif command.verb in _STATES or command.verb in _CLICKS:
        words = _words(command, page)
        name = phrase_of(words, None, t_ms, texts) if words else ""
        state = _STATES.get(command.verb)
        if not name:
            called = _called(command.name)
            guess = known(t_ms, t_ms, Step.of("CLICK", marks(called) or "")) if called else None
            yield Part(t_ms, t_ms, guess=guess, said=f"{command.verb} {command.selector}".strip())
        elif state is not None:
            yield _part(t_ms, Step.of("CLICK", f"the {name} check box", post=(state,)))
        else:
            yield _part(t_ms, Step.of(_CLICKS[command.verb], name))


def _given(command: Command, t_ms: int, shown: Seen | None, page: Sequence[Seen]) -> Iterator[Part]:
    """What was typed or chosen, in the field that the page names, or else as its author calls it; then Enter.

    What a page hides is no more learned from the runner than from a keyboard.
    """
    value = _typed(command.words)
    if shown is not None and letters_of(shown.text) == letters_of(value):
        # A line below letters, as that of "_", is seen better on the page.
        value = shown.text
    name = _label(value, shown, page) or _words(command, page) or command.shown or command.name
    target = f"the {marks(name)} {'dropdown' if command.verb == 'select' else 'field'}"
    if value and is_quotable(value) and is_quotable(name):
        is_secret = is_secret_name(name) or command.is_secret
        typed = known(t_ms, t_ms, Step.of("TYPE", target).typing(value))
        yield Part(t_ms, t_ms, hidden((t_ms, t_ms), target, name) if is_secret else typed)
    elif value:
        yield Part(t_ms, t_ms, said=f"{command.verb} {command.selector}".strip())
    if {key.lower() for key in _KEY.findall(command.words)} & _ENTER:
        yield _part(t_ms, ENTER)


def _label(value: str, shown: Seen | None, page: Sequence[Seen]) -> str:
    """What names the field in which a value was seen to come; empty for none."""
    own = shown.text.removesuffix(value).strip() if shown is not None else ""
    label = label_of(shown.box, page) if shown is not None and not own else None
    name = own or (label.text if label is not None else "")
    return name if is_quotable(name) and name != value else ""


def _called(name: str) -> str:
    """The words of what an author calls a thing, without those that say what kind of thing it is."""
    words = [word for word in re.findall(r"[A-Za-z][a-z]*|[A-Z]+", name) if word.lower() not in _KINDS]
    return " ".join(words) if sum(map(len, words)) > _LETTERS else ""


def _words(command: Command, page: Sequence[Seen]) -> str:
    """What the page shows of the thing, by its selector or by what its author calls it; empty for several, or none."""
    if command.shown:
        return command.shown if is_quotable(command.shown) else ""
    name = letters_of(command.name)
    alike = {one.text for one in page if one.is_quotable and _is_called(letters_of(one.text), name)}
    return alike.pop() if len(alike) == 1 else ""


def _is_called(text: str, name: str) -> bool:
    shorter, longer = sorted((text, name), key=len)
    return len(shorter) >= _LETTERS and shorter in longer and len(shorter) >= _MOSTLY * len(longer)


def _part(t_ms: int, step: Step) -> Part:
    return Part(t_ms, t_ms, known(t_ms, t_ms, step))
