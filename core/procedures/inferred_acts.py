"""Infers acts without an input log: typing is visible, every other act only by its result."""

import bisect
import re
from collections.abc import Sequence
from typing import Final

from core.analysis import COMES, Event, EventKind
from core.demonstration.distinctive import is_volatile
from core.demonstration.prompts import is_prompted
from core.demonstration.screen_texts import is_masked, is_quotable
from core.demonstration.typed_texts import BORDERS, is_same_place
from core.plans.phrasing import marks, quoted
from core.procedures.acts import Act
from core.procedures.results import is_confirmation
from core.procedures.scene import Concealed, Scene, looks_secret
from core.procedures.sentences import hidden_typing, typing
from core.secrets import is_secret_name
from core.text import one_line

_ONE_MS: Final = 1500
"""What changes within that time came of one thing."""
_LETTERS: Final = 3
_SURE: Final = 0.8
_INTO: Final = re.compile(r"typed into (?P<field>[\ue000-\uf8ff])")
_ADDRESS: Final = re.compile(r"https?:|\w\.\w+/|\d(?:\.\d+){3}")
"""What an address bar shows, with what it proposes."""
_UNCLEAN: Final = re.compile(r"[\[\]|]")
"""The edges of fields, read as signs: such a line is a field with its name."""
_MOST_SAID: Final = 300
_MOST_REPORTED: Final = 200
_CURSORS: Final = tuple("\"'`|\u201c\u201d\u2018\u2019")
"""What a terminal's cursor is read as."""
_EDGES: Final = tuple(BORDERS)
_READINGS: Final = 3
_OFTEN: Final = 3
"""What comes so often at one place comes by itself."""


class InferredActs:
    """Tells them.

    Args:
        scene: of a recording without a log.

    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._times = [event.t_ms for event in scene.timeline]
        self._prompts = {one_line(event.before or "") for event in scene.timeline if event.kind is EventKind.TYPED}
        self.concealed = Concealed()

    def acts(self) -> list[Act]:
        """The acts, in order."""
        events = _once(self._scene.timeline)
        fields = [(event, self._field(event)) for event in events if event.kind is EventKind.TYPED]
        self.concealed = Concealed(
            (event.text or "") for event, field in fields if is_secret_name(field) or looks_secret(event.text or "")
        )
        found: list[Act] = []
        named = dict(zip(map(id, (event for event, _ in fields)), (field for _, field in fields), strict=True))
        waiting: list[Event] = []
        for event in events:
            if event.kind is EventKind.TYPED:
                found += self._shown(waiting)
                waiting = []
                found.append(self._typed(event, named[id(event)]))
            elif event.kind in COMES:
                if waiting and event.t_ms - waiting[-1].t_ms > _ONE_MS:
                    found += self._shown(waiting)
                    waiting = []
                waiting.append(event)
        return _merged([*found, *self._shown(waiting)])

    def _field(self, event: Event) -> str:
        label = self._scene.entries.label(event.region, event.t_ms) if event.region is not None else None
        if label is not None:
            return label.text
        said = quoted(one_line(event.description)) if len(event.description) <= _MOST_SAID else None
        into = _INTO.search(said.skeleton) if said is not None else None
        return said.text(into["field"]) if said is not None and into is not None else ""

    def _typed(self, event: Event, field: str) -> Act:
        times = (event.t_ms, max(event.t_ms, min(event.until_ms or event.t_ms, self._scene.duration_ms)))
        value = self._value(event)
        is_hidden = event.text is None or is_masked(event.text) or is_secret_name(field) or self.concealed.hides(value)
        if is_hidden:
            return Act(*times, "type", hidden_typing(field), field, inferred=True)
        sentence = value if event.confidence >= _SURE else ""
        if is_prompted(event):
            sentence = _without_cursor(sentence.removeprefix(one_line(event.before or "")).strip())
            return Act(*times, "type", typing(sentence, ""), "", sentence, inferred=True)
        sentence = _without_edges(sentence)
        if sentence and not field and self._scene.has_texts and not self._grew(event, sentence):
            return Act(*times, "seen", f"{marks(sentence) or 'Something'} appeared", sentence, inferred=True)
        return Act(*times, "type", typing(sentence, field), field, sentence, inferred=True)

    def _grew(self, event: Event, value: str) -> bool:
        """Whether it was read again and again while it became longer: where nothing names a field, a page may paint.

        An event without a place comes from a model, and cannot be compared.
        """
        if event.region is None:
            return True
        end = max(event.t_ms, event.until_ms or 0)
        came = (
            one for one in self._scene.texts.came(event.t_ms - _ONE_MS, end) if is_same_place(one.box, event.region)
        )
        return len({len(one.text) for one in came if value.startswith(one.text[:-1])}) >= _READINGS

    def _may_be_described(self, event: Event) -> bool:
        has_words = any(sign.isalnum() for sign in one_line(event.description))
        return has_words and not self.concealed.hides(event.description) and not self.concealed.hides(event.text or "")

    def _described(self, event: Event) -> Act:
        said = one_line(event.description).rstrip(" .")
        said = said if len(said) <= _MOST_REPORTED else f"{said[: _MOST_REPORTED - 1].rstrip()}\u2026"
        confirms = is_confirmation(event.text or "")
        target = next((part for part in event.lines if is_quotable(part)), "")
        return Act(event.t_ms, event.t_ms, "seen", said, target, confirms=confirms, inferred=True)

    def _value(self, event: Event) -> str:
        at = bisect.bisect_right(self._times, event.until_ms or event.t_ms)
        until = self._times[at] if at < len(self._times) else self._scene.duration_ms
        value = one_line(self._scene.entries.settled(event, until) or "")
        return "" if value and self._goes_on(value, event) else value

    def _goes_on(self, value: str, event: Event) -> bool:
        """Whether more was written behind it, which was then read as one line with something else."""
        y, height = (event.region or (0, 0, 0, 0))[1::2]
        end = max(event.t_ms + 1, event.until_ms or 0) if event.kind is EventKind.TYPED else event.t_ms + 1
        longer = re.compile(rf"(?<!\w){re.escape(value)}\w")
        return any(
            abs(one.middle[1] - y - height / 2) <= height and longer.search(one.text)
            for one in self._scene.texts.came(end, end + _ONE_MS)
        )

    def _shown(self, events: Sequence[Event]) -> list[Act]:
        """What changed at once, by the text that tells most; in the analyser's words where its texts are not there."""
        if not self._scene.has_texts:
            return [self._described(event) for event in events if self._may_be_described(event)]
        texts = [
            text
            for event in events
            for text in event.lines
            if is_quotable(text)
            and sum(sign.isalpha() for sign in text) >= (_LETTERS if text.isascii() else 1)
            and not is_volatile(text)
            and not self.concealed.hides(text)
            and not _ADDRESS.search(text)
            and not _UNCLEAN.search(text)
            and not self._goes_on(text, event)
            and text not in self._prompts
        ]
        if not texts:
            return []
        heights = {one.text: one.box[3] for one in self._scene.texts.came(events[0].t_ms - 1, events[-1].t_ms)}
        reported = [text for text in texts if is_confirmation(text)]
        text = reported[0] if reported else max(texts, key=lambda text: heights.get(text, 0))
        start, end = events[0].t_ms, events[-1].t_ms
        is_new = any(each.kind is EventKind.NAVIGATED for each in events)
        said = f"The screen changed to {marks(text)}" if is_new else f"{marks(text)} appeared"
        confirms = is_confirmation(text)
        return [Act(start, end, "seen", said, text, result="", confirms=confirms, inferred=True)]


