"""Memories.ai: segments are uploaded to it, deleted from it, and it is asked for moments, however it answers.

The wire is that of ``https://api.memories.ai/serve/api/v1``: the key alone in ``Authorization``; answers in an
envelope ``{"code": "0000", "msg", "data"}`` with HTTP 200, whose other codes are refusals; ``/chat`` answers as
server-sent events.
"""

import asyncio
import contextlib
import json
import math
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

from adapters.keys import MEMORIES, missing_key
from adapters.models.failures import Provider, Refusal, judge
from adapters.models.http_client import ModelClient
from adapters.models.memory.pairs import host_of
from adapters.models.retry import ONCE, Patience
from core.errors import InvalidCredentials, ProviderError, TimedOut, VaiderError
from core.memories.remote_library import RemoteMoment

_DATA: Final = "data:"
_DONE: Final = "done"
_MOST: Final = 500
_DEEPEST: Final = 12
_NUMBERS: Final = ("video_no", "videoNo")
_TIMES: Final = ("start", "startTime", "start_time")
_LATEST_SECONDS: Final = 24 * 3600


class ChatMoments:
    """Collects the moments of one answer: those that the model lists, or else those that it refers to.

    Args:
        video_nos: only moments of these count.

    """

    def __init__(self, video_nos: Collection[str]) -> None:
        self.fault: str | None = None
        """What the server says went wrong, in its words."""
        self.fault_code = ""
        self._known = frozenset(video_nos)
        self._words: list[str] = []
        self._references: list[RemoteMoment] = []

    def hear(self, answer: str) -> None:
        """Take the whole answer: events as ``data:`` lines, or one JSON object where the server does not stream."""
        lines = [line.removeprefix(_DATA).strip() for line in answer.splitlines() if line.startswith(_DATA)]
        for text in lines or [answer]:
            try:
                self._event(json.loads(text))
            except (ValueError, RecursionError):
                continue

    def moments(self, limit: int) -> list[RemoteMoment]:
        """At most so many, each once, best first."""
        listed = [moment for value in _values("".join(self._words)) for moment in self._within(value)]
        return list(dict.fromkeys(listed or self._references))[:limit]

    def _event(self, event: object) -> None:
        if not isinstance(event, dict):
            return
        said = cast("dict[str, Any]", event)
        kind, content, data = said.get("type"), said.get("content"), said.get("data")
        if kind == "content" and isinstance(content, str):
            self._words.append(content)
        elif kind == "ref":
            self._references += self._within(said.get("ref"))
        elif isinstance(data, dict):
            inner = cast("dict[str, Any]", data)
            if isinstance(inner.get("content"), str):
                self._words.append(inner["content"])
            self._references += self._within(inner.get("thinkings"))
        elif "code" in said and str(data or said.get("msg") or "").lower() != _DONE:
            self.fault = str(data or said.get("msg") or said["code"])[:200]
            self.fault_code = str(said["code"])

    def _within(self, value: object, depth: int = 0) -> list[RemoteMoment]:
        """All moments in some JSON, in its order."""
        if depth > _DEEPEST:
            return []
        if isinstance(value, list):
            inner = cast("list[object]", value)[:_MOST]
            return [moment for each in inner for moment in self._within(each, depth + 1)][:_MOST]
        if not isinstance(value, dict):
            return []
        said = cast("dict[str, Any]", value)
        moment = self._moment(said)
        if moment is not None:
            return [moment]
        return [found for each in list(said.values())[:_MOST] for found in self._within(each, depth + 1)][:_MOST]

    def _moment(self, said: dict[str, Any]) -> RemoteMoment | None:
        number = next((said[name] for name in _NUMBERS if name in said), None)
        start = next((said[name] for name in _TIMES if name in said), None)
        if not isinstance(number, str) or number not in self._known or isinstance(start, bool):
            return None
        try:
            seconds = float(start)  # pyright: ignore[reportArgumentType] - what is none, is refused here
        except (TypeError, ValueError):
            return None
        if not math.isfinite(seconds) or not 0 <= seconds <= _LATEST_SECONDS:
            return None
        return RemoteMoment(number, round(seconds * 1000))


def _values(text: str) -> Iterator[object]:
    """The first JSON lists that stand in a text, whatever is around them."""
    decoder, start = json.JSONDecoder(), text.find("[")
    for _ in range(20):
        if start < 0:
            return
        end = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
            yield value
        except (ValueError, RecursionError):
            pass
        start = text.find("[", end)


BASE: Final = "https://api.memories.ai/serve/api/v1"
SPACE: Final = "default"
"""``unique_id``: the space that an upload without one is put into."""
_FINE: Final = "0000"
_STATUS: Final = {"0401": 401, "9009": 401, "0402": 402, "0403": 403, "0429": 429}
"""What the envelope's codes are as HTTP says it."""
_READY: Final = "PARSE"
_WAITING: Final = frozenset({"UNPARSE", "PROCESSING", ""})
_MOST_BYTES: Final = 1 << 20
_SLICE: Final = 256 << 10
_BOUNDARY: Final = "vaider-8c4d1f7a2be64f0e9d35"


