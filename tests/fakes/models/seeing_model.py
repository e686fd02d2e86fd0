"""What the fake models share: it reads the screenshot that it was sent, and tells what to do next in its pixels.

It knows no wire. A fake finds the question in what it was sent (``read_question``), counts what it has already asked
for, calls ``next_call`` with the newest screenshot, and says the answer in its own wire's words and coordinates.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from adapters.desktop.eyes import ScreenEyes
from core.screens import Picture
from core.tasks.heartbeat import Heartbeat
from core.tasks.plan import plan_of

Kind = Literal[
    "click",
    "double_click",
    "right_click",
    "middle_click",
    "type",
    "key",
    "scroll",
    "drag",
    "wait",
    "extract",
    "open_app",
    "open_url",
    "done",
]
Place = tuple[int, int, int, int]
"""x, y, width, height in pixels of the screenshot."""
PATIENCE = 2
"""So often it waits for what is not there yet; then it scrolls."""
PERSISTENCE = 10
"""So often in all it looks for something before it gives up."""
_CLICKS: dict[str, Kind] = {
    "CLICK": "click",
    "DOUBLE_CLICK": "double_click",
    "RIGHT_CLICK": "right_click",
    "MIDDLE_CLICK": "middle_click",
}
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_SUBTASK = re.compile(r"^# Current subtask \(\d+ of \d+\)\n(.*?)(?=\n\n# |\Z)", re.DOTALL | re.MULTILINE)
_STEPS = re.compile(r"^# Reference steps[^\n]*\n(.*?)(?=\n\n# |\Z)", re.DOTALL | re.MULTILINE)
_STEP = re.compile(
    r"\d+\. (?P<intent>.*?) - (?P<type>(?:\w+_)?CLICK|TYPE|KEYPRESS|SCROLL|DRAG|EXTRACT|OPEN_APP|OPEN_URL)\b"
    r"(?: (?P<name>\w+):)?(?P<rest>.*)"
)
_DOCUMENT = re.compile(r"<task>\n(.*?)\n</task>", re.DOTALL)
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|«([^»]+)»')
_AFTER = re.compile(r'\bafter "([^"]+)"(?: in the line that ends with "([^"]+)")?')
_ROLES = re.compile(
    r"\b(the|a|an|field|input|box|button|link|text|label|menu|item|tab|first|second|third|last)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Call:
    """What to do next; places are pixels of the screenshot."""

    kind: Kind
    at: tuple[int, int] | None = None
    to: tuple[int, int] | None = None
    """Where a drag ends."""
    text: str = ""
    """What to type, the keys as ``ctrl+s``, the program, the address, the value that was read, or the result."""
    notches: int = 0
    """Of the wheel; positive goes down."""
    name: str = ""
    query: str = ""
    succeeded: bool = True
    is_progress: bool = True
    """Whether it counts as done: waiting and searching do not."""


def read_question(text: str, instruction: str = "") -> tuple[str, list[dict[str, Any]]] | None:
    """The newest subtask and its reference steps in what a model was told, ``None`` when it was asked nothing.

    It reads the headings and lines of ``adapters.models.computer.briefings``. For a task, the steps are those of the
    plan in the document that the instruction holds.
    """
    subtasks = list(_SUBTASK.finditer(text))
    if not subtasks:
        return None
    found = _STEPS.search(text, subtasks[-1].end())
    lines = found[1].splitlines() if found else []
    document = _DOCUMENT.search(instruction)
    if document is not None:
        plan = plan_of(Heartbeat(document[1]))
        return subtasks[-1][1], [line.model_dump() for line in plan if line.is_known]
    return subtasks[-1][1], [step for line in lines if (step := _read_step(line))]


def _read_step(line: str) -> dict[str, Any] | None:
    found = _STEP.match(line)
    if found is None:
        return None
    rest, value = found["rest"].removeprefix(" "), None
    if rest.startswith('"'):
        value, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].removeprefix(" ")
    primary, _, fallback = rest.removeprefix("- ").partition(" (or: ")
    is_extract = found["type"] == "EXTRACT"
    return {
        "intent": found["intent"],
        "action_type": found["type"],
        "action_value": None if is_extract else value,
        "target": {"primary": primary, "fallback": fallback.removesuffix(")") or None},
        "variable_name": found["name"],
        "additional_args": {"extract_query": value} if is_extract else {},
    }


def next_call(
    png: bytes, subtask_text: str, steps: Sequence[dict[str, Any]], done_so_far: int, *, tries: int = 0
) -> Call:
    """What to do on this screen after so many calls with ``is_progress``; ``tries`` counts those without, since."""
    calls = [call for number in range(len(steps)) for call in _expand(steps, number)]
    if done_so_far >= len(calls):
        return Call("done", text=f"Did all {len(steps)} steps of: {subtask_text}")
    call, step = calls[done_so_far]
    if call.kind in {"type", "key", "open_app", "open_url"}:
        return call
    sight = _look(png)
    found = _aim(call, step, sight)
    if found:
        return found
    if tries >= PERSISTENCE:
        return Call("done", text=f"{step['target']['primary']} is not on the screen.", succeeded=False)
    if tries < PATIENCE:
        return Call("wait", is_progress=False)
    return Call("scroll", at=sight.middle, notches=3, is_progress=False)


def _aim(call: Call, step: dict[str, Any], sight: _Sight) -> Call | None:
    """The call with its places on this screen, ``None`` when what it needs is not there."""
    target = str(step["target"]["primary"])
    if call.kind == "scroll":
        return Call("scroll", at=sight.middle, notches=-5 if "up" in str(step["intent"]).split() else 5)
    if call.kind == "extract":
        query = str(step["additional_args"].get("extract_query", ""))
        value = sight.read_beside(target) or sight.read_after(query)
        return Call("extract", text=value, name=str(step["variable_name"]), query=query) if value else None
    place = sight.find(target)
    if call.kind == "drag":
        goal = sight.find(str(step["target"]["fallback"] or ""))
        return Call("drag", at=_centre(place), to=_centre(goal)) if place and goal else None
    return Call(call.kind, at=_centre(place)) if place else None


def _expand(steps: Sequence[dict[str, Any]], number: int) -> list[tuple[Call, dict[str, Any]]]:
    step = steps[number]
    kind, value = str(step["action_type"]), str(step.get("action_value") or "")
    if kind in _CLICKS:
        return [(Call(_CLICKS[kind]), step)]
    if kind == "TYPE":
        typing = (Call("type", text=value), step)
        is_focused = number > 0 and _focuses(steps[number - 1], step)
        return [typing] if is_focused else [(Call("click"), step), typing]
    if kind == "KEYPRESS":
        return [(Call("key", text=value.lower()), step)]
    named: dict[str, Kind] = {
        "SCROLL": "scroll",
        "DRAG": "drag",
        "EXTRACT": "extract",
        "OPEN_APP": "open_app",
        "OPEN_URL": "open_url",
    }
    return [(Call(named[kind], text=value), step)]


def _focuses(before: dict[str, Any], step: dict[str, Any]) -> bool:
    """Whether the step before has put the focus where this one types."""
    kind, target = before["action_type"], str(step["target"]["primary"])
    if kind not in _CLICKS:
        return bool(kind == "KEYPRESS")
    return not _QUOTED.search(target) or _words_of(target) == _words_of(str(before["target"]["primary"]))


def _centre(place: Place) -> tuple[int, int]:
    x, y, width, height = place
    return x + width // 2, y + height // 2


@dataclass(frozen=True)
class _Sight:
    """What can be read and made out on one screenshot."""

    size: tuple[int, int]
    lines: tuple[tuple[Place, str], ...]
    frames: tuple[Place, ...]

    @property
    def middle(self) -> tuple[int, int]:
        return self.size[0] // 2, self.size[1] // 2

    def find(self, target: str) -> Place | None:
        """The place of ``the second "Delete" button``, or of the field that the words name."""
        words = _words_of(target)
        found = self._lines_with(words)
        if not found:
            return None
        number = next((_ORDINALS[word] for word in target.lower().split() if word in _ORDINALS), 0)
        if not -len(found) <= number < len(found):
            return None
        label = found[number]
        if re.search(r"\b(field|input|box)\b", _QUOTED.sub("", target), re.IGNORECASE):
            return self._field_of(label) or label
        return label

    def read_beside(self, target: str) -> str:
        """What stands behind a label on its line, or right of it."""
        words = _fold(_words_of(target))
        for place, text in self.lines:
            folded = _fold(text)
            if words and folded.startswith(words):
                rest = text[len(text) - len(text.lstrip()) :].partition(":")[2].strip()
                if rest:
                    return rest
                right = [
                    (other[0], said)
                    for other, said in self.lines
                    if other[0] > place[0] and abs(_centre(other)[1] - _centre(place)[1]) < place[3]
                ]
                return min(right)[1] if right else ""
        return ""

    def read_after(self, query: str) -> str:
        """The word that ``the number after "Order" in the line that ends with "placed"`` asks for."""
        asked = _AFTER.search(query)
        if asked is None:
            return ""
        for _, text in self.lines:
            folded = _fold(text)
            found = re.search(rf"\b{re.escape(_fold(asked[1]))} (\w+)", folded)
            if found and (asked[2] is None or folded.endswith(_fold(asked[2]))):
                return found[1]
        return ""

    def _lines_with(self, words: str) -> list[Place]:
        wanted = _fold(words)
        if not wanted:
            return []
        exact = [place for place, text in self.lines if _fold(text) == wanted]
        if exact:
            return exact
        found: list[Place] = []
        for (x, y, width, height), text in self.lines:
            folded = _fold(text)
            start = f" {folded} ".find(f" {wanted} ")
            if start >= 0:
                # The letters of a line are about equally wide.
                letter = width / max(1, len(folded))
                found.append((round(x + start * letter), y, max(1, round(len(wanted) * letter)), height))
        return found

    def _field_of(self, label: Place) -> Place | None:
        x, y, width, height = label
        ranked: list[tuple[float, Place]] = []
        for frame in self.frames:
            left, top, wide, high = frame
            if high > 4 * height:
                continue
            is_around = left <= x and top <= y and left + wide >= x + width and top + high >= y + height
            beside = left - (x + width)
            below = top - (y + height)
            if is_around:
                ranked.append((0, frame))
            elif beside >= -2 and abs(_centre(frame)[1] - _centre(label)[1]) < max(high, height):
                ranked.append((1 + beside, frame))
            elif -2 <= below < 3 * height and left < x + width and left + wide > x:
                ranked.append((1 + 2 * below, frame))
        return min(ranked)[1] if ranked else None


def _words_of(target: str) -> str:
    quoted = _QUOTED.search(target)
    if quoted:
        return next(group for group in quoted.groups() if group)
    return " ".join(_ROLES.sub(" ", target).split())


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _look(png: bytes) -> _Sight:
    return _see(hashlib.sha256(png).digest(), _Png(png))


class _Png(bytes):
    """Equal to every other, so that a picture is remembered by its digest alone."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Png)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=16)
