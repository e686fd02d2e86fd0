"""Writes down what a run does, with all that is needed to check it when it is done again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.actions import (
    ACTION,
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Extract,
    HoldKey,
    Key,
    Look,
    Move,
    Press,
    ReadField,
    ReplayEntry,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from core.reload.entry import Anchor, CachedAction, Effect, WindowIdentity
from core.reload.replays.reading import Pages, focused_window, identity_of, lines_in, reads, window_at
from core.reload.templates import Template
from core.runs.deciding import Decision, Observation, Outcome, Result, Subtask
from core.screens import Box, Picture, Point, TextLine, Window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.ports import Programs, Targets
    from core.runs.ports import Eyes
    from core.secrets import Secrets

_PASSED_OVER: Final = (Look, Wait, Zoom, Done, Ask, Extract, ReadField, ReplayEntry)
_SMALL: Final = 64
"""Sides of a change whose picture afterwards is kept: that of a check box, not of a page."""
_LARGE: Final = (400, 300)
_PAGE: Final = 100_000
"""Square pixels: a larger change is no field."""
_SLIGHT: Final = 64
"""Square pixels: a smaller change, such as a caret's, is nothing to wait for."""

_PRESSED: Final = frozenset({"left_click", "double_click", "key"})
_AROUND: Final = 12
_LEAST: Final = 4
_SURE: Final = 0.9


class _Group(NamedTuple):
    """Actions that go together, from ``start`` on among those that are recorded, and the look before them."""

    start: int
    subtask: int
    step: int | None
    before: Observation
    done: list[tuple[Result, Action]]


