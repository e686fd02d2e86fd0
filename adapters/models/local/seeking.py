"""Finding a step's target by words, anchor, waiting and scrolling; and what a step expects of the screen around it."""

from __future__ import annotations

import contextlib
from itertools import chain
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import cv2
import numpy as np

from adapters.models.local.accessible_grounding import ground_by_tree, is_other_thing, named, seen_lines
from adapters.models.local.grounding import Grounding, Place, ground, place_of
from adapters.models.local.phrases import Role, parse
from adapters.models.local.renamed import now_called
from adapters.models.local.situation import Impossible, Situation, Unsure
from core.actions import Scroll
from core.runs.outcomes import check, quotes_anything, titles_of, wanted_texts
from core.screens import Box, Point, TextLine

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from numpy.typing import NDArray

    from adapters.models.local.view import View
    from core.runs.deciding import Decision
    from core.runs.run import Check
    from core.steps import Step

    Pixels = NDArray[np.uint8]


_MOST_BYTES: Final = 2_000_000
_SIDES: Final = (8, 800)
_SCALES: Final = (1.0, 0.8, 1.25, 1.5, 0.67, 2.0, 0.5, 0.9, 1.1)
_SURE: Final = 0.9
_SURE_EDGES: Final = 0.7
_APART: Final = 0.06
"""By how much the second best place must be worse."""
_LEAST_VARIATION: Final = 6.0


def find_anchor(anchor: Any, folder: str, view: View) -> Point | None:
    """Where ``{"image": file, "offset": [dx, dy]}`` points to; ``None`` when it is not there, or there twice.

    The file lies inside the workflow's folder; ``offset`` goes from the middle of the picture to the point, in its
    own pixels.
    """
    if not isinstance(anchor, dict) or not folder:
        return None
    described = cast("dict[str, Any]", anchor)
    picture = _read(described.get("image"), folder)
    if picture is None:
        return None
    found = _best(picture, view.grey, _SURE, edges=False) or _best(picture, view.grey, _SURE_EDGES, edges=True)
    if found is None:
        return None
    x, y, scale = found
    dx, dy = _offset(described.get("offset"))
    point = Point(x=round(x + dx * scale), y=round(y + dy * scale))
    return point if view.whole.contains(point) else None


def _offset(offset: Any) -> tuple[float, float]:
    if isinstance(offset, list):
        numbers = [each for each in cast("list[Any]", offset) if isinstance(each, int | float)]
        if len(numbers) == 2 and all(abs(each) <= _SIDES[1] for each in numbers):  # noqa: PLR2004 - x and y
            return float(numbers[0]), float(numbers[1])
    return 0.0, 0.0


def _read(name: Any, folder: str) -> Pixels | None:
    """The picture's brightness; ``None`` for what is no small picture inside the folder."""
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    root = Path(folder).resolve()
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        data = path.read_bytes()
    except (OSError, RuntimeError, ValueError):
        return None
    try:
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    except cv2.error:
        return None
    if decoded is None:
        return None
    picture = np.asarray(decoded, np.uint8)
    has_size = min(picture.shape) >= _SIDES[0] and max(picture.shape) <= _SIDES[1]
    return picture if has_size and float(picture.std()) >= _LEAST_VARIATION else None


