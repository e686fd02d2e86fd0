"""Pictures of moments of a video, chosen, cropped and made small enough for a model that looks itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Protocol

from pydantic import Field

from core.analysis import Analysis, Region, VerdictResult, Video
from core.errors import InvalidRequest, NotFound
from core.narrative import clock
from core.text import one_line
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.jobs import Job

MOST_PICTURES: Final = 4
DEFAULT_TOKENS: Final = 1200
FEWEST_TOKENS: Final = 200
MOST_TOKENS: Final = 6000
PIXELS_PER_TOKEN: Final = 750
"""As the models' providers count pictures: width x height / 750."""
_WORDS: Final = 40
"""Tokens of a picture's line, and as many for what stands around all of them."""
_BEFORE_MS: Final = 120
_AFTER_MS: Final = 200
_MARGIN: Final = 0.75
"""Of a change's own size: what it belongs to stands around it."""
_LEAST_CROP: Final = (480, 270)
_PICTURE: Final = re.compile(r"(\d{7,})\.jpg$")
_CLOCK: Final = re.compile(r"(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6}(?:\.\d{1,3})?)")

Moment = int | str
"""Milliseconds from the clip's first frame, or a clock as timelines have it, ``mm:ss.s``."""


class LookRequest(Value):
    """Which moments of a video somebody wants to see.

    With none named: what was failed or unclear, else what a test failed of, else the events.
    """

    at: Moment | None = None
    begin: Moment | None = None
    end: Moment | None = None
    event: int | str | None = None
    """Its place in the timeline from 0, or words of it: then what was there before is shown as well."""
    region: Region | None = None
    """What to crop to; ``None`` for what the event changed, or all."""
    max_tokens: Annotated[int, Field(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = DEFAULT_TOKENS


class Shot(Value):
    """One picture that is to be taken."""

    t_ms: int
    region: Region | None = None
    why: str = ""


class Still(Value):
    """One picture that was taken."""

    t_ms: int
    """Of the frame that stood at the moment asked for."""
    data: bytes = Field(repr=False)
    """JPEG."""
    width: int
    height: int
    region: Region
    """What of the frame it shows."""
    why: str = ""
    video: str = ""
    """The name of the file, where there are two."""

    @property
    def tokens(self) -> int:
        """What it costs a model."""
        return -(-self.width * self.height // PIXELS_PER_TOKEN)

    @property
    def line(self) -> str:
        """What it shows, in the words of the answer."""
        x, y, width, height = self.region
        name = f"{self.video} " if self.video else ""
        return f"{name}{clock(self.t_ms)} ({x},{y} {width}x{height}){f': {self.why}' if self.why else ''}"


class Watched(NamedTuple):
    """A video, and what was seen in it, if it was analysed."""

    video: Video
    analysis: Analysis | None


class Inspector(Protocol):
    """As ``core.ports.VideoInspector``."""

    def inspect(self, path: Path) -> Video:
        """Read container, size and content hash."""
        ...


class Camera(Protocol):
    """Takes pictures out of a video."""

    def take(self, video: Video, shots: Sequence[Shot], pixels: int) -> tuple[Still, ...]:
        """The pictures in the order asked for, none of more than ``pixels``. Raises as ``VideoInspector``."""
        ...


class Looking:
    """Answers a ``LookRequest``; blocks while the video is decoded up to the last moment.

    Args:
        inspector: tells what the file is.
        camera: takes the pictures.

    """

    def __init__(self, inspector: Inspector, camera: Camera) -> None:
        self._inspector = inspector
        self._camera = camera

    def look(self, request: LookRequest, videos: Sequence[Path | Job]) -> tuple[Still, ...]:
        """The pictures, of one video or of the same moments of two. Raises any ``CallerError``."""
        watched = [self._watched(each) for each in videos]
        most = MOST_PICTURES // len(watched)
        shots = [choose(each, request, most) for each in watched]
        if len(watched) > 1 and request.event is not None:
            # The other one's timeline has other places; the words are looked for there, else the moment is the same.
            shots = [shots[0], *(_same(each, request, most, shots[0]) for each in watched[1:])]
        count = sum(map(len, shots))
        room = request.max_tokens - _WORDS * (count + 1)
        if room < count:
            raise InvalidRequest(f"{count} pictures do not fit into {request.max_tokens} tokens; allow more.")
        found: list[Still] = []
        for each, wanted in zip(watched, shots, strict=True):
            name = one_line(each.video.path.replace("\\", "/").rsplit("/", 1)[-1]) if len(watched) > 1 else ""
            taken = self._camera.take(each.video, wanted, room // count * PIXELS_PER_TOKEN)
            found += [still.model_copy(update={"video": name}) for still in taken]
        return tuple(found)

    def _watched(self, given: Path | Job) -> Watched:
        from pathlib import Path  # noqa: PLC0415 - only to tell the two apart

        if isinstance(given, Path):
            return Watched(self._inspector.inspect(given), None)
        analysis = analysis_of(given)
        video = self._inspector.inspect(Path(str(given.request["video_path"])))
        if video.sha256 != analysis.video.sha256:
            raise NotFound(f"{video.path!r} has changed since job {given.id} watched it; analyse it again.")
        return Watched(video, analysis)


def analysis_of(job: Job) -> Analysis:
    """What the job found. Raises ``NotFound`` when it watched no video, or is not done."""
    if job.kind != "analysis":
        raise NotFound(f"Job {job.id} analysed no video; list_videos (GET /jobs?kind=analysis) has those that did.")
    if job.result is None:
        raise NotFound(f"Job {job.id} has no timeline yet: it is {job.state}.")
    return Analysis.model_validate(job.result)


def choose(watched: Watched, request: LookRequest, most: int) -> tuple[Shot, ...]:
    """The moments that are meant, in their order. Raises ``InvalidRequest``."""
    named = [request.at is not None, request.event is not None, (request.begin, request.end) != (None, None)]
    if sum(named) > 1:
        raise InvalidRequest("Name either at, or from and to, or event.")
    length = watched.video.duration_ms
    if request.at is not None:
        return (Shot(t_ms=moment(request.at, length), region=request.region),)
    if request.event is not None:
        return _of_event(watched, request, most)
    if any(named):
        begin = moment(request.begin, length) if request.begin is not None else 0
        end = moment(request.end, length) if request.end is not None else length
        if end < begin:
            raise InvalidRequest("`to` is before `from`; give the earlier moment as `from`.")
        return _spread(begin, end, most, request.region)
    return _of_interest(watched, request, most)


def moment(given: Moment, length_ms: int) -> int:
    """The moment in milliseconds. Raises ``InvalidRequest`` when the video has none such."""
    if isinstance(given, str):
        match = _CLOCK.fullmatch(given.strip().strip("[]"))
        if match is None:
            raise InvalidRequest(f"{given[:40]!r} is no moment; give milliseconds, e.g. 12400, or '00:12.4'.")
        hours, minutes, seconds = match.groups()
        t_ms = round(1000 * (3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds)))
        if ":" not in given and "." not in given:
            t_ms = int(seconds)
    else:
        t_ms = given
    if not 0 <= t_ms <= length_ms + 1000:
        raise InvalidRequest(f"The video has {length_ms} ms ({clock(length_ms)}); {given} is no moment of it.")
    return t_ms


def _spread(begin: int, end: int, most: int, region: Region | None) -> tuple[Shot, ...]:
    if begin == end:
        return (Shot(t_ms=begin, region=region),)
    return tuple(Shot(t_ms=begin + round((end - begin) * n / (most - 1)), region=region) for n in range(most))


def _of_event(watched: Watched, request: LookRequest, most: int) -> tuple[Shot, ...]:
    if watched.analysis is None:
        raise InvalidRequest("`event` needs the job_id of an analysis; analyse_video gives it.")
    timeline, wanted = watched.analysis.timeline, request.event
    if isinstance(wanted, str) and wanted.isdecimal():
        wanted = int(wanted)
    if isinstance(wanted, int):
        if not 0 <= wanted < len(timeline):
            raise InvalidRequest(f"The timeline has {len(timeline)} events, from 0 on; there is no event {wanted}.")
        event = timeline[wanted]
    else:
        words = str(wanted).casefold()
        found = [each for each in timeline if words in f"{each.description} {each.text or ''}".casefold()]
        if not found:
            raise InvalidRequest(f"No event of the timeline says {str(wanted)[:80]!r}; give its t_ms as `at`.")
        event = found[0]
    region = request.region or _crop(event.region, watched.video)
    shots = [
        Shot(t_ms=max(event.t_ms - _BEFORE_MS, 0), region=region, why="before"),
        Shot(t_ms=_settled(event.t_ms, event.until_ms, event.frame), region=region, why=event.description[:160]),
    ]
    return tuple(shots[-most:])


def _settled(t_ms: int, until_ms: int | None, frame: str | None) -> int:
    """When a change that began then is wholly there: the moment of its picture, which the picture's name says."""
    taken = _PICTURE.search(frame or "")
    after = int(taken[1]) if taken else t_ms + _AFTER_MS
    return min(after, until_ms) if until_ms else after


def _same(watched: Watched, request: LookRequest, most: int, first: tuple[Shot, ...]) -> tuple[Shot, ...]:
    try:
        return choose(watched, request, most)
    except InvalidRequest:
        return tuple(shot.model_copy(update={"why": "the same moment"}) for shot in first)


def _of_interest(watched: Watched, request: LookRequest, most: int) -> tuple[Shot, ...]:
    analysis = watched.analysis
    open_ones = [each for each in analysis.verdicts if each.verdict is not VerdictResult.PASS] if analysis else []
    wanted = {proof.t_ms: f"{each.verdict}: {each.expectation}" for each in open_ones for proof in each.evidence[:2]}
    if not wanted and analysis and not open_ones and (failed := analysis.why) and failed.t_ms is not None:
        wanted = {max(failed.t_ms - _BEFORE_MS, 0): "before", _settled(failed.t_ms, None, failed.frame): failed.text}
    elif not wanted and analysis and not open_ones:
        wanted = {_settled(each.t_ms, each.until_ms, each.frame): each.description for each in analysis.timeline}
    if not wanted:
        return _spread(0, watched.video.duration_ms, most, request.region)
    times = sorted(wanted)
    if len(times) > most:
        times = [times[round(n * (len(times) - 1) / max(most - 1, 1))] for n in range(most)]
    return tuple(Shot(t_ms=t_ms, region=request.region, why=one_line(wanted[t_ms])[:160]) for t_ms in times)


def _crop(region: Region | None, video: Video) -> Region | None:
    """The region with what stands around it, within the frame; ``None`` where that is nearly all."""
    if region is None:
        return None
    x, y, width, height = region
    wide = min(max(width * (1 + 2 * _MARGIN), _LEAST_CROP[0]), video.width)
    high = min(max(height * (1 + 2 * _MARGIN), _LEAST_CROP[1]), video.height)
    if wide * high > 0.7 * video.width * video.height:
        return None
    left = min(max(x + width / 2 - wide / 2, 0), video.width - wide)
    top = min(max(y + height / 2 - high / 2, 0), video.height - high)
    return round(left), round(top), round(wide), round(high)


class AgentVerdict(Value):
    """What an agent that looked itself says of an expectation that was left unclear."""

    expectation: Annotated[str, Field(min_length=1, max_length=2000)]
    verdict: VerdictResult
    reason: Annotated[str, Field(min_length=1, max_length=1000)]
    at: Annotated[list[Moment], Field(min_length=1, max_length=MOST_PICTURES)]
    """The moments that show it."""


def judged(analysis: Analysis, given: AgentVerdict, evidence: Sequence[Any]) -> Analysis:
    """The analysis with the agent's verdict in the place of an unclear one.

    Raises ``NotFound`` when the analysis has no such expectation, ``InvalidRequest`` when it is not unclear.
    """
    place = place_of(analysis, given)
    update = {
        "verdict": given.verdict,
        "reason": one_line(given.reason),
        "evidence": tuple(evidence),
        "judged_by": "agent",
    }
    verdicts = list(analysis.verdicts)
    verdicts[place] = verdicts[place].model_copy(update=update)
    return analysis.model_copy(update={"verdicts": tuple(verdicts)})


def place_of(analysis: Analysis, given: AgentVerdict) -> int:
    """Which verdict it answers; see ``judged``."""
    for place, verdict in enumerate(analysis.verdicts):
        if verdict.expectation.strip() == given.expectation.strip():
            if verdict.verdict is not VerdictResult.UNCLEAR and verdict.judged_by != "agent":
                raise InvalidRequest(f"That was seen already: {verdict.verdict}. Only what is unclear can be judged.")
            return place
    raise NotFound("The analysis has no such expectation; give it word for word, as the verdict has it.")
