"""Gemini: a video is uploaded, asked about once and deleted again whatever happens; and the analyser that uses it."""

from __future__ import annotations

import logging
import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adapters.keys import GEMINI, missing_key
from adapters.models.api_formats import GOOGLE, as_object, as_objects
from adapters.models.failures import Provider
from adapters.models.replies import (
    Mend,
    Reply,
    VideoReply,
    ask_well_formed,
    expectations_text,
    parse_reply,
    to_findings,
)
from adapters.models.retry import Patience, RetryPolicy
from core.errors import InvalidCredentials, InvalidPath, InvalidReply, VaiderError
from core.jobs import Stage
from core.values import Value

if TYPE_CHECKING:
    from pydantic import BaseModel

    from adapters.models.gemini_api import GeminiSession
    from core.analysis import Findings, Video
    from core.ports import FrameFolder, JobContext


_KEPT: Final = ("title", "description", "enum", "format", "minItems", "maxItems", "minimum", "maximum", "required")


def gemini_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema; https://ai.google.dev/api/caching#Schema lists its fields."""
    schema = model.model_json_schema()
    return _converted(schema, as_object(schema.get("$defs")))


def _converted(schema: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = as_object(defined[str(schema["$ref"]).rsplit("/", 1)[-1]])
        return _converted({**target, **{name: value for name, value in schema.items() if name != "$ref"}}, defined)
    choices = as_objects(schema.get("anyOf"))
    inner = [each for each in choices if each.get("type") != "null"]
    if len(inner) == 1:
        outer = {name: value for name, value in schema.items() if name != "anyOf"}
        converted = _converted({**inner[0], **outer}, defined)
        return {**converted, "nullable": True} if len(inner) < len(choices) else converted
    converted = {name: schema[name] for name in _KEPT if name in schema}
    if inner:
        converted["anyOf"] = [_converted(each, defined) for each in inner]
        return converted
    converted["type"] = str(schema["type"]).upper()
    if "items" in schema:
        converted["items"] = _converted(as_object(schema["items"]), defined)
    if "properties" in schema:
        properties = as_object(schema["properties"])
        converted["properties"] = {name: _converted(as_object(part), defined) for name, part in properties.items()}
        converted["propertyOrdering"] = list(properties)
    return converted


_SNIFFED = 64
# https://ai.google.dev/gemini-api/docs/video-understanding lists the types that Gemini takes.
_KINDS: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (lambda head: head[4:12] == b"ftypqt  ", "video/quicktime"),
    (lambda head: head[4:11] == b"ftyp3gp", "video/3gpp"),
    (lambda head: head[4:8] == b"ftyp", "video/mp4"),
    (lambda head: head[4:8] in {b"moov", b"mdat", b"wide", b"free"}, "video/quicktime"),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"AVI ", "video/avi"),
    (lambda head: head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head, "video/webm"),
    (lambda head: head[:3] == b"FLV", "video/x-flv"),
    (lambda head: head[:4] in {b"\0\0\1\xba", b"\0\0\1\xb3"}, "video/mpeg"),
)


