"""What a model says about a video, and what we make of it: its words are data, checked, bounded, asked for once more.

The classes are also the schemas that the providers are asked to fill.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from core.analysis import Event, EventKind, Evidence, Findings, Verdict, VerdictResult, Video
from core.errors import InvalidReply
from core.expectations import demand_evidence
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from adapters.models.failures import Provider


MAX_EVENTS = 2000
MAX_EVIDENCE = 8
TEXT_LIMIT = 2000
SENTENCE_LIMIT = 500
GRACE_MS = 1000
"""A model's seconds are rounded: a time so little past the end is the end."""
UNSTATED_CONFIDENCE = 0.5
"""Models do not say how sure they are, and their guesses at it are worth nothing."""

_MAX_CANDIDATES = 50
"""A text full of braces is not searched for ever."""

_CLOCK = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,6}(?:[.,]\d{1,6})?)\s*s?", re.ASCII)
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _number_to_text(value: object) -> object:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Clock = Annotated[str, BeforeValidator(_number_to_text)]
"""A moment as a model writes it: ``MM:SS.s``, or seconds."""


class Proof(BaseModel):
    """Where in a video a judgement can be seen."""

    at: Clock = Field(description="MM:SS.s from the start of the video")
    quote: str | None = Field(description="the text on screen that proves it, letter by letter")


class FrameProof(BaseModel):
    """Which listed event proves a judgement."""

    event: int = Field(description="the number of the listed event that proves it; 0 is the first screen")
    quote: str | None = Field(description="the text on screen that proves it, letter by letter")


ProofT = TypeVar("ProofT", Proof, FrameProof)


class Judgement(BaseModel, Generic[ProofT]):
    """The answer to one expectation."""

    number: int = Field(description="the expectation's number")
    verdict: VerdictResult
    reason: str = Field(description="one sentence")
    evidence: list[ProofT]


class SeenEvent(BaseModel):
    """One thing that happened on screen."""

    at: Clock = Field(description="MM:SS.s from the start of the video, when it began")
    until: Clock | None = Field(description="MM:SS.s when it was gone or over, if it was")
    kind: EventKind
    text: str | None = Field(description="the text on screen that it is about, letter by letter")
    before: str | None = Field(description="the text that stood there before, for kind changed")
    description: str = Field(description="one plain past-tense sentence that quotes what was on screen")


class VideoReply(BaseModel):
    """What a model that watched the video itself answers."""

    first_screen: list[str] = Field(description="the lines of text on the first screen, top to bottom")
    events: list[SeenEvent]
    verdicts: list[Judgement[Proof]]


class Redescription(BaseModel):
    """A better sentence for a listed event."""

    event: int = Field(description="the number of the listed event")
    description: str = Field(description="one plain past-tense sentence that quotes what was on screen")


class FramesReply(BaseModel):
    """What a model that was shown key frames and listed events answers."""

    descriptions: list[Redescription]
    verdicts: list[Judgement[FrameProof]]


ReplyT = TypeVar("ReplyT", bound=BaseModel)


class MalformedReply(Exception):
    """The text is not the JSON that was asked for; the message says where, for the model to mend it."""


def parse_reply(text: str, kind: type[ReplyT]) -> ReplyT:
    """Find the answer in a model's text, whatever it put around it. Raises ``MalformedReply``."""
    decoder = json.JSONDecoder()
    faults: list[str] = []
    start = text.find("{")
    while start >= 0 and len(faults) < _MAX_CANDIDATES:
        end = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
            return kind.model_validate(value)
        except json.JSONDecodeError as error:
            faults.append(f"{error.msg} at character {error.pos}")
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            faults.append(f"{'.'.join(str(part) for part in first['loc']) or 'the object'}: {first['msg']}")
        except RecursionError:
            faults.append("it is nested too deeply")
            break
        start = text.find("{", end)
    raise MalformedReply(faults[0] if faults else "there is no JSON object in it")


def clean(text: str | None, limit: int = TEXT_LIMIT) -> str:
    """One line of bounded length, without control, direction-changing or half characters."""
    kept = (
        " " if unicodedata.category(letter) in {"Cc", "Zl", "Zp"} else letter
        for letter in (text or "")[: limit * 2]
        if letter not in _BIDI and unicodedata.category(letter) != "Cs"
    )
    return " ".join("".join(kept).split())[:limit]


def parse_clock(text: str) -> int | None:
    """Milliseconds of ``H:MM:SS``, ``MM:SS.s`` or plain seconds; ``None`` for anything else."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds = match.groups()
    return round((int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds.replace(",", "."))) * 1000)


def moment(text: str | None, video: Video) -> int | None:
    """A model's time in the clip, ``None`` when it lies outside of it."""
    t_ms = parse_clock(text) if text is not None else None
    if t_ms is None or t_ms > video.duration_ms + GRACE_MS:
        return None
    return min(t_ms, video.duration_ms)


