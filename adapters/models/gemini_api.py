"""Talking to the Gemini API with its SDK. Imported only when Gemini is used: the SDK costs 0.3 s and 50 MB."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import httpx2
from google import genai
from google.genai import errors, types

from adapters.models.asking import Reply
from adapters.models.failures import Refusal, judge
from adapters.models.retry import Failure, ResultT, parse_duration, parse_retry_after
from core.errors import InvalidReply, ProviderError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from adapters.models.asking import Mend
    from adapters.models.failures import Provider
    from adapters.models.retry import Patience

_LOG = logging.getLogger(__name__)
_SLICE = 256 * 1024
_DELETE_SECONDS = 5.0
_GONE = {403, 404}
_STATUS_HEADER = "x-goog-upload-status"
_COMMAND_HEADER = "x-goog-upload-command"
_FINE = {None, types.FinishReason.STOP, types.FinishReason.FINISH_REASON_UNSPECIFIED}


@dataclass(frozen=True)
class Question:
    """What the model is asked, and how closely it shall look."""

    uri: str
    mime_type: str
    instruction: str
    text: str
    fps: float
    media_resolution: str
    schema: type[BaseModel] | None
    """Of the JSON that is asked for; ``None`` for plain text."""


class GeminiSession:
    """One analysis' conversation with Gemini; the key lives in here until ``close``.

    Args:
        runner: the event loop that the conversation lives in, from its first request to ``close``.
        key: the API key.
        provider: how Gemini is spoken of, with the model's name and the address.
        api_version: e.g. ``v1beta``.
        request_seconds: how long one request may be silent.
        patience: retries, and the job's ticks.

    """

    def __init__(
        self,
        *,
        runner: asyncio.Runner,
        key: str,
        provider: Provider,
        api_version: str,
        request_seconds: float,
        patience: Patience,
    ) -> None:
        self._runner = runner
        self._key = key
        self._provider = provider
        self._patience = patience
        self._sent: Callable[[int], None] = lambda _: None
        # Our own HTTP client, so that uploads are counted, and refused chunks are raised: the SDK would send them
        # again after blocking sleeps of its own. Redirects stay off: they would carry the key elsewhere.
        self._http = httpx2.AsyncClient(event_hooks={"request": [self._count], "response": [self._refuse]})
        self._client = genai.Client(
            api_key=key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=provider.address,
                api_version=api_version,
                timeout=round(request_seconds * 1000),
                httpx_async_client=self._http,
            ),
        )

    def close(self) -> None:
        """Hang up."""
        self._runner.run(self._http.aclose())
        self._client.close()

    def upload(self, path: Path, mime_type: str, name: str, sent: Callable[[int], None]) -> types.File:
        """Send the file under a name of our choosing; ``sent`` is told the bytes so far, and may raise to stop it."""
        total = 0

        def count(size: int) -> None:
            nonlocal total
            total += size
            sent(total)

        async def attempt() -> types.File:
            nonlocal total
            total = 0
            config = types.UploadFileConfig(name=name, mime_type=mime_type, display_name="clip")
            try:
                with path.open("rb") as file:
                    return await self._client.aio.files.upload(file=file, config=config)
            except errors.ClientError as error:
                if error.code != 409:  # noqa: PLR2004 - the name is taken: an earlier try arrived, and its answer was lost
                    raise
                return await self._client.aio.files.get(name=name)

        self._sent = count
        try:
            return self._insist(attempt)
        finally:
            self._sent = lambda _: None

    def has(self, name: str) -> bool:
        """Whether the file is still there."""

        async def attempt() -> bool:
            try:
                await self._client.aio.files.get(name=name)
            except errors.ClientError as error:
                # Unknown files are 403 as a key without rights is; what is wrong with a key, the next request says.
                if error.code not in _GONE:
                    raise
                return False
            return True

        return self._insist(attempt)

    def wait_until_active(self, name: str, every_seconds: float, tries: int) -> None:
        """Poll until Gemini has prepared the file. Raises ``ProviderError`` when it cannot, or takes too long."""
        for number in range(tries):
            if number:
                self._runner.run(self._patience.wait(every_seconds))
            file = self._insist(lambda: self._client.aio.files.get(name=name))
            if file.state == types.FileState.ACTIVE:
                return
            if file.state == types.FileState.FAILED:
                code = file.error.code if file.error else None
                raise ProviderError(
                    "Gemini cannot read this video: save it as H.264 mp4, or use provider 'local'.", upstream_code=code
                )
        raise ProviderError(
            f"Gemini was not ready with the uploaded video after {every_seconds * tries:.0f} s: try again, "
            "or use provider 'local'."
        )

    def ask(self, question: Question, mend: Mend | None) -> Reply:
        """Ask, or ask again for what was wrong. Raises ``InvalidReply`` when there is no whole answer."""
        video = types.Part(
            file_data=types.FileData(file_uri=question.uri, mime_type=question.mime_type),
            video_metadata=types.VideoMetadata(fps=question.fps),
        )
        contents = [types.Content(role="user", parts=[video, types.Part(text=question.text)])]
        if mend:
            contents += [
                types.Content(role="model", parts=[types.Part(text=mend.wrong)]),
                types.Content(role="user", parts=[types.Part(text=mend.request)]),
            ]
        config = types.GenerateContentConfig(
            system_instruction=question.instruction,
            response_mime_type="application/json" if question.schema else "text/plain",
            response_schema=question.schema,
            media_resolution=types.MediaResolution(f"MEDIA_RESOLUTION_{question.media_resolution.upper()}"),
        )
        response = self._insist(
            lambda: self._client.aio.models.generate_content(
                model=self._provider.model, contents=cast("Any", contents), config=config
            )
        )
        return Reply(text=text_of(response), usage=usage_of(response))

    def delete(self, name: str) -> str | None:
        """Delete the file, also when the job was told to stop; what went wrong as a sentence, else ``None``."""

        async def attempt() -> None:
            async with asyncio.timeout(_DELETE_SECONDS):
                await self._client.aio.files.delete(name=name)

        for _ in range(2):
            try:
                self._runner.run(attempt())
            except errors.APIError as error:
                if error.code in _GONE:
                    return None
            except (httpx2.TransportError, TimeoutError, ValueError):
                continue
            else:
                return None
        warning = f"The uploaded copy {name} could not be deleted; Gemini forgets it after 48 hours."
        _LOG.warning(warning)
        return warning

    def _insist(self, call: Callable[[], Coroutine[None, None, ResultT]]) -> ResultT:
        return self._runner.run(self._patience.insist(call, self._translate))

    def _translate(self, error: Exception) -> Failure | None:
        if isinstance(error, errors.APIError):
            return judge(read_refusal(error), self._provider, self._key)
        if isinstance(error, httpx2.TimeoutException):
            return judge(Refusal(None, code="timeout"), self._provider)
        if isinstance(error, httpx2.TransportError):
            return judge(Refusal(None, code="unreachable"), self._provider)
        # The SDK's own ways to say that an answer is not the protocol's: no upload URL, no JSON, other fields.
        if isinstance(error, (KeyError, ValueError)):
            sentence = (
                f"{self._provider.shown_address} does not answer like Gemini: check gemini_base_url, and any proxy."
            )
            return Failure(InvalidReply(sentence))
        return None

    async def _count(self, request: httpx2.Request) -> None:
        if "upload" in request.headers.get(_COMMAND_HEADER, ""):
            request.stream = _Counted(request.content, self._sent)

    async def _refuse(self, response: httpx2.Response) -> None:
        if "upload" in response.request.headers.get(_COMMAND_HEADER, "") and _STATUS_HEADER not in response.headers:
            await errors.APIError.raise_for_async_response(response)
            raise httpx2.RemoteProtocolError("an upload was answered without its status", request=response.request)


class _Counted(httpx2.AsyncByteStream):
    """A request's body in slices, each told when the one before has left."""

    def __init__(self, body: bytes, told: Callable[[int], None]) -> None:
        self._body = body
        self._told = told

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), _SLICE):
            piece = self._body[start : start + _SLICE]
            yield piece
            self._told(len(piece))


