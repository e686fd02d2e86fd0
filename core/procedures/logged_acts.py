"""What was done, where the input was logged: steps as a demonstration tells them, and what is known of the others."""

import bisect
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from core.demonstration.distinctive import is_volatile
from core.demonstration.gestures import Entry, Gesture, begin_of, end_of, gestures_of
from core.demonstration.logged import LoggedSteps, name_at
from core.demonstration.screen_texts import Seen, same_row, under
from core.plans.phrasing import marks, quoted
from core.procedures.acts import Act
from core.procedures.results import Results, is_confirmation
from core.procedures.scene import Concealed, Scene, looks_secret
from core.procedures.sentences import act_of, choosing, hidden_typing, typing
from core.recording.input_log import Clicked, Dragged, Pressed
from core.secrets import is_secret_name
from core.steps import Step

_HAS_RESULT: Final = frozenset({"click", "key", "choose", "drag", "paste", "open"})
_NEW_TITLE_MS: Final = 3000
_CHOICE_MS: Final = 2000
_ROW: Final = 1.2
_THIRD: Final = 3
_VERBS: Final = {("left", 2): "Double-clicked", ("right", 1): "Right-clicked", ("middle", 1): "Middle-clicked"}


class LoggedActs:
    """Tells them.

    Args:
        scene: of a recording that has a log.

    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        log = scene.log
        gestures = gestures_of(log) if log is not None else []
        self.gestures = [each for each in gestures if not scene.texts.is_hidden(begin_of(each))]
        self._begins = [begin_of(each) for each in self.gestures]
        self._size = (log.width, log.height) if log is not None else (1, 1)
        self.concealed = Concealed()

    def acts(self) -> list[Act]:
        """The acts, in order."""
        scene = self._scene
        steps = LoggedSteps(
            self.gestures, scene.texts, scene.entries, scene.timeline, scene.looks, scene.duration_ms
        ).steps()
        self.concealed = Concealed(_secrets(steps))
        results = Results(scene.texts, self.concealed.hides, (event.text or "" for event in scene.entries.events))
        found: list[Act] = []
        for step in steps:
            gesture = self._gesture(step)
            until = self._next(step.until_ms)
            act = act_of(step) or (self._guarded(gesture, until) if gesture is not None else None)
            if act is not None and gesture is not None:
                found.append(self._completed(self._discreet(act, gesture), gesture, until, results))
        return found

    def _discreet(self, act: Act, gesture: Gesture) -> Act:
        """The act without concealed texts: secrets typed elsewhere, and texts that look like keys."""
        said = quoted(act.said)
        if act.said == hidden_typing(act.target) or said is None or not any(map(self.concealed.hides, said.texts)):
            return act
        times = (act.t_ms, act.until_ms)
        match gesture:
            case Entry():
                return Act(*times, "type", hidden_typing("" if self.concealed.hides(act.target) else act.target))
            case Clicked():
                return Act(*times, "click", f"Clicked {self._where(gesture.x, gesture.y)}")
            case _:
                return Act(*times, act.kind, "Dragged something")

    def _gesture(self, step: Step) -> Gesture | None:
        at = bisect.bisect_left(self._begins, step.t_ms)
        same = [each for each in self.gestures[at : at + 4] if begin_of(each) == step.t_ms]
        if not same:
            return None
        return next((each for each in same if end_of(each) == step.until_ms), same[0])

    def _next(self, t_ms: int) -> int:
        at = bisect.bisect_right(self._begins, t_ms)
        return self._begins[at] if at < len(self._begins) else self._scene.duration_ms

    def _completed(self, act: Act, gesture: Gesture, until: int, results: Results) -> Act:
        """With its window, its place and its result."""
        place = _place(gesture)
        windows = self._scene.windows
        window = windows.clicked(act.t_ms, self._next(act.t_ms)) if place is not None else windows.at(act.t_ms)
        act = replace(act, application=window.application, title=window.title, at=place)
        if act.kind not in _HAS_RESULT or _is_editing(act):
            return act
        seen = results.after(act.until_ms, until)
        if seen is not None:
            confirms = is_confirmation(seen.text)
            return replace(act, result=seen.text, result_ms=seen.t_ms, confirms=confirms)
        later = windows.at(min(until, act.until_ms + _NEW_TITLE_MS))
        is_new = later.t_ms > act.t_ms and later.application == window.application and later.title
        is_new = is_new and not is_volatile(later.title)
        if is_new and later.title != window.title and marks(later.title) and not self.concealed.hides(later.title):
            return replace(act, result=later.title, result_ms=later.t_ms, confirms=is_confirmation(later.title))
        return act

    def _guarded(self, gesture: Gesture, until: int) -> Act | None:
        """What is known of something of which the step is not."""
        match gesture:
            case Entry():
                return self._entry(gesture, until)
            case Clicked():
                return self._click(gesture)
            case Dragged():
                return self._drag(gesture)
            case _:
                return None

    def _entry(self, entry: Entry, until: int) -> Act:
        times = (begin_of(entry), entry.until_ms)
        chosen = self._chosen(entry, until)
        if chosen is not None:
            option, label = chosen
            return Act(*times, "choose", choosing(option.text, label), label, option.text)
        written = self._scene.entries.found(entry, until)
        if written is None:
            return Act(*times, "type", typing("", ""))
        label = self._scene.entries.label(written.box, times[0], entry)
        name = label.text if label is not None else ""
        value = written.text or ""
        if written.text is None or is_secret_name(name) or looks_secret(value):
            return Act(*times, "type", hidden_typing(name), name)
        is_read = entry.corrected or len(value) == entry.letters
        return Act(*times, "type", typing(value if is_read else "", name, value), name, value)

    def _chosen(self, entry: Entry, until: int) -> tuple[Seen, str] | None:
        """The option that stands where letters were typed for it, and the name of its list."""
        if entry.click is None:
            return None
        click, texts = entry.click, self._scene.texts
        end = self._next(until) if until - entry.until_ms < _CHOICE_MS else until
        came = [
            one
            for one in texts.came(entry.t_ms, min(end, entry.until_ms + _CHOICE_MS))
            if one.is_quotable
            and len(one.text) > entry.letters
            and abs(one.middle[1] - click.y) <= _ROW * one.box[3]
            and one.box[0] <= click.x
        ]
        option = max(came, key=lambda one: one.box[0], default=None)
        if option is None:
            return None
        listed = [
            one
            for one in texts.came(entry.click.t_ms, option.t_ms)
            if one.text == option.text and one.box != option.box
        ]
        label = self._scene.entries.label(option.box, entry.click.t_ms)
        return (option, label.text) if listed and label is not None else None

    def _click(self, click: Clicked) -> Act:
        times = (click.t_ms, click.t_ms)
        verb = _VERBS.get((click.button, click.count), "Clicked")
        seen = self._scene.texts.before_click(click.t_ms)
        there = under(seen, click.x, click.y)
        if there is not None and there.is_quotable and not self.concealed.hides(there.text):
            return Act(*times, "click", f"{verb} in {marks(there.text)}", there.text)
        row = _beside(click, seen)
        if row is not None and not self.concealed.hides(row.text):
            return Act(*times, "click", f"{verb} beside {marks(row.text)}", row.text)
        return Act(*times, "click", f"{verb} {self._where(click.x, click.y)}")

    def _drag(self, drag: Dragged) -> Act:
        times = (drag.t_ms, drag.until_ms)
        seen = self._scene.texts.before_click(drag.t_ms)
        start, end = name_at(drag.x, drag.y, seen).seen, under(seen, drag.to_x, drag.to_y)
        if start is not None and start == end and start.is_quotable and not self.concealed.hides(start.text):
            return Act(*times, "drag", f"Dragged across {marks(start.text)}", start.text)
        from_there = self._where(drag.x, drag.y).removeprefix("at ")
        to_there = self._where(drag.to_x, drag.to_y).removeprefix("at ")
        return Act(*times, "drag", f"Dragged from {from_there} to {to_there}")

    def _where(self, x: int, y: int) -> str:
        """A place on the screen in words."""
        width, height = self._size
        across = ("left", "", "right")[min(max(x * _THIRD // width, 0), 2)]
        down = ("top", "", "bottom")[min(max(y * _THIRD // height, 0), 2)]
        return f"at the {f'{down} {across}'.strip() or 'middle of the screen'}"


def _secrets(steps: Sequence[Step]) -> list[str]:
    """The values typed into secret fields, as far as they could be read."""
    found: list[str] = []
    for step in steps:
        act = act_of(step)
        if act is not None and act.kind == "type" and act.said == hidden_typing(act.target):
            value = step.action_value or ""
            found += [step.read, "" if value.startswith("{") else value]
    return [each for each in found if each]


def _place(gesture: Gesture) -> tuple[int, int] | None:
    match gesture:
        case Entry():
            return (gesture.click.x, gesture.click.y) if gesture.click is not None else None
        case Pressed():
            return None
        case _:
            return gesture.x, gesture.y


def _is_editing(act: Act) -> bool:
    return act.kind == "key" and act.value in {"tab", "shift+tab", "backspace", "delete", "ctrl+a", "left", "right"}


def _beside(click: Clicked, seen: Sequence[Seen]) -> Seen | None:
    """The nearest text in the row of a click."""
    row = [one for one in seen if same_row(one.box, (click.x, click.y - 1, 1, 2)) and one.is_quotable]
    return min(row, key=lambda one: abs(one.middle[0] - click.x), default=None)
