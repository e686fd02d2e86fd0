"""Proposes an entry's actions one group after the other: each only when its target is seen, and its effect awaited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from core.actions import ACTION, Action, Click, Drag, Move, Press, Scroll, Wait
from core.reload.entry import CachedAction, Entry, Healed
from core.reload.replays.checks import Aim, Aiming, Done, EffectCheck
from core.reload.templates import Template, filled_in, slots_of
from core.runs.deciding import Decision, Observation, Outcome, Proposal, Result
from core.screens import Point
from core.window_kinds import is_browser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.ports import Programs, Targets
    from core.runs.ports import Eyes

_POLL: Final = 0.05
_PATIENCE: Final = 8.0
"""Seconds in which a target or an effect must have come."""
_RESTS: Final = 40_000
"""Square pixels of change after which the screen has to come to rest before anything is looked for."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where a replay ended before its end, and why, in a sentence."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Read:
    """Here a value is to be read off the screen afresh."""

    index: int


@dataclass(frozen=True, slots=True)
class Ended:
    """All was done, and had its effect."""


Next = Decision | Stopped | Read | Ended


@dataclass
class Player:
    """Replays some actions of an entry.

    Args:
        entry: what is replayed.
        indices: of the actions, in order.
        values: of its slots, sensitive ones as ``{name}``; those that are read in the run come with the observations.
        hidden: the sensitive ones themselves: no anchor is cut that shows one.
        skip: indices that are left out.
        eyes: reads, and sees changes.
        targets: finds targets again.
        programs: tells windows apart.
        patience: seconds in which a target or an effect must have come.

    """

    entry: Entry
    indices: Sequence[int]
    values: Mapping[str, str]
    hidden: Mapping[str, str]
    skip: frozenset[int]
    eyes: Eyes
    targets: Targets
    programs: Programs
    patience: float = _PATIENCE
    healed: list[Healed] = field(default_factory=list[Healed])
    played: int = 0
    _at: int = 0
    _emitted: Done | None = None
    _waiting: tuple[tuple[int, str], float] = ((-1, ""), 0.0)
    """For what is waited, and since when."""

    def __post_init__(self) -> None:
        self._check = EffectCheck(self.eyes, self.targets, self.programs)
        self._aiming = Aiming(self.eyes, self.targets, self.programs)

    @property
    def at(self) -> int:
        """The index of the action that comes next, of the last one at the end."""
        return self.indices[min(self._at, len(self.indices) - 1)]

    @property
    def last(self) -> int:
        """The index of its last action."""
        return self.indices[-1]

    def is_done(self, index: int) -> bool:
        """Whether it was sent to the desktop, whatever came of it."""
        return index in self.indices[: self._at]

    def next(self, observation: Observation) -> Next:
        """What comes next, upon a fresh look; ``results`` are those of the last decision."""
        values = {**self.values, **observation.extracts}
        if self._emitted is not None:
            waiting = self._awaited(self._emitted, observation, values)
            if waiting is not None:
                return waiting
        group = self._group()
        if not group:
            return self._finished(observation)
        if self._reads(group):
            unread = self._unread(observation)
            if unread is not None:
                return unread
        action = self.entry.actions[group[0]]
        if action.action["action"] == "extract":
            self._at += 1
            return Read(group[0])
        return self._begin(group, observation, values)

    def _begin(self, group: Sequence[int], observation: Observation, values: Mapping[str, str]) -> Next:
        first = self.entry.actions[group[0]]
        if first.follows and group[0] - 1 in self.skip:
            return Stopped(
                group[0], "The action that it followed is left out, and without it nothing tells where it goes."
            )
        lacking = self._lacking(group, values)
        if lacking:
            return Stopped(group[0], f"No value is known for {lacking}.")
        broken = self._broken(group, values)
        if broken:
            return Stopped(
                group[0], f"The value of {broken} holds a line break or a tab, which may do more than write."
            )
        aim = self._aiming.aim(first, observation, values)
        if isinstance(aim, str):
            return self._patient(observation, "target") or Stopped(group[0], f"{aim[:1].upper()}{aim[1:]}.")
        self._heal(group[0], first, aim, observation, values)
        self._at += len(group)
        self._emitted = Done(group[-1], [self.entry.actions[at] for at in group], observation, aim.shift)
        return self._decision(group, aim, values)

    def _awaited(self, done: Done, observation: Observation, values: Mapping[str, str]) -> Next | None:
        """What to say while the effect of the last group is not there yet; ``None`` once it is."""
        fault = _fault(observation.results)
        if fault is not None:
            return Stopped(done.index - len(done.actions) + 1 + fault[0], fault[1])
        missing = self._check.missing(done, observation, values)
        if missing:
            return self._patient(observation, "effect") or Stopped(done.index, f"It was done, but {missing}.")
        self._emitted = None
        self.played += len(done.actions)
        return None

    def _finished(self, observation: Observation) -> Next:
        return self._unread(observation) or Ended()

    def _unread(self, observation: Observation) -> Next | None:
        unread = self._check.unread(observation)
        if unread is None:
            return None
        is_typed = any(each.action["action"] == "type" for each in self._group_of(unread.index))
        sentence = "What was typed cannot be read where it was typed" if is_typed else f'"{unread.text}" has not come'
        return self._patient(observation, "text") or Stopped(unread.index, f"{sentence}.")

    def _group_of(self, index: int) -> Sequence[CachedAction]:
        """The action and those before it that were done with it."""
        first = index
        while first > 0 and self.entry.actions[first].follows:
            first -= 1
        return self.entry.actions[first : index + 1]

    def _reads(self, group: Sequence[int]) -> bool:
        """Whether what was typed has to be seen first: before anything but more typing."""
        return not any(self.entry.actions[at].action["action"] == "type" for at in group)

    def _patient(self, observation: Observation, awaited: str) -> Decision | None:
        """Wait a little; ``None`` when it has been waited for long enough."""
        now, key = observation.picture.taken, (self._at, awaited)
        if self._waiting[0] != key:
            self._waiting = (key, now)
        if now - self._waiting[1] >= self.patience:
            return None
        wait = Proposal(move=Wait(seconds=_POLL), tool_call=self._call(self._at), rest=False)
        return Decision(proposals=(wait,), observation="Waiting for what was seen then.", replayed=True)

    def _group(self) -> Sequence[int]:
        """The next action, and the keyboard's that followed it without a look."""
        group: list[int] = []
        for index in self.indices[self._at :]:
            action = self.entry.actions[index]
            if group and (not action.follows or action.anchor is not None):
                break
            if index in self.skip:
                if group:
                    break
                self._at += 1
                continue
            group.append(index)
        return group

    def _lacking(self, group: Sequence[int], values: Mapping[str, str]) -> str:
        wanted = {slot for at in group for slot in slots_of(self.entry.actions[at].action)}
        return ", ".join(sorted(wanted - values.keys()))

    def _broken(self, group: Sequence[int], values: Mapping[str, str]) -> str:
        """Names of values with signs that are keys to a program, unless the recorded ones had them as well."""
        recorded = {**self.entry.values(), **self.hidden}
        wanted = {slot for at in group for slot in slots_of(self.entry.actions[at].action)}
        return ", ".join(name for name in sorted(wanted) if _keys(values[name]) - _keys(recorded.get(name, "")))

    def _heal(
        self, index: int, cached: CachedAction, aim: Aim, observation: Observation, values: Mapping[str, str]
    ) -> None:
        """Note that a target is elsewhere in its window than it was: so it may be from now on."""
        if aim.found is None or aim.found.how == "same_place" or aim.window is None or cached.anchor is None:
            return
        known = {**values, **self.hidden}
        ignore = [line.box for line in self.eyes.read(observation.picture) if Template.of(line.text, known).slots]
        anchor = self.targets.cut(observation.picture, aim.found.point, aim.window.box, ignore=ignore, reader=self.eyes)
        if anchor is None or slots_of(cached.action):
            return
        was, now = cached.anchor.place, anchor.place
        words = f' "{anchor.words}"' if anchor.words else ""
        sentence = (
            f"the target{words} was at ({was.x}, {was.y}) of its window and is at ({now.x}, {now.y}), {aim.found.how}"
        )
        self.healed.append(Healed(index=index, action=_relocated(cached, aim, anchor), told=sentence.replace("_", " ")))

    def _decision(self, group: Sequence[int], aim: Aim, values: Mapping[str, str]) -> Decision:
        cached = self.entry.actions[group[-1]]
        area = sum(box.width * box.height for box in cached.effect.changed) if cached.effect is not None else 0
        # A browser shows a page for a while after it has left it: what is clicked then goes to the next one.
        may_leave = cached.window is not None and is_browser(cached.window.application)
        proposals = tuple(
            Proposal(
                move=_shifted(ACTION.validate_python(filled_in(self.entry.actions[at].action, values)), aim.shift),
                tool_call=self._call(at),
                rest=area >= _RESTS or (may_leave and cached.action["action"] != "type"),
            )
            for at in group
        )
        return Decision(
            proposals=proposals, observation=f"Replaying {self.entry.id}, action {group[0] + 1}.", replayed=True
        )

    def _call(self, at: int) -> dict[str, Any]:
        return {"name": "reload_cached", "arguments": {"cacheId": self.entry.id, "index": at}}