def read_refusal(error: errors.APIError) -> Refusal:
    """Read an error of the SDK: Google's details, and the headers."""
    body = _object(cast("object", error.details))
    listed = cast("object", _object(body.get("error", body)).get("details"))
    details = [_object(one) for one in cast("list[object]", listed)] if isinstance(listed, list) else []
    delays = [parse_duration(detail.get("retryDelay")) for detail in details]
    headers = cast("Any", getattr(cast("object", error.response), "headers", None) or {})
    demanded = [delay for delay in delays if delay is not None]
    return Refusal(
        status=error.code,
        code=str(error.status or ""),
        message=str(error.message or ""),
        reasons=frozenset(str(detail["reason"]) for detail in details if "reason" in detail),
        quotas=tuple(
            str(_object(one).get("quotaId", "")) for detail in details for one in detail.get("violations", [])
        ),
        after_seconds=demanded[0]
        if demanded
        else parse_retry_after(headers.get("retry-after"), lambda: datetime.now(UTC)),
    )


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def text_of(response: types.GenerateContentResponse) -> str:
    """The answer's text without thoughts. Raises ``InvalidReply`` when there is none, or only a part of it."""
    if not response.candidates:
        feedback = response.prompt_feedback
        reason = feedback.block_reason.name if feedback and feedback.block_reason else "no reason given"
        raise InvalidReply(
            f"Gemini refused to look at this video ({reason}): use provider 'local'.", finish_reason=reason
        )
    candidate = response.candidates[0]
    finish = candidate.finish_reason
    if finish == types.FinishReason.MAX_TOKENS:
        raise InvalidReply(
            "Gemini's answer became too long and was cut off: analyse a shorter clip.",
            finish_reason=finish.name,
        )
    if finish not in _FINE:
        name = finish.name if finish else ""
        raise InvalidReply(
            f"Gemini withheld its answer ({name}): try again, or use provider 'local'.", finish_reason=name
        )
    parts: Sequence[types.Part] = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if not text.strip():
        raise InvalidReply("Gemini answered with nothing: try again, or use provider 'local'.")
    return text


def usage_of(response: types.GenerateContentResponse) -> dict[str, int]:
    """The tokens spent, by Gemini's names."""
    spent = response.usage_metadata
    if spent is None:
        return {}
    counts = spent.model_dump(by_alias=True, exclude_none=True)
    return {name: count for name, count in counts.items() if isinstance(count, int)}