def mime_type(path: Path) -> str | None:
    """The MIME type of a file as Gemini names it, ``None`` when Gemini takes no such file."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    return next((kind for matches, kind in _KINDS if matches(head)), None)


_LOG = logging.getLogger(__name__)

Converter = Callable[[Path, Path, Callable[[], None]], tuple[Path, str]]
"""Puts a video that Gemini does not take into a folder as one that it takes: its new path and MIME type."""


FRAMES_PER_SECOND: Final = 5.0
"""Pictures that the model looks at."""


class UploadName(Value):
    """The name that the upload will have; kept before it begins, so that whatever arrives can be deleted."""

    name: str


class UploadedFile(Value):
    """The uploaded copy of the video, at Gemini."""

    uri: str
    mime_type: str


@dataclass(frozen=True)
class Inquiry:
    """What is asked about a video.

    Args:
        instruction: what holds for every video.
        text: what is said about this one.
        check: raises ``MalformedReply`` for an answer that has not the right form.
        schema: the answer's JSON, where it is to be JSON.

    """

    instruction: str
    text: str
    check: Callable[[str], None]
    schema: type[BaseModel] | None = None


class GeminiVideo:
    """Asks Gemini about videos, one upload each.

    Args:
        key: finds the key; asked only when the key is used.
        convert: turns other containers into one that Gemini takes.
        model: e.g. ``gemini-3.8-flash``.
        base_url: empty for Google's.
        api_version: ``v1beta`` has the newest features.
        fps: frames a second that the model looks at, in (0, 24].
        media_resolution: ``low``, ``medium`` or ``high``.
        poll_seconds: how often the upload is asked whether it is ready.
        poll_tries: and how many times at most.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    def __init__(
        self,
        *,
        key: Callable[[], str | None],
        convert: Converter,
        model: str,
        base_url: str = "",
        api_version: str = "v1beta",
        fps: float = FRAMES_PER_SECOND,
        media_resolution: str = "medium",
        poll_seconds: float = 2.0,
        poll_tries: int = 45,
        retry: RetryPolicy | None = None,
        request_seconds: float = 180.0,
    ) -> None:
        self._model = model
        self._key = key
        self._convert = convert
        self._api_version = api_version
        self._fps = fps
        self._media_resolution = media_resolution
        self._poll = (poll_seconds, poll_tries)
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title="Gemini",
            address=base_url.rstrip("/") or GOOGLE,
            key_place="GOOGLE_API_KEY or GEMINI_API_KEY",
            model=model,
            model_setting="gemini_model",
            url_setting="gemini_base_url",
            lighter="analyse a shorter clip",
        )

    def model_with(self, prompt_version: str) -> str:
        """The model, its prompt and how closely it looks: another one may answer otherwise, and is asked anew."""
        return f"{self._model}/prompt-{prompt_version}/{self._fps:g}fps/{self._media_resolution}"

    def unavailable(self) -> str | None:
        """What is wrong with the key or the address, if anything."""
        try:
            return self._provider.address_fault() if self._key() else missing_key(GEMINI)
        except VaiderError as error:
            return error.message

    def ask(self, video: Video, inquiry: Inquiry, context: JobContext) -> tuple[Reply, tuple[str, ...]]:
        """Let Gemini watch the video and answer; also what went wrong besides, a sentence each.

        Raises ``ProviderError``, ``InvalidPath``, ``Cancelled``, ``TimedOut``.
        """
        from adapters.models.gemini_api import GeminiSession  # noqa: PLC0415 - the HTTP client is loaded when it is used

        key = self._key()
        if not key:
            raise InvalidCredentials(missing_key(GEMINI))
        _LOG.info("asking %s", self._model)
        progress = _Progress(context, video.size_bytes)
        session = GeminiSession(
            key=key,
            provider=self._provider,
            api_version=self._api_version,
            request_seconds=self._request_seconds,
            patience=Patience(self._retry, progress.tick),
        )
        with closing(session):
            return self._converse(session, video, inquiry, context, progress)

    def _converse(
        self, session: GeminiSession, video: Video, inquiry: Inquiry, context: JobContext, progress: _Progress
    ) -> tuple[Reply, tuple[str, ...]]:
        chosen = context.step("gemini-name", UploadName, _new_name)
        upload = partial(_upload, session, video, chosen.name, self._convert, progress)
        warning: str | None = None
        try:
            uploaded = context.step("upload", UploadedFile, upload)
            was_kept, progress.touched = not progress.touched, True

            def ask() -> Reply:
                there = uploaded
                # A job that was interrupted has deleted its upload, or Gemini has after two days.
                if was_kept and not session.has(chosen.name):
                    there = upload()
                session.wait_until_active(chosen.name, *self._poll)
                progress.stage = Stage.ASKING
                return ask_well_formed(
                    lambda mend: session.ask(self._body(there, inquiry, mend)), inquiry.check, self._provider
                )

            reply = context.step("ask", Reply, ask)
        finally:
            if progress.touched:
                warning = session.delete(chosen.name)
        return reply, (warning,) if warning else ()

    def _body(self, uploaded: UploadedFile, inquiry: Inquiry, mend: Mend | None) -> dict[str, Any]:
        """The request's JSON; the text stands behind the video, as Google advises."""
        video = {
            "fileData": {"fileUri": uploaded.uri, "mimeType": uploaded.mime_type},
            "videoMetadata": {"fps": self._fps},
        }
        contents: list[dict[str, Any]] = [{"role": "user", "parts": [video, {"text": inquiry.text}]}]
        if mend:
            contents += [
                {"role": "model", "parts": [{"text": mend.wrong}]},
                {"role": "user", "parts": [{"text": mend.request}]},
            ]
        form: dict[str, Any] = {"responseMimeType": "text/plain"}
        if inquiry.schema:
            form = {"responseMimeType": "application/json", "responseSchema": gemini_schema(inquiry.schema)}
        return {
            "contents": contents,
            "systemInstruction": {"parts": [{"text": inquiry.instruction}]},
            "generationConfig": {**form, "mediaResolution": f"MEDIA_RESOLUTION_{self._media_resolution.upper()}"},
        }