@dataclass
class SequenceRecorder:
    """Listens to a run's decisions and what became of them.

    Args:
        eyes: reads the pictures.
        targets: cuts anchors.
        programs: tells windows apart.
        values: of the run's parameters, sensitive ones not among them.
        secrets: the sensitive ones; no pixel that shows one is kept.

    """

    eyes: Eyes
    targets: Targets
    programs: Programs
    values: Mapping[str, str]
    secrets: Secrets
    recorded: list[CachedAction] = field(default_factory=list[CachedAction])
    read: dict[str, str] = field(default_factory=dict[str, str])
    """What was read off the screen, by the names of the extracts."""
    flaw: str = ""
    """Why this run is nothing to repeat; empty while it is."""
    _subtask: int = 0
    _pending: tuple[Observation, Decision] | None = None
    _group: _Group | None = None
    """The actions that were kept last."""
    _typed: list[Box] = field(default_factory=list[Box])
    _brought: tuple[int, Sequence[TextLine]] | None = None
    """The action that brought about what is seen next, and what was read before it."""

    def __post_init__(self) -> None:
        self._pages = Pages(self.eyes)

    def begin(self, subtask: Subtask) -> None:
        """The next subtask."""
        self._pending = None
        self._subtask = subtask.index

    def decided(self, observation: Observation, decision: Decision) -> None:
        """This was decided upon that look."""
        self._pending = (observation, decision)

    def seen(self, observation: Observation) -> None:
        """What became of it, and how it looks now."""
        if observation.notice and "user took over" in observation.notice.casefold():
            self.flaw = "a person was at work in its middle"
        self.read |= observation.extracts
        if self._pending is None:
            return
        (before, decision), self._pending = self._pending, None
        done = [(result, action) for result in observation.results for action in self._kept(result, decision.step)]
        before, done = self._joined(before, done, decision.step)
        self._keep(before, observation, done, decision.step)

    def _joined(
        self, before: Observation, done: list[tuple[Result, Action]], step: int | None
    ) -> tuple[Observation, list[tuple[Result, Action]]]:
        """With the click of the same step that the keyboard's actions follow; looks between are left out."""
        group = self._group
        if not done:
            return before, done
        is_kept_last = group is not None and len(self.recorded) == group.start + len(group.done)
        is_same_step = group is not None and step is not None and (group.subtask, group.step) == (self._subtask, step)
        if group is not None and is_kept_last and is_same_step and isinstance(done[0][1], Type | Key | HoldKey):
            del self.recorded[group.start :]
            self._brought = None
            before, done = group.before, [*group.done, *done]
        self._group = _Group(len(self.recorded), self._subtask, step, before, done)
        return before, done

    def _kept(self, result: Result, step: int | None) -> Sequence[Action]:
        """The actions, if it is any and was done: a field that was emptied while it was read is clicked and emptied."""
        move = result.proposal.move
        if isinstance(move, Extract):
            self._note(move, step)
            return ()
        if result.outcome in (Outcome.FAILED, Outcome.REFUSED):
            return ()
        if isinstance(move, ReadField) and move.deletes:
            selects = Key(keys=("ctrl", "a")) if move.several_lines else Click(action="triple_click", at=move.at)
            return selects, Key(keys=("delete",))
        return () if isinstance(move, _PASSED_OVER) else (move,)

    def _note(self, move: Extract, step: int | None) -> None:
        """Where a value was read: there it has to be read again."""
        reported = {"action": move.action, "variable_name": move.variable_name, "query": move.query}
        self.recorded.append(CachedAction(action=reported, subtask=self._subtask, step=step))

    def _keep(
        self, before: Observation, after: Observation, done: Sequence[tuple[Result, Action]], step: int | None
    ) -> None:
        if not done:
            return
        lines = self.eyes.read(before.picture)
        known = {**self.values, **self.read}
        self._head(lines, known)
        follows = False
        for at, (_, action) in enumerate(done):
            is_last = at == len(done) - 1
            window = _window_of(action, before.windows, follows=follows, done=[each for _, each in done[:at]])
            target = target_of(action)
            anchor = self._cut(before, target, window, lines) if target is not None else None
            effect = self._effect(before, after, done, window) if is_last else None
            if target is None and not follows and effect is not None:
                anchor = self._focus(before, effect, window, lines)
            self.recorded.append(
                CachedAction(
                    action=ACTION.dump_python(action, mode="json"),
                    subtask=self._subtask,
                    step=step,
                    follows=follows,
                    window=self._identity(window, before.picture, known) if window is not None else None,
                    origin=Point(x=window.box.x, y=window.box.y) if window is not None else Point(x=0, y=0),
                    anchor=anchor,
                    effect=effect,
                )
            )
            follows = True
        self._brought = len(self.recorded) - 1, lines

    def _head(self, lines: Sequence[TextLine], known: Mapping[str, str]) -> None:
        """The texts that the last action brought and that stayed: they distinguish pages that look alike."""
        (index, before), self._brought = self._brought or (-1, ()), None
        action = self.recorded[index] if index >= 0 else None
        # Only of pages: what a program's own menus and lists show comes and goes with them.
        if action is None or action.effect is None or action.window is None or not action.window.address:
            return
        if action.action["action"] not in _PRESSED or action.effect.shows is not None:
            return
        there = {line.text for line in before}
        new = [
            (line, box)
            for box in action.effect.changed
            for line in lines_in(lines, box)
            if line.text not in there and self._is_head(line)
        ]
        if new:
            head, box = min(new, key=lambda each: (-each[0].box.height, each[0].box.y))
            reported = {"shows": Template.of(head.text, known), "shown_in": box.grown(_AROUND, _AROUND)}
            effect = action.effect.model_copy(update=reported)
            self.recorded[index] = action.model_copy(update={"effect": effect})

    def _is_head(self, line: TextLine) -> bool:
        """Whether it is read for certain, and will be the same again: no number, no date, nothing secret."""
        plain = "".join(line.text.split())
        is_plain = len(plain) >= _LEAST and plain.isalpha()
        return is_plain and line.score >= _SURE and not self._names_value(line.text, self.secrets.values)

    def _cut(
        self, before: Observation, target: Point | Box, window: Window | None, lines: Sequence[TextLine]
    ) -> Anchor | None:
        picture = before.picture
        within = window.box if window is not None else Box(x=0, y=0, width=picture.width, height=picture.height)
        ignore = [*self._typed, *(line.box for line in lines if self._names_any_value(line.text))]
        anchor = self.targets.cut(picture, target, within, ignore=ignore, reader=self.eyes)
        if anchor is None or self._names_value(anchor.words, {**self.secrets.values, **self.read}):
            return None
        return anchor

    def _focus(
        self, before: Observation, effect: Effect, window: Window | None, lines: Sequence[TextLine]
    ) -> Anchor | None:
        """What is where the keyboard's effect shows: that tells where the focus is."""
        largest = max(effect.changed, key=lambda box: box.width * box.height, default=None)
        if largest is None or largest.width > _LARGE[0] or largest.height > _LARGE[1]:
            return None
        return self._cut(before, largest, window, lines)

    def _effect(
        self,
        before: Observation,
        after: Observation,
        done: Sequence[tuple[Result, Action]],
        window: Window | None,
    ) -> Effect:
        changes = self.eyes.changes(before.picture, after.picture)
        changed = tuple(box for box in changes if box.width * box.height >= _SLIGHT)
        known, there = {**self.values, **self.read}, {each.id for each in before.windows}
        now = {each.id for each in after.windows}
        typed = "".join(action.text for _, action in done if isinstance(action, Type))
        self._cover(typed, changed)
        shows, shown_in = self._shown(typed, after, changed, known)
        pictured = _pictured(done[-1][1], changed)
        image = "" if typed or window is None or pictured is None else self._small(after, pictured)
        return Effect(
            changed=changed,
            appeared=tuple(self._to_window_identity(each, known) for each in after.windows if each.id not in there),
            vanished=tuple(self._to_window_identity(each, known) for each in before.windows if each.id not in now),
            shows=shows,
            shown_in=shown_in,
            image=image,
            image_of=pictured if image else None,
        )

    def _cover(self, typed: str, changed: Sequence[Box]) -> None:
        """Where a value may show by now, whatever can be read there; not all of a page that came of it."""
        self._typed = [each for each in self._typed if not any(box.overlap(each) and _is_page(box) for box in changed)]
        hides = any(f"{{{name}}}" in typed for name in self.secrets.values)
        if typed:
            self._typed += [box for box in changed if hides or not _is_page(box)]

    def _shown(
        self, typed: str, after: Observation, changed: Sequence[Box], known: Mapping[str, str]
    ) -> tuple[Template, Box] | tuple[None, None]:
        """The text that was typed, if it can be read where something changed, and where; never a sensitive one."""
        text = typed.strip()
        if not text or any(f"{{{name}}}" in text for name in self.secrets.values):
            return None, None
        lines = self.eyes.read(after.picture)
        where = next((box for box in changed if reads(text, lines_in(lines, box))), None)
        return (Template.of(text, known), where) if where is not None else (None, None)

    def _small(self, after: Observation, pictured: Box) -> str:
        if max(pictured.width, pictured.height) > _SMALL:
            return ""
        said = " ".join(line.text for line in lines_in(self.eyes.read(after.picture), pictured))
        return "" if self._names_any_value(said) else self.targets.crop(after.picture, pictured)

    def _identity(self, window: Window, picture: Picture, known: Mapping[str, str]) -> WindowIdentity:
        return identity_of(window, known, self.programs, self._pages.address(window, picture))

    def _to_window_identity(self, window: Window, known: Mapping[str, str]) -> WindowIdentity:
        return identity_of(window, known, self.programs)

    def _names_any_value(self, text: str) -> bool:
        return self._names_value(text, {**self.values, **self.read, **self.secrets.values})

    def _names_value(self, text: str, values: Mapping[str, str]) -> bool:
        return bool(Template.of(text, values).slots)


def _is_page(box: Box) -> bool:
    return box.width * box.height > _PAGE


def _pictured(action: Action, changed: Sequence[Box]) -> Box | None:
    """The change at the target, however large another one is: a field that loses the focus is larger than a tick."""
    target = target_of(action)
    hit = next((box for box in changed if target is not None and box.contains(target)), None)
    return hit or max(changed, key=lambda box: box.width * box.height, default=None)


def target_of(action: Action) -> Point | None:
    """The point that an action needs to find again; ``None`` for the keyboard's, and where any place will do."""
    if isinstance(action, Drag):
        return action.path[0]
    return action.at if isinstance(action, Click | Press | Move) else None


def _window_of(action: Action, windows: Sequence[Window], *, follows: bool, done: Sequence[Action]) -> Window | None:
    """Where it goes to: what is at its point, or what the last click in the same decision gave the focus to."""
    point = target_of(action) or (action.at if isinstance(action, Scroll) else None)
    if point is None and follows:
        point = next((at for each in reversed(done) if (at := target_of(each)) is not None), None)
    if point is not None:
        return window_at(windows, point)
    needs_none = not follows and action.action in ("open_app", "open_url")
    return None if needs_none else focused_window(windows)