def _best(picture: Pixels, grey: Pixels, sure: float, *, edges: bool) -> tuple[float, float, float] | None:
    """Middle and scale of the one place that is surely it."""
    screen = _edges(grey) if edges else grey
    ranked: list[tuple[float, float, float, float]] = []
    for scale in _SCALES:
        height, width = (max(1, round(side * scale)) for side in picture.shape)
        if min(height, width) < _SIDES[0] or height > screen.shape[0] or width > screen.shape[1]:
            continue
        sized = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        wanted = _edges(np.asarray(sized, np.uint8)) if edges else sized
        if float(np.asarray(wanted).std()) < _LEAST_VARIATION:
            continue
        scores = np.nan_to_num(np.asarray(cv2.matchTemplate(screen, wanted, cv2.TM_CCOEFF_NORMED), np.float32))
        for _ in range(2):
            at = int(scores.argmax())
            y, x = divmod(at, scores.shape[1])
            ranked.append((float(scores[y, x]), x + width / 2, y + height / 2, scale))
            scores[max(y - height // 2, 0) : y + height // 2 + 1, max(x - width // 2, 0) : x + width // 2 + 1] = -1
        if ranked and scale == 1.0 and _lone(ranked, sure, picture.shape):
            break
    found = _lone(ranked, sure, picture.shape)
    return found[1:] if found else None


def _lone(
    ranked: list[tuple[float, float, float, float]], sure: float, shape: tuple[int, ...]
) -> tuple[float, float, float, float] | None:
    """The best place, if it is good and every place elsewhere is clearly worse."""
    best = max(ranked, default=None)
    if best is None or best[0] < sure:
        return None
    reach = min(shape) * best[3] / 2
    elsewhere = [each[0] for each in ranked if abs(each[1] - best[1]) > reach or abs(each[2] - best[2]) > reach]
    return best if max(elsewhere, default=0.0) <= best[0] - _APART else None


def _edges(grey: Pixels) -> Pixels:
    """How steep the brightness is, whichever side is lighter."""
    across = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0), np.float32)
    down = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1), np.float32)
    return np.minimum(np.hypot(across, down) / 2, 255).astype(np.uint8)


Found = TypeVar("Found")

_SHORT: Final = 1.0
_REPLACED: Final = 0.4
"""Of the screen."""
_NOTCHES: Final = 3
_MOST_NOTCHES: Final = 40
_MOST_SCROLLS: Final = 8
_SCREENFUL: Final = 0.6
"""How much of what is scrolled a scroll may move on, so that nothing is passed unseen."""
_SAID: Final = 4


def target(situation: Situation, step: Step, *, default: Role | None = None) -> Generator[Decision, None, Place]:
    """Where the step acts.

    Raises ``Unsure`` when several places are equally good, ``Impossible`` when none is found.
    """
    return (yield from place(situation, step.target.primary, step, default=default))


def place(
    situation: Situation, words: str, step: Step, *, default: Role | None = None
) -> Generator[Decision, None, Place]:
    """The same for other words than the target's, e.g. where a drag ends."""
    is_target = words == step.target.primary
    fallback = step.target.fallback if is_target else None

    def direct() -> Place | None:
        return _decided(situation.view, words, step if is_target else None, situation, default)

    def otherwise() -> Place | None:
        return direct() or (_decided(situation.view, fallback, None, situation, default) if fallback else None)

    def alone() -> Place | None:
        # Of two, one may be on a page that is about to go.
        with contextlib.suppress(Unsure):
            return direct()
        return None

    yield from situation.await_tree()
    found = yield from situation.wait_for(alone, seconds=min(_SHORT, situation.patience))
    is_loading = yield from situation.await_loaded()
    if found is None or is_loading:
        found = otherwise()
    if found is None and parse(words).is_findable:
        found = yield from seek(situation, direct)
        found = found or (yield from situation.wait_for(otherwise, seconds=situation.patience - _SHORT))
    if found is None:
        reason = f'To "{step.intent}", {words} was looked for: {_reason(situation.view, words, default)}'
        instead = now_called(words, situation.targets, situation.view, situation.eyes, default=default)
        if instead:
            raise Unsure(reason, instead)
        raise Impossible(f"{reason}.")
    return found


