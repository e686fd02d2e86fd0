"""A video at Gemini: uploaded, asked about once, and deleted again whatever happened."""

from __future__ import annotations

import asyncio
import logging
import secrets
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.key_kinds import GEMINI, missing_key
from adapters.models.asking import Reply, ask_well_formed
from adapters.models.containers import mime_type
from adapters.models.failures import Provider
from adapters.models.retry import Patience, RetryPolicy
from core.errors import InvalidCredentials, InvalidPath, InvalidReply, VaiderError
from core.jobs import Stage
from core.values import Value

if TYPE_CHECKING:
    from pydantic import BaseModel

    from adapters.models.gemini_api import GeminiSession, Question
    from core.analysis import Video
    from core.ports import JobContext

_LOG = logging.getLogger(__name__)

Converter = Callable[[Path, Path, Callable[[], None]], tuple[Path, str]]
"""Puts a video that Gemini does not take into a folder as one that it takes: its new path and MIME type."""

GOOGLE = "https://generativelanguage.googleapis.com"


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
        from adapters.models.gemini_api import GeminiSession  # noqa: PLC0415 - the SDK is loaded when it is used

        key = self._key()
        if not key:
            raise InvalidCredentials(missing_key(GEMINI))
        _LOG.info("asking %s", self._model)
        progress = _Progress(context, video.size_bytes)
        with asyncio.Runner() as runner:
            session = GeminiSession(
                runner=runner,
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
                question = self._question(there, inquiry)
                return ask_well_formed(partial(session.ask, question), inquiry.check, self._provider)

            reply = context.step("ask", Reply, ask)
        finally:
            if progress.touched:
                warning = session.delete(chosen.name)
        return reply, (warning,) if warning else ()

    def _question(self, uploaded: UploadedFile, inquiry: Inquiry) -> Question:
        from adapters.models.gemini_api import Question  # noqa: PLC0415 - as above

        return Question(
            uri=uploaded.uri,
            mime_type=uploaded.mime_type,
            instruction=inquiry.instruction,
            text=inquiry.text,
            schema=inquiry.schema,
            fps=self._fps,
            media_resolution=self._media_resolution,
        )


class _Progress:
    """What the job is told at each tick."""

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

    def sent(self, done: int) -> None:
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
            file = session.upload(path, kind, name, progress.sent)
        except OSError as error:
            raise InvalidPath(f"{video.path} cannot be read: {error.strerror}.") from None
    if not file.uri:
        raise InvalidReply("Gemini took the video but did not say where it is: check gemini_base_url, and any proxy.")
    return UploadedFile(uri=file.uri, mime_type=kind)