def _keys(value: str) -> set[str]:
    return {sign for sign in value if sign < " "}


def _fault(results: Sequence[Result]) -> tuple[int, str] | None:
    return next(
        ((at, each.evidence) for at, each in enumerate(results) if each.outcome in (Outcome.FAILED, Outcome.REFUSED)),
        None,
    )


def _shifted(action: Action, by: tuple[int, int]) -> Action:
    """The action with its points moved by so many pixels."""

    def there(point: Point) -> Point:
        return Point(x=point.x + by[0], y=point.y + by[1])

    if isinstance(action, Drag):
        return action.model_copy(update={"path": tuple(there(point) for point in action.path)})
    if isinstance(action, Click | Press | Move | Scroll) and action.at is not None:
        return action.model_copy(update={"at": there(action.at)})
    return action


def _relocated(cached: CachedAction, aim: Aim, anchor: Any) -> CachedAction:
    """The action as it would be kept if it were recorded now."""
    if aim.window is None:
        return cached
    origin = Point(x=aim.window.box.x, y=aim.window.box.y)
    moved = _shifted(ACTION.validate_python(cached.action), aim.shift)
    effect = cached.effect
    if effect is not None:
        boxes = tuple(box.moved(*aim.shift) for box in effect.changed)
        pictured = effect.image_of.moved(*aim.shift) if effect.image_of is not None else None
        effect = effect.model_copy(update={"changed": boxes, "image_of": pictured})
    return cached.model_copy(
        update={"action": ACTION.dump_python(moved, mode="json"), "origin": origin, "anchor": anchor, "effect": effect}
    )
