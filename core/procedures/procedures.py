"""From the findings of a reader, the input log where there is one, or a timeline alone, to what is remembered."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from core.analysis import Analysis, Findings
from core.demonstration.distinctive import is_volatile
from core.demonstration.looks import LooksByTime
from core.demonstration.screen_texts import ScreenTexts, Seen, is_masked
from core.memory import Procedure, Source
from core.plans.phrasing import marks
from core.procedures.acts import Act, group_acts
from core.procedures.inferred_acts import InferredActs
from core.procedures.logged_acts import LoggedActs
from core.procedures.merging import merge_sends, merge_window_switches
from core.procedures.scene import Scene, Window, scaled, scene_of
from core.procedures.sentences import summary_of
from core.recording.input_log import InputLog
from core.steps import Step
from core.text import one_line

MOST_LINES: Final = 60
MOST_LETTERS: Final = 4000
_LONGEST: Final = 200
_SURE: Final = 0.8
_SHORT: Final = 25
_LETTERS: Final = 2
_NEAR: Final = (260, 90)
"""Pixels across and down."""
_MOST_LOOKS: Final = 12
_TALL: Final = 1.3
_AFTER_MS: Final = 3000
_STANDS_MS: Final = 700


def words_near(
    acts: Sequence[Act], texts: ScreenTexts, is_concealed: Callable[[str], bool], end_ms: int
) -> tuple[str, ...]:
    """The lines, the most distinctive first, within ``MOST_LINES`` and ``MOST_LETTERS``."""
    found: dict[str, None] = {}
    typed = {act.value for act in acts if act.value}
    letters = 0
    for line in _lines(acts, texts, end_ms):
        text = one_line(line.text)
        if text in found or not _is_distinctive(line, text) or is_concealed(text):
            continue
        if any(value != text and value.startswith(text) for value in typed):
            # It was on its way to become that.
            continue
        letters += len(text) + 1
        if letters > MOST_LETTERS or len(found) == MOST_LINES:
            break
        found[text] = None
    return tuple(found)


def collect_words(
    scene: Scene, since_ms: int, until_ms: int, is_concealed: Callable[[str], bool], *, is_first: bool
) -> tuple[str, ...]:
    """The same where there is only a timeline: the texts that it names, for the first one also the first screen's."""
    reported = [event for event in scene.timeline if since_ms <= event.t_ms < until_ms]
    named = [part for event in reported for part in event.lines]
    lines = [one_line(line) for line in (*named, *(scene.first_screen if is_first else ()))]
    kept = [
        line
        for line in dict.fromkeys(lines)
        if line and len(line) <= _LONGEST and not is_concealed(line) and not (len(line) <= _SHORT and is_volatile(line))
    ]
    found: list[str] = []
    for line in kept[:MOST_LINES]:
        if sum(map(len, found)) + len(line) > MOST_LETTERS:
            break
        found.append(line)
    return tuple(found)


