"""From the findings of a reader, and the input log where there is one, to what is remembered."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from core.memory import MemoryStep, Procedure
from core.plans.quotes import marks
from core.procedures.grouping import grouped
from core.procedures.headings import words_near, words_told
from core.procedures.inferred_acts import InferredActs
from core.procedures.logged_acts import LoggedActs
from core.procedures.scene import scaled, scene_of
from core.procedures.sending import sent
from core.procedures.summaries import summary_of
from core.procedures.weaving import woven
from core.procedures.windows import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from core.analysis import Findings
    from core.demonstration.looks import Looks
    from core.memory import Source
    from core.procedures.acts import Act
    from core.procedures.scene import Scene
    from core.recording.input_log import InputLog

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
    looks: Looks | None = None,
    size: tuple[int, int] | None = None,
) -> tuple[Procedure, ...]:
    """What was done, one undertaking after another.

    Args:
        findings: of a reader, with every sighting if it has them.
        log: what was done, if it was logged; ``None`` where nobody logged it.
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
    teller = LoggedActs(scene) if scene.log is not None else InferredActs(scene)
    acts = sent(teller.acts(), scene.texts, scene.windows, teller.concealed.hides)
    acts = woven(acts, scene.windows)
    groups = grouped(acts)
    if groups and not complete and all(act.kind == "switch" for act in groups[-1]):
        # What it was for is still to come.
        groups.pop()
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
            texts=_texts(scene, group, following, teller.concealed.hides, is_first=not at),
        )
        for at, (group, start, following) in enumerate(zip(groups, begins, [*begins[1:], duration_ms], strict=False))
    )


def _end_of(acts: Sequence[Act], following_ms: int, duration_ms: int) -> int:
    """When what came of the last act has been seen for a little while."""
    end = max(acts[0].t_ms, *(act.ends_ms for act in acts))
    return min(max(end, min(end + _TAIL_MS, following_ms)), duration_ms)


def steps_of(acts: Sequence[Act], duration_ms: int) -> tuple[MemoryStep, ...]:
    """Each with its window where that is another one than before, and with what came of it."""
    found: list[MemoryStep] = []
    before = ""
    for act in acts:
        place = Window(0, act.application, act.title).place
        start = min(act.t_ms, duration_ms)
        found.append(
            MemoryStep(
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
    return words_told(scene, acts[0].t_ms, until_ms, hides, is_first=is_first)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _id(video: str, start_ms: int, twins: int) -> str:
    """Of where it begins, which stays when more of its video is read."""
    return hashlib.sha256(f"{video}\0{start_ms}\0{twins}".encode(errors="replace")).hexdigest()[:20]