def _see(_digest: bytes, png: _Png) -> _Sight:
    bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None, "a fake checks that it was sent a picture before it looks at it"
    pixels = np.asarray(bgr, np.uint8)
    height, width = pixels.shape[:2]
    picture = Picture(width, height, cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA).tobytes(), 0.0)
    with _READING:
        read = _eyes().read(picture)
    lines = [((each.box.x, each.box.y, each.box.width, each.box.height), each.text) for each in read]
    lines.sort(key=lambda line: (line[0][1], line[0][0]))
    return _Sight((width, height), tuple(lines), _frames(pixels))


_READING = threading.Lock()
"""The eyes are one thread's at a time, and each server answers in threads of its own."""


@lru_cache(maxsize=1)
def _eyes() -> ScreenEyes:
    # They read only what is new on a screen: a form is looked at a dozen times.
    return ScreenEyes(threads=2)


def _frames(bgr: NDArray[np.uint8]) -> tuple[Place, ...]:
    """Rectangles with a drawn edge, that are as flat as a field."""
    edges = cv2.Canny(bgr, 30, 90)
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found: set[Place] = set()
    for contour in contours:
        x, y, width, height = (int(value) for value in cv2.boundingRect(contour))
        if width < 30 or height < 10 or width < 1.5 * height:
            continue
        inside = edges[y : y + height, x : x + width] > 0
        drawn = (inside[:2].any(0).mean(), inside[-2:].any(0).mean(), inside[:, :2].any(1).mean())
        if min(drawn) > 0.8 and inside[:, -2:].any(1).mean() > 0.8:
            found.add((x, y, width, height))
    return tuple(sorted(found))
