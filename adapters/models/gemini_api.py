"""Gemini's API: files that are uploaded and deleted again, and questions about them. Imported when it is used.

The wire is that of https://ai.google.dev/api: ``generateContent``, and the resumable uploads of the Files API.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO, Final

import httpx2

from adapters.models.api_formats import as_object, as_objects, counts_of, generate_path, google_key
from adapters.models.failures import Provider
from adapters.models.http_client import Answer, ModelClient, Refused
from adapters.models.replies import Reply
from adapters.models.retry import Patience
from core.errors import InvalidReply, ProviderError

_LOG = logging.getLogger(__name__)
_SLICE: Final = 256 * 1024
_CHUNK: Final = 8 * 2**20
"""Bytes of one request of an upload: the granularity that Google demands."""
_MOST_PARTS: Final = 16
"""Requests for one answer that comes in parts."""
_DELETE_SECONDS: Final = 5.0
_GONE: Final = {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
_FINE: Final = {"", "STOP", "FINISH_REASON_UNSPECIFIED"}


class GeminiSession:
    """One analysis' conversation with Gemini; the key lives in here until ``close``.

    Args:
        key: the API key.
        provider: how Gemini is spoken of, with the model's name and the address.
        api_version: e.g. ``v1beta``.
        request_seconds: how long one request may be silent.
        patience: retries, and the job's ticks.

    """

    def __init__(
        self, *, key: str, provider: Provider, api_version: str, request_seconds: float, patience: Patience
    ) -> None:
        self._provider = provider
        self._version = api_version
        self._patience = patience
        self._client = ModelClient(provider, key=key, headers=google_key(key), seconds=request_seconds)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def upload(self, path: Path, mime_type: str, name: str, sent: Callable[[int], None]) -> str:
        """Send the file under a name of our choosing, and return its URI, empty when Gemini names none.

        ``sent`` is called with the bytes so far, and may raise to stop it.
        """

        async def attempt() -> dict[str, Any]:
            try:
                with path.open("rb") as file:
                    return await self._upload(file, mime_type, name, sent)
            except Refused as error:
                # The name is taken: an earlier try arrived, and its answer was lost.
                if error.refusal.status != HTTPStatus.CONFLICT:
                    raise
                return await self._file(name)

        return str(self._client.insist(attempt, self._patience).get("uri") or "")

    def has(self, name: str) -> bool:
        """Whether the file is still there."""

        async def attempt() -> bool:
            try:
                await self._file(name)
            except Refused as error:
                # Unknown files are 403 as a key without rights is; what is wrong with a key, the next request says.
                if error.refusal.status not in _GONE:
                    raise
                return False
            return True

        return self._client.insist(attempt, self._patience)

    def wait_until_active(self, name: str, every_seconds: float, tries: int) -> None:
        """Poll until Gemini has prepared the file. Raises ``ProviderError`` when it cannot, or takes too long."""
        for number in range(tries):
            if number:
                self._client.run(self._patience.wait(every_seconds))
            file = self._client.insist(lambda: self._file(name), self._patience)
            if file.get("state") == "ACTIVE":
                return
            if file.get("state") == "FAILED":
                code = counts_of(file.get("error")).get("code")
                raise ProviderError(
                    "Gemini cannot read this video: save it as H.264 mp4, or use provider 'local'.", upstream_code=code
                )
        raise ProviderError(
            f"Gemini was not ready with the uploaded video after {every_seconds * tries:.0f} s: try again, "
            "or use provider 'local'."
        )

    def ask(self, body: dict[str, Any]) -> Reply:
        """Ask for content. Raises ``InvalidReply`` when there is no whole answer."""
        text, usage, candidate = "", dict[str, int](), dict[str, Any]()
        for _ in range(_MOST_PARTS):
            response = self._client.post(generate_path(self._provider.model, self._version), body, self._patience)
            for name, count in counts_of(response.get("usageMetadata")).items():
                usage[name] = usage.get(name, 0) + count
            candidate = _candidate(response)
            text += _text_of(candidate)
            if candidate.get("finishReason") != "CONTINUATION" or not candidate.get("continuationToken"):
                break
            body = {**body, "continuationToken": candidate["continuationToken"]}
        _check_finish(candidate)
        if not text.strip():
            raise InvalidReply("Gemini answered with nothing: try again, or use provider 'local'.")
        return Reply(text=text, usage=usage)

    def delete(self, name: str) -> str | None:
        """Delete the file, also when the job was cancelled; what went wrong as a sentence, else ``None``."""

        async def attempt() -> None:
            async with asyncio.timeout(_DELETE_SECONDS):
                await self._client.send("DELETE", f"/{self._version}/{name}")

        for _ in range(2):
            try:
                self._client.run(attempt())
            except Refused as error:
                if error.refusal.status in _GONE:
                    return None
            except (httpx2.RequestError, TimeoutError):
                continue
            else:
                return None
        warning = f"The uploaded copy {name} could not be deleted; Gemini forgets it after 48 hours."
        _LOG.warning(warning)
        return warning

    async def _file(self, name: str) -> dict[str, Any]:
        return (await self._client.send("GET", f"/{self._version}/{name}")).object()

    async def _upload(self, file: BinaryIO, mime_type: str, name: str, sent: Callable[[int], None]) -> dict[str, Any]:
        """Announce the file, send it chunk by chunk to the address that came back, and return what is known of it."""
        size = file.seek(0, os.SEEK_END)
        announced = {
            "x-goog-upload-protocol": "resumable",
            "x-goog-upload-command": "start",
            "x-goog-upload-header-content-length": str(size),
            "x-goog-upload-header-content-type": mime_type,
        }
        described = {"file": {"name": name, "mimeType": mime_type, "sizeBytes": size, "displayName": "clip"}}
        answer = await self._client.send("POST", f"/upload/{self._version}/files", body=described, headers=announced)
        address = answer.headers["x-goog-upload-url"]
        for start in range(0, size, _CHUNK):
            length = min(_CHUNK, size - start)
            is_last = start + length == size
            headers = {
                "x-goog-upload-command": "upload, finalize" if is_last else "upload",
                "x-goog-upload-offset": str(start),
                "content-length": str(length),
            }
            content = _slices(file, start, length, sent)
            answer = await self._client.send("POST", address, content=content, headers=headers)
            if _status(answer) != ("final" if is_last else "active"):
                break
        else:
            return as_object(answer.object().get("file"))
        raise ValueError("the upload was ended before it was whole")


async def _slices(file: BinaryIO, start: int, length: int, sent: Callable[[int], None]) -> AsyncIterator[bytes]:
    """A part of the file in slices; ``sent`` is called with the bytes so far when a slice has left."""
    file.seek(start)
    end = start + length
    while start < end and (piece := file.read(min(_SLICE, end - start))):
        yield piece
        start += len(piece)
        sent(start)


def _status(answer: Answer) -> str:
    """Where an upload stands. Raises ``RemoteProtocolError``, which is tried again, when the answer does not say."""
    status = answer.headers.get("x-goog-upload-status")
    if not status:
        raise httpx2.RemoteProtocolError("an upload was answered without its status")
    return status


def _candidate(response: dict[str, Any]) -> dict[str, Any]:
    candidates = as_objects(response.get("candidates"))
    if not candidates:
        reason = str(as_object(response.get("promptFeedback")).get("blockReason") or "no reason given")[:60]
        raise InvalidReply(
            f"Gemini refused to look at this video ({reason}): use provider 'local'.", finish_reason=reason
        )
    return candidates[0]


def _check_finish(candidate: dict[str, Any]) -> None:
    """Raise ``InvalidReply`` when the answer is not whole."""
    finish = str(candidate.get("finishReason") or "")[:60]
    if finish == "MAX_TOKENS":
        raise InvalidReply(
            "Gemini's answer became too long and was cut off: analyse a shorter clip.", finish_reason=finish
        )
    if finish not in _FINE:
        raise InvalidReply(
            f"Gemini withheld its answer ({finish}): try again, or use provider 'local'.", finish_reason=finish
        )


def _text_of(candidate: dict[str, Any]) -> str:
    """The text without thoughts."""
    parts = as_objects(as_object(candidate.get("content")).get("parts"))
    return "".join(str(part["text"]) for part in parts if part.get("text") and not part.get("thought"))