def to_findings(reply: VideoReply, video: Video, expectations: Sequence[str]) -> Findings:
    """The model's answer as ours: in order of time, inside the clip, one verdict per expectation."""
    reported = reply.events[:MAX_EVENTS]
    events = [event for seen in reported if (event := _event(seen, video)) is not None]
    lost = len(reported) - len(events)

    def locate(proof: Proof) -> Evidence | None:
        t_ms = parse_clock(proof.at)
        if t_ms is None:
            return None
        # A time far outside of the clip stays as it was said: the verdict's reason then names it.
        within = moment(proof.at, video)
        return Evidence(t_ms=t_ms if within is None else within, quote=clean(proof.quote) or None)

    return Findings(
        timeline=tuple(sorted(events, key=lambda event: event.t_ms)),
        first_screen=tuple(line for text in reply.first_screen[:MAX_EVENTS] if (line := clean(text))),
        sightings=None,
        verdicts=demand_evidence(align(reply.verdicts, expectations, locate), video),
        warnings=(f"The model told of {lost} events at times that are not in the clip; left out.",) if lost else (),
    )


def _event(seen: SeenEvent, video: Video) -> Event | None:
    t_ms = moment(seen.at, video)
    if t_ms is None:
        return None
    until_ms = moment(seen.until, video)
    description = clean(seen.description, SENTENCE_LIMIT)
    text = clean(seen.text) or None
    return Event(
        t_ms=t_ms,
        until_ms=until_ms if until_ms is not None and until_ms > t_ms else None,
        kind=seen.kind,
        text=text,
        before=clean(seen.before) or None,
        confidence=UNSTATED_CONFIDENCE,
        description=description or " ".join(("Something", seen.kind, *([f'"{text}"'] if text else []))) + ".",
    )


def align(
    judgements: Iterable[Judgement[ProofT]],
    expectations: Sequence[str],
    locate: Callable[[ProofT], Evidence | None],
) -> tuple[Verdict, ...]:
    """One verdict per expectation, in the order asked; the first answer counts, evidence that is nowhere does not."""
    answers: dict[int, Judgement[ProofT]] = {}
    for judgement in judgements:
        answers.setdefault(judgement.number, judgement)
    verdicts: list[Verdict] = []
    for number, expectation in enumerate(expectations, start=1):
        answer = answers.get(number)
        if answer is None:
            reason = "The model did not answer this expectation."
            verdicts.append(Verdict(expectation=expectation, verdict=VerdictResult.UNCLEAR, reason=reason))
            continue
        found = [evidence for proof in answer.evidence if (evidence := locate(proof)) is not None][:MAX_EVIDENCE]
        reason = clean(answer.reason, SENTENCE_LIMIT) or "The model gave no reason."
        verdicts.append(Verdict(expectation=expectation, verdict=answer.verdict, reason=reason, evidence=tuple(found)))
    return tuple(verdicts)


class Reply(Value):
    """What a model answered, as text, and what it spent, by the provider's own names."""

    text: str
    usage: dict[str, int]


class Mend(Value):
    """An answer that was not of the right form, and what was wrong with it, for the model to mend."""

    wrong: str
    request: str


def ask_well_formed(ask: Callable[[Mend | None], Reply], check: Callable[[str], None], provider: Provider) -> Reply:
    """Ask, and once more when ``check`` raises ``MalformedReply`` for the answer. Raises ``InvalidReply``."""
    mend: Mend | None = None
    usage: dict[str, int] = {}
    for _ in range(2):
        reply = ask(mend)
        for name, count in reply.usage.items():
            usage[name] = usage.get(name, 0) + count
        try:
            check(reply.text)
        except MalformedReply as fault:
            request = f"That was not the form that was asked for: {fault}. Answer again, in that form alone."
            mend = Mend(wrong=reply.text[:TEXT_LIMIT], request=request)
        else:
            return Reply(text=reply.text, usage=usage)
    raise InvalidReply(
        f"{provider.title} did not answer in the form that was asked for, twice: try again, "
        f"or set {provider.model_setting} to another model."
    )


def expectations_text(expectations: Sequence[str]) -> str:
    """The numbered expectations as a part of the question."""
    if not expectations:
        return "No expectations were given: leave `verdicts` empty."
    numbered = [{"number": number, "expectation": text} for number, text in enumerate(expectations, start=1)]
    return f"Judge each of these expectations:\n{json.dumps(numbered, ensure_ascii=False, indent=1)}"