def seek(situation: Situation, seen: Callable[[], Found | None]) -> Generator[Decision, None, Found | None]:
    """Scroll down, and then up, until something is seen; where it is not, scroll back to where it began."""
    for at in _scrolling_points(situation.view):
        moved = 0
        for sign in (1, -1):
            notches = _NOTCHES
            for _ in range(_MOST_SCROLLS):
                before = situation.view
                yield from _scroll(situation, sign * notches, at)
                if not situation.eyes.changes(before.picture, situation.view.picture):
                    break
                moved += sign * notches
                found = seen()
                if found is not None:
                    return found
                notches = _stride(before, situation, notches)
        if moved:
            yield from _scroll(situation, -moved, at)
            return seen()
    return None


def _scroll(situation: Situation, notches: int, at: Point) -> Generator[Decision, None, None]:
    while notches:
        part = max(-100, min(100, notches))
        yield from situation.do(Scroll(action="scroll", notches=part, at=at), note="Scrolling to find it")
        notches -= part


def _decided(view: View, words: str, step: Step | None, situation: Situation, default: Role | None) -> Place | None:
    """What the words say, or the anchor where they say nothing or too much. Raises ``Unsure``."""
    phrase = parse(words)
    if (seen := ground_by_tree(phrase, view, situation.eyes, default=default)) is not None:
        return seen
    grounding = ground(phrase, view, default=default)
    if grounding.place is not None and is_other_thing(phrase, grounding.place, view, default=default):
        situation.remark(f"Where {words} seems to be by its pixels, its program has something else.")
        return None
    if grounding.place is not None:
        if named(phrase, view, default=default):
            situation.remark(f"{words} is found by its pixels: its program describes it otherwise than it is seen.")
        return grounding.place
    anchored = _anchored(step, situation, grounding)
    if anchored is not None:
        return anchored
    if grounding.rivals:
        raise Unsure(_question(words, grounding))
    return None


def _anchored(step: Step | None, situation: Situation, grounding: Grounding) -> Place | None:
    """The recorded picture's place; it may choose between rivals, but not against them."""
    if step is None:
        return None
    found = find_anchor(step.additional_args.get("anchor"), situation.briefing.folder, situation.view)
    if found is None:
        return None
    if grounding.rivals:
        near = [rival for rival in grounding.rivals if rival.box.contains(found) or rival.words.contains(found)]
        return near[0] if len(near) == 1 else None
    return place_of(Box(x=found.x, y=found.y, width=1, height=1))


def _question(words: str, grounding: Grounding) -> str:
    spots = [f"at ({rival.point.x}, {rival.point.y})" for rival in grounding.rivals[:_SAID]]
    more = f" and {len(grounding.rivals) - _SAID} more" if len(grounding.rivals) > _SAID else ""
    return (
        f"{words} is on the screen {len(grounding.rivals)} times, {' and '.join(spots)}{more}: which one is meant? "
        'Say so in the step\'s target, e.g. by "second" or by the words next to it.'
    )


def _reason(view: View, words: str, default: Role | None) -> str:
    found = ground(parse(words), view, default=default)
    # An icon that is read as a letter tells a person nothing.
    lines = [segment.text for segment in view.segments if sum(map(str.isalnum, segment.text)) > 1]
    seen = ", ".join(f'"{text}"' for text in lines[:_SAID])
    return f"{found.reason or 'it is not seen'} (the screen begins with {seen})" if seen else "the screen shows no text"