def _lines(acts: Sequence[Act], texts: ScreenTexts, end_ms: int) -> Iterator[Seen]:
    start, last = acts[0].t_ms, acts[-1].ends_ms
    yield from sorted(texts.came(last, min(end_ms, last + _AFTER_MS)), key=lambda one: (-one.box[3], one.box[1]))
    chosen = acts if len(acts) <= _MOST_LOOKS else [acts[at * len(acts) // _MOST_LOOKS] for at in range(_MOST_LOOKS)]
    looks = [texts.before_click(act.t_ms) for act in chosen]
    for seen in (*looks, texts.at(max(start, last - 1))):
        yield from _headings(seen)
    for act, seen in zip(chosen, looks, strict=True):
        if act.at is not None:
            x, y = act.at
            near = [one for one in seen if abs(one.middle[0] - x) <= _NEAR[0] and abs(one.middle[1] - y) <= _NEAR[1]]
            yield from sorted(near, key=lambda one: abs(one.middle[1] - y) + abs(one.middle[0] - x))
    yield from sorted(texts.came(start, last), key=lambda one: -one.box[3])


def _headings(seen: Sequence[Seen]) -> list[Seen]:
    heights = sorted(one.box[3] for one in seen)
    usual = heights[len(heights) // 2] if heights else 0
    return sorted((one for one in seen if one.box[3] >= _TALL * usual), key=lambda one: (-one.box[3], one.box[1]))


def _is_distinctive(one: Seen, text: str) -> bool:
    is_passing = one.until_ms is not None and one.until_ms - one.t_ms < _STANDS_MS
    if is_passing or one.confidence < _SURE or len(text) > _LONGEST or is_masked(text):
        return False
    if len(re.findall(r"[^\W\d_]", text)) < (_LETTERS if text.isascii() else 1):
        return False
    return not (len(text) <= _SHORT and is_volatile(text))


_TAIL_MS: Final = 1000
"""So long after the last thing was done it is still seen what came of it."""
_MOST_PLACE: Final = 80
_MOST_TITLES: Final = 16
"""A clock in a title makes a new one every second."""


def procedures_of(
    findings: Findings,
    log: InputLog | None,
    *,
    video: str,
    source: Source,
    started_at: datetime,
    duration_ms: int,
    complete: bool = True,
    looks: LooksByTime | None = None,
    size: tuple[int, int] | None = None,
) -> tuple[Procedure, ...]:
    """The procedures of a recording, one for each activity, in order.

    Args:
        findings: of a reader, with every sighting if it has them.
        log: the input log; ``None`` without one.
        video: whose; ids are made of it.
        source: what it is.
        started_at: when its first picture was taken, in UTC.
        duration_ms: how much of it the findings cover.
        complete: whether nothing will be added to it; until then the last one may still grow.
        looks: what was seen when it was looked at again, at the moments that ``moments_of`` names.
        size: width and height of the video, if the log may have been written for another size.

    """
    if log is not None and size is not None and min(size) > 0:
        log = scaled(log, *size)
    scene = scene_of(findings, log, duration_ms, looks)
    reporter = LoggedActs(scene) if scene.log is not None else InferredActs(scene)
    acts = merge_sends(reporter.acts(), scene.texts, scene.windows, reporter.concealed.hides)
    acts = merge_window_switches(acts, scene.windows)
    groups = _groups_of(acts, complete=complete)
    begins = [min(group[0].t_ms, duration_ms) for group in groups]
    return tuple(
        Procedure(
            id=_id(video, start, begins[:at].count(start)),
            source=source,
            video=video,
            started_at=started_at + timedelta(milliseconds=start),
            start_ms=start,
            end_ms=_end_of(group, following, duration_ms),
            applications=_distinct(act.application for act in group),
            titles=_distinct(act.title for act in group)[:_MOST_TITLES],
            summary=summary_of(group),
            steps=steps_of(group, duration_ms),
            texts=_texts(scene, group, following, reporter.concealed.hides, is_first=not at),
        )
        for at, (group, start, following) in enumerate(zip(groups, begins, [*begins[1:], duration_ms], strict=False))
    )


def _groups_of(acts: Sequence[Act], *, complete: bool) -> list[list[Act]]:
    """The acts of each activity; a switch of windows at the end of what is not complete belongs to what will come."""
    groups = group_acts(acts)
    if groups and not complete and all(act.kind == "switch" for act in groups[-1]):
        groups.pop()
    return groups


def _end_of(acts: Sequence[Act], following_ms: int, duration_ms: int) -> int:
    """When what came of the last act has been seen for a little while."""
    end = max(acts[0].t_ms, *(act.ends_ms for act in acts))
    return min(max(end, min(end + _TAIL_MS, following_ms)), duration_ms)


def steps_of(acts: Sequence[Act], duration_ms: int) -> tuple[Step, ...]:
    """Each with its window where that is another one than before, and with what came of it."""
    found: list[Step] = []
    before = ""
    for act in acts:
        place = Window(0, act.application, act.title).place
        start = min(act.t_ms, duration_ms)
        found.append(
            Step(
                t_ms=start,
                until_ms=max(start, min(act.until_ms, duration_ms)),
                text=_sentence(act, "" if place == before or act.kind == "switch" else place),
                application=act.application,
                window=act.title,
                inferred=act.inferred,
            )
        )
        before = place
    return tuple(found)


def _sentence(act: Act, place: str) -> str:
    shown = place if len(place) <= _MOST_PLACE else f"{place[: _MOST_PLACE - 1].rstrip()}\u2026"
    where = f" in {shown}" if shown else ""
    quote = marks(act.result) if act.result else None
    if quote is None:
        return f"{act.said}{where}"
    joint = ", and" if act.target or act.kind != "click" else ", after which"
    return f"{act.said}{where}{joint} {quote} appeared"


def _texts(
    scene: Scene, acts: Sequence[Act], until_ms: int, hides: Callable[[str], bool], *, is_first: bool
) -> tuple[str, ...]:
    if scene.has_texts:
        return words_near(acts, scene.texts, hides, until_ms)
    return collect_words(scene, acts[0].t_ms, until_ms, hides, is_first=is_first)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _id(video: str, start_ms: int, twins: int) -> str:
    """Of where it begins, which stays when more of its video is read."""
    return hashlib.sha256(f"{video}\0{start_ms}\0{twins}".encode(errors="replace")).hexdigest()[:20]


def procedures_of_video(analysis: Analysis, *, started_at: datetime) -> tuple[Procedure, ...]:
    """What was done in it, all of it inferred; ids are made of the video's path.

    Args:
        analysis: as it was answered, or as a kept ``NN_response.json`` has it.
        started_at: when its first picture was taken, in UTC.

    """
    return procedures_of(
        Findings(timeline=analysis.timeline, first_screen=analysis.first_screen),
        None,
        video=analysis.video.path,
        source="video",
        started_at=started_at,
        duration_ms=max(analysis.video.duration_ms, 0),
    )
