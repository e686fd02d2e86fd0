"""What ``/chat`` of Memories.ai says, as moments: data from elsewhere, of any form and length."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, cast

from core.memories.remote_library import RemoteMoment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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