def _scrolling_points(view: View) -> list[Point]:
    """Where the wheel is turned: in the middle of the window in front, off all fields; then in its largest frame."""
    window = next((window for window in view.windows if window.focused), None)
    area = window.box if window is not None else view.whole
    small = [shape.box for shape in view.shapes if shape.box.height < area.height // 4]
    spots = [
        Point(x=area.x + round(area.width * across), y=area.y + round(area.height * down))
        for down in (0.5, 0.6, 0.4, 0.7, 0.3)
        for across in (0.5, 0.4, 0.6, 0.9, 0.1)
    ]
    free = [spot for spot in spots if not any(box.contains(spot) for box in small)]
    points = (free or spots)[:1]
    frames = [shape.box for shape in view.shapes if shape.box.height >= area.height // 4]
    inner = [box for box in frames if not box.contains(points[0]) and area.contains(box.centre)]
    return points + [box.centre for box in inner[-1:]]


def _stride(before: View, situation: Situation, notches: int) -> int:
    """How many notches move on by most of what was scrolled, by how far the last ones moved the text."""
    after = situation.view
    earlier = {line.text: line.box.y for line in before.lines}
    shifts = [abs(line.box.y - earlier[line.text]) for line in after.lines if line.text in earlier]
    shift = median(shift for shift in shifts if shift) if any(shifts) else 0
    if not shift:
        return notches
    changes = situation.eyes.changes(before.picture, after.picture)
    if not changes:
        return notches
    top, bottom = min(each.y for each in changes), max(each.y + each.height for each in changes)
    return max(1, min(_MOST_NOTCHES, round(notches * _SCREENFUL * (bottom - top) / shift)))


def expect_before(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """Wait for the state that the step begins in, also where the screen was scrolled away from it.

    Only what is quoted can be seen. Raises ``Impossible`` when it is not there.
    """
    expected = step.expected_current_state
    if (yield from situation.wait_for(lambda: _met(situation, expected), seconds=situation.patience)):
        return
    reported = _judged(situation, expected)
    if (yield from seek(situation, lambda: _met(situation, expected))):
        return
    raise Impossible(f'Before "{step.intent}" this was expected: {expected} But it is not so: {reported.evidence}')


def expect_after(situation: Situation, step: Step, before: View) -> Generator[Decision, None, None]:
    """Wait for what the step should have brought about. Raises ``Impossible`` when it does not come."""
    for expected in step.post_action:

        def met(expected: str = expected) -> Check | None:
            return _met(situation, expected, before)

        if not (yield from situation.wait_for(met, seconds=situation.patience)):
            # A page that took the place of another may stay scrolled, so that what came is above or below.
            if _is_replaced(situation, before) and (yield from seek(situation, met)):
                continue
            reported = _judged(situation, expected, before)
            raise Impossible(
                f'After "{step.intent}" this was expected: {expected} But it is not so: {reported.evidence}'
            )


def _is_replaced(situation: Situation, before: View) -> bool:
    """Whether most of the screen looks otherwise than before the step."""
    view = situation.view
    changed = sum(each.width * each.height for each in situation.eyes.changes(before.picture, view.picture))
    return changed >= _REPLACED * view.picture.width * view.picture.height


def _met(situation: Situation, expected: str, before: View | None = None) -> Check | None:
    """The check if it does not fail; what cannot be judged does not stop the run."""
    found = _judged(situation, expected, before)
    return None if found.verdict == "fail" else found


def _judged(situation: Situation, expected: str, before: View | None = None) -> Check:
    if not quotes_anything(expected):
        # Nothing has to be read for it.
        return check(expected, ())
    return _seen_where_reported(situation, expected) or check(
        expected, _lines(situation), before.lines if before is not None else None
    )


def _seen_where_reported(situation: Situation, expected: str) -> Check | None:
    """The check, if what should be there is seen just where programs tell it, so that nothing else has to be read."""
    texts = wanted_texts(expected)
    if not texts:
        return None
    view, exact = situation.view, situation.read_back
    known = [*([exact] if exact is not None else []), *titles_of(view.windows)]
    places = (lines for text in texts for lines in seen_lines(text, view, situation.eyes))
    for lines in chain(([],), places):
        known += lines
        found = check(expected, known)
        if found.verdict == "pass":
            return found
    return None


def _lines(situation: Situation) -> Sequence[TextLine]:
    """What is read on the screen; of windows their titles, and in a field that was read exactly, that."""
    exact, titles = situation.read_back, titles_of(situation.view.windows)
    if exact is None:
        return [*situation.view.lines, *titles]
    return [*(line for line in situation.view.lines if not exact.box.contains(line.box.centre)), exact, *titles]