class MemoriesAi:
    """Implements ``core.memories.remote_library.VideoLibrary``.

    Args:
        key: finds the key; asked only when it is used.
        prompt: what is asked before the question, with ``{limit}`` in it.
        base_url: empty for Memories.ai's own.
        request_seconds: how long a request may be silent.
        answer_seconds: how long an answer to a question may take in all.

    """

    name = "memories"
    """As the setting spells it."""

    def __init__(
        self,
        *,
        key: Callable[[], str | None],
        prompt: str,
        base_url: str = "",
        request_seconds: float = 60.0,
        answer_seconds: float = 5.0,
    ) -> None:
        self._key, self._prompt = key, prompt
        self._base = base_url.rstrip("/") or BASE
        self._request_seconds, self._answer_seconds = request_seconds, answer_seconds
        self.host: Final = host_of(self._base)
        self._provider = Provider(
            title="Memories.ai",
            address=self._base,
            key_place="VAIDER_MEMORIES_API_KEY or MEMORIES_API_KEY",
            model="memories.ai",
            model_setting="memory_refiner",
            url_setting="memories_base_url",
            lighter="record shorter segments",
        )

    def unavailable(self) -> str | None:
        """What is wrong with the key or the address, if anything."""
        try:
            return self._provider.address_fault() if self._key() else missing_key(MEMORIES)
        except VaiderError as error:
            return error.message

    def upload(self, film: Path, name: str, raise_if_cancelled: Callable[[], None]) -> str:
        """See the port; the film is read piece by piece."""
        file_name = f"{name}.mp4"
        head = (
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
            "Content-Type: video/mp4\r\n\r\n"
        ).encode()
        tail = f"\r\n--{_BOUNDARY}--\r\n".encode()
        size = film.stat().st_size

        async def body() -> AsyncIterator[bytes]:
            yield head
            left = size
            with film.open("rb") as file:
                while left and (piece := file.read(min(_SLICE, left))):
                    raise_if_cancelled()
                    left -= len(piece)
                    yield piece
            yield tail

        headers = {
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
            "Content-Length": str(len(head) + size + len(tail)),
        }
        data = self._data(self._send("/upload", headers=headers, content=body()))
        number = data.get("videoNo") if isinstance(data, dict) else None
        if not isinstance(number, str) or not number:
            raise self._provider.unlike()
        return number

    def find(self, name: str) -> str | None:
        """See the port: the name is compared whole, whatever the server takes for alike."""
        for video in self._videos({"video_name": name, "unique_id": SPACE}):
            if str(video.get("video_name", "")).removesuffix(".mp4") == name and video.get("video_no"):
                return str(video["video_no"])
        return None

    def is_ready(self, video_no: str) -> bool:
        """See the port."""
        videos = self._known(video_no)
        status = str(videos[0].get("status") or "") if videos else ""
        if status not in _WAITING | {_READY}:
            raise ProviderError(
                "Memories.ai cannot read a segment that was uploaded: see whether it plays, or set memory_refiner to "
                "another one.",
                upstream_code=status[:40],
            )
        return status == _READY

    def delete(self, video_nos: Sequence[str]) -> None:
        """See the port."""
        try:
            self._data(self._send("/delete_videos", body=list(video_nos)))
        except ProviderError:
            if any(self._known(video_no) for video_no in video_nos):
                raise

    def moments(self, query: str, video_nos: Sequence[str], limit: int) -> Sequence[RemoteMoment]:
        """See the port. Raises ``TimedOut`` when the whole answer is not there in time."""
        # Text cannot close the fence: in JSON a "<" can be written otherwise.
        fenced = json.dumps(query, ensure_ascii=False).replace("<", "\\u003c")
        prompt = f"{self._prompt.replace('{limit}', str(limit))}\n<question>{fenced}</question>"
        asked = {"video_nos": list(video_nos), "prompt": prompt, "unique_id": SPACE}
        text = self._send("/chat", body=asked, seconds=self._answer_seconds)
        heard = ChatMoments(video_nos)
        heard.hear(text)
        if heard.fault is not None:
            raise self._refused(heard.fault_code, heard.fault)
        return heard.moments(limit)

    def _known(self, video_no: str) -> list[dict[str, Any]]:
        return [each for each in self._videos({"video_no": video_no}) if each.get("video_no") == video_no]

    def _videos(self, asked: dict[str, str]) -> list[dict[str, Any]]:
        data = self._data(self._send("/list_videos", body=asked))
        videos = data.get("videos") if isinstance(data, dict) else None
        if not isinstance(videos, list):
            raise self._provider.unlike()
        return [cast("dict[str, Any]", each) for each in cast("list[object]", videos) if isinstance(each, dict)]

    def _data(self, text: str) -> dict[str, Any] | None:
        """What is in the envelope. Raises ``ProviderError`` for a refusal."""
        try:
            envelope = json.loads(text)
        except (ValueError, RecursionError):
            raise self._provider.unlike() from None
        if not isinstance(envelope, dict) or "code" not in envelope:
            raise self._provider.unlike()
        said = cast("dict[str, Any]", envelope)
        code = str(said["code"])
        if code != _FINE:
            raise self._refused(code, str(said.get("msg") or ""))
        data = said.get("data")
        return cast("dict[str, Any]", data) if isinstance(data, dict) else None

    def _send(self, path: str, *, seconds: float | None = None, **content: Any) -> str:
        """One request, and its whole answer as text. Raises ``ProviderError``, ``TimedOut``."""
        key = self._key()
        if not key:
            raise InvalidCredentials(missing_key(MEMORIES))
        headers = {"authorization": key}
        client = ModelClient(
            self._provider, key=key, headers=headers, seconds=seconds or self._request_seconds, max_answer=_MOST_BYTES
        )

        async def call() -> str:
            async with asyncio.timeout(seconds):
                return (await client.send("POST", path, **content)).body.decode(errors="replace")

        with contextlib.closing(client):
            try:
                return client.insist(call, Patience(ONCE, lambda: None))
            except TimeoutError:
                raise TimedOut("Memories.ai did not answer in time.") from None

    def _refused(self, code: str, message: str) -> VaiderError:
        refusal = Refusal(_STATUS.get(code, 400), code=code, message=message)
        return judge(refusal, self._provider, self._key() or "").error