class _Progress:
    """What is reported to the job at each tick."""

    def __init__(self, context: JobContext, total: int) -> None:
        self._context = context
        self.stage = Stage.UPLOADING
        self.total = total
        self.done = 0
        self.touched = False
        """Whether Gemini may hold a copy by now."""

    def tick(self) -> None:
        if self.stage is Stage.UPLOADING:
            self._context.report(self.stage, done=self.done, total=self.total)
        else:
            self._context.report(self.stage)

    def report_sent(self, done: int) -> None:
        self.touched = True
        self.done = done
        self.tick()


def _new_name() -> UploadName:
    # At most 40 of a-z, 0-9 and dashes.
    return UploadName(name=f"files/vaider-{secrets.token_hex(12)}")


def _upload(session: GeminiSession, video: Video, name: str, convert: Converter, progress: _Progress) -> UploadedFile:
    path = Path(video.path)
    with tempfile.TemporaryDirectory(prefix="vaider-upload-") as folder:
        try:
            kind = mime_type(path)
            if kind is None:
                progress.stage = Stage.DECODING
                path, kind = convert(path, Path(folder), progress.tick)
                progress.stage = Stage.UPLOADING
            progress.total = path.stat().st_size
            uri = session.upload(path, kind, name, progress.report_sent)
        except OSError as error:
            raise InvalidPath(f"{video.path} cannot be read: {error.strerror}.") from None
    if not uri:
        raise InvalidReply("Gemini took the video but did not say where it is: check gemini_base_url, and any proxy.")
    return UploadedFile(uri=uri, mime_type=kind)


class GeminiAnalyser:
    """Implements ``core.ports.Analyser``: asks one question about the video.

    Args:
        gemini: who is asked.
        prompt: the instruction.
        prompt_version: of the prompt, a part of ``model``.

    """

    name = "gemini"
    """How settings and answers call it."""

    def __init__(self, gemini: GeminiVideo, *, prompt: str, prompt_version: str) -> None:
        self.model: Final = gemini.model_with(prompt_version)
        """The model, its prompt and how closely it looks: another one may answer otherwise, and is asked anew."""
        self._gemini = gemini
        self._prompt = prompt

    def unavailable(self) -> str | None:
        """What is wrong with the key or the address, if anything."""
        return self._gemini.unavailable()

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """Let Gemini watch the video; see ``core.ports.Analyser``."""
        del frames  # Gemini tells moments; it makes no pictures.
        inquiry = Inquiry(
            instruction=self._prompt, text=question_text(video, expectations), check=_check, schema=VideoReply
        )
        reply, warnings = self._gemini.ask(video, inquiry, context)
        findings = to_findings(parse_reply(reply.text, VideoReply), video, expectations)
        return findings.model_copy(update={"usage": reply.usage, "warnings": (*findings.warnings, *warnings)})


def question_text(video: Video, expectations: Sequence[str]) -> str:
    """What stands behind the video: its length and the numbered expectations."""
    return f"The video lasts {video.duration_ms / 1000:.1f} s. {expectations_text(expectations)}"


def _check(text: str) -> None:
    parse_reply(text, VideoReply)
