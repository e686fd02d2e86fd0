"""A Memories.ai on loopback, that refuses what the real one refuses: with HTTP 200 and a code in the envelope."""

import email.parser
import email.policy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "test-key-of-no-account-0123456789"
PREFIX = "/serve/api/v1"


def envelope(data: object = None, *, code: str = "0000", msg: str = "success") -> Response:
    """How everything but a chat is answered."""
    return Response(200, {"code": code, "msg": msg, "data": data, "success": code == "0000", "failed": code != "0000"})


def busy() -> Response:
    return envelope(code="0429", msg="Request has exceeded the limit.")


def events(*said: object) -> Response:
    """A chat's answer as server-sent events."""
    lines = "".join(f"data:{json.dumps(each)}\n\n" for each in said)
    return Response(200, lines, {"Content-Type": "text/event-stream;charset=UTF-8"})


def words(text: str) -> dict[str, object]:
    return {"type": "content", "role": "assistant", "content": text, "sessionId": "606122521255088128"}


def references(*moments: tuple[str, float]) -> dict[str, object]:
    """The moments that an answer refers to, in seconds."""
    listed = [
        {
            "video": {"duration": "300", "video_no": number, "video_name": "vaider"},
            "refItems": [{"videoNo": number, "startTime": start, "type": "keyframe"}],
        }
        for number, start in moments
    ]
    return {"type": "ref", "sessionId": "606143186439766016", "ref": listed}


DONE: Mapping[str, object] = {"code": "SUCCESS", "data": "Done"}
THINKING: Mapping[str, object] = {"type": "thinking", "title": "Thinking", "content": "[1] Hm.", "sessionId": "6"}


@dataclass
class StoredVideo:
    """A video of the account."""

    name: str
    content: bytes
    polls_left: int
    fails: bool = False

    @property
    def status(self) -> str:
        return "UNPARSE" if self.polls_left > 0 else "PARSE_ERROR" if self.fails else "PARSE"


class FakeMemoriesAi(FakeServer):
    """The API with one account.

    ``scripts`` holds answers to be given instead of the own ones, by route (``upload``, ``list_videos``, ``chat``,
    ``delete_videos``), ``None`` for «as usual». ``said`` is what a chat answers.
    """

    def __init__(self, *, polls: int = 1, parsing_fails: bool = False) -> None:
        super().__init__()
        self.videos: dict[str, StoredVideo] = {}
        self.deleted: list[str] = []
        self.scripts: dict[str, list[Response | None]] = {}
        self.said: Sequence[object] = (words("[]"), DONE)
        self.lose_answer = False
        """Whether the connection drops once after a video has arrived."""
        self.polls, self._fails = polls, parsing_fails

    @property
    def base_url(self) -> str:
        return f"{self.url}{PREFIX}"

    def asked(self, route: str) -> list[Request]:
        """The requests of a route."""
        return [request for request in self.requests if request.path == f"{PREFIX}/{route}"]

    def answer(self, request: Request) -> Response:
        route = request.path.removeprefix(f"{PREFIX}/")
        routes = {
            "upload": self._upload,
            "list_videos": self._list,
            "chat": self._chat,
            "delete_videos": self._delete,
        }
        if request.method != "POST" or route not in routes:
            return Response(404, {"timestamp": 0, "status": 404, "error": "Not Found", "path": request.path})
        if request.headers.get("authorization") != KEY:
            return envelope(code="0401", msg="Authorization invalid")
        script = self.scripts.get(route)
        scripted = script.pop(0) if script else None
        return scripted or routes[route](request)

    def _upload(self, request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data; boundary="):
            return envelope(code="0001", msg="Current request is not a multipart request")
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = list(email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + request.body).iter_parts())
        files = [part for part in parts if part.get_param("name", header="content-disposition") == "file"]
        if len(files) != 1 or files[0].get_content_type() != "video/mp4":
            return envelope(code="0001", msg="Required part 'file' is not present.")
        content = files[0].get_payload(decode=True)
        assert isinstance(content, bytes)
        if content[4:8] != b"ftyp":
            return envelope(code="0003", msg="The video format is not supported.")
        number = f"VI{606404158946574336 + len(self.videos) + len(self.deleted)}"
        name = str(files[0].get_filename()).removesuffix(".mp4")
        self.videos[number] = StoredVideo(name, content, self.polls, self._fails)
        if self.lose_answer:
            self.lose_answer = False
            return Response(drop=True)
        shown = {"videoNo": number, "videoName": name, "videoStatus": "UNPARSE", "uploadTime": "1744905509814"}
        return envelope(shown)

    def _list(self, request: Request) -> Response:
        asked: dict[str, Any] = request.json
        found: list[dict[str, object]] = []
        for number, video in self.videos.items():
            if asked.get("video_no") not in {None, number} or asked.get("video_name", "") not in video.name:
                continue
            video.polls_left -= 1
            found.append({"video_no": number, "video_name": video.name, "status": video.status, "cause": "null"})
        return envelope({"videos": found, "current_page": 1, "page_size": 20, "total_count": str(len(found))})

    def _chat(self, request: Request) -> Response:
        asked: dict[str, Any] = request.json
        if not asked.get("video_nos") or not asked.get("prompt") or asked.get("unique_id") != "default":
            return events({"code": "ERROR", "data": "Error"})
        for number in asked["video_nos"]:
            if number not in self.videos:
                return events({"code": "ERROR", "data": "No videos found for the provided video numbers."})
            if self.videos[number].status != "PARSE":
                return events({"code": "ERROR", "data": f"Video is not parsed:{number}"})
        return events(*self.said)

    def _delete(self, request: Request) -> Response:
        numbers: Any = request.json
        if not isinstance(numbers, list):
            return envelope(code="0001", msg="JSON parse error")
        if not all(re.fullmatch(r"VI\d+", str(number)) for number in cast("list[object]", numbers)):
            return envelope(code="0001", msg="Parameters incorrect")
        numbers = cast("list[str]", numbers)
        if any(number not in self.videos for number in numbers):
            return envelope(code="0003", msg="The video does not exist.")
        for number in numbers:
            del self.videos[number]
            self.deleted.append(number)
        return envelope()