def _without_cursor(command: str) -> str:
    """A command without what the cursor before it was read as: a quotation mark that nothing closes."""
    is_lone = command[:1] in _CURSORS and not any(sign in _CURSORS for sign in command[1:])
    return command[1:].strip() if is_lone else command


def _without_edges(value: str) -> str:
    """A value without the edges of its field, where those were read as a bracket that nothing opens or closes."""
    if value[:1] in _EDGES and "]" not in value:
        value = value[1:].strip()
    return value[:-1].strip() if value[-1:] in _EDGES and "[" not in value else value


def _once(timeline: Sequence[Event]) -> list[Event]:
    """Without what comes again and again at one place, as the words of a ticker or the numbers of a meter do."""
    places: dict[tuple[int, int], int] = {}
    found: list[Event] = []
    for event in timeline:
        if event.kind in {EventKind.APPEARED, EventKind.CHANGED} and event.region is not None:
            place = _place(event)
            places[place] = places.get(place, 0) + 1
            # The first ones stay, so that steps already derived from them do not change later.
            if places[place] > _OFTEN and not is_confirmation(event.text or ""):
                continue
        found.append(event)
    return found


def _place(event: Event) -> tuple[int, int]:
    x, y, *_ = event.region or (0, 0, 0, 0)
    return x // 24, y // 24


def _merged(acts: Sequence[Act]) -> list[Act]:
    """What went on in the same field is one act: what it held in the end."""
    found: list[Act] = []
    for act in acts:
        last = found[-1] if found else None
        goes_on = last is not None and last.kind == act.kind == "type" and last.target == act.target
        if last is not None and goes_on and (act.target or act.value.startswith(last.value)):
            found[-1] = Act(last.t_ms, act.until_ms, "type", act.said, act.target, act.value, inferred=True)
        elif last is None or (last.kind, last.said) != (act.kind, act.said):
            found.append(act)
    return found
