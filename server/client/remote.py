"""A team's server, which the caller names: videos are sent to it, and its answers' pictures fetched from it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import quote, urlsplit

import httpx2

from adapters.video.trace_files import trace_beside, video_beside
from core.analysis_jobs import KIND
from core.errors import CallerError, Forbidden, Internal, InvalidPath, InvalidRequest, StorageFailed, Throttled
from core.expectations import read_sidecar
from core.files import Folder, make_private
from core.jobs import NOBODY
from server.client.address import Address
from server.client.jobs import RemoteJobs, health, question_body
from storage.interactions import SUFFIX
from storage.reports.analysis_page import frames_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.analysis import Analysis, AnalysisRequest
    from core.jobs import Job, Sender

_VARIABLE: Final = "VAIDER_TOKEN"
_FILE_VARIABLE: Final = "VAIDER_TOKEN_FILE"
_SENDING: Final = httpx2.Timeout(60.0, connect=5.0, read=300.0)
"""The server reads the whole video once before it answers."""
_LONGEST_PAUSE: Final = 300
_MOST_PAUSES_SECONDS: Final = 1800
_AT_ONCE: Final = 4
_JOB: Final = re.compile(r"[A-Za-z0-9-]{1,100}")
_PICTURE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}")
"""What the server calls things becomes names of files here."""
_MOST_PICTURES: Final = 500
_BYTES: Final = "application/octet-stream"


def named_server(url: str, environment: Mapping[str, str] = os.environ) -> Address:
    """The server at that URL, with the token of the environment or of the file that it names.

    The text of ``data_dir/token`` is this machine's and is never sent there. Raises ``InvalidRequest``.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise InvalidRequest(f"A server is named by its address, https://vaider.example, and {url!r} is none.")
    if parts.username is not None or parts.password is not None:
        raise InvalidRequest(
            f"The server's address holds a password: take it out, and set {_VARIABLE} or {_FILE_VARIABLE}."
        )
    token = environment.get(_VARIABLE, "").strip()
    if not token and (file := environment.get(_FILE_VARIABLE)):
        try:
            token = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise InvalidPath(
                f"{_FILE_VARIABLE} names {file}, which cannot be read; name a file with a token."
            ) from None
    if not token.isascii() or not token.isprintable():
        raise InvalidRequest(f"What {_VARIABLE} or {_FILE_VARIABLE} gives is no token; `vaider tokens add` makes one.")
    return Address(url.rstrip("/"), token or None, is_named=True)


def found_server(where: Address) -> dict[str, Any]:
    """What the server says of itself. Raises ``Forbidden``, and ``Internal`` when it does not answer."""
    try:
        found = health(where)
    except Forbidden as error:
        hint = (
            f"set {_VARIABLE} or {_FILE_VARIABLE}" if where.token is None else "ask its administrator for another token"
        )
        raise Forbidden(f"The server at {where.url} refuses: {error.message.split(':')[0]}; {hint}.") from None
    if found is None:
        raise Internal(f"No Vaider answers at {where.url}: see to its address, and that it runs.")
    return found


class TeamJobs(RemoteJobs):
    """The jobs of a team's server: it gets videos themselves, as no path of here is one of its own.

    Args:
        where: the server.
        label: under which what is submitted is listed there.
        folder: where pictures go that cannot lie beside their video.

    """

    def __init__(self, where: Address, label: str, folder: Path) -> None:
        super().__init__(where, label)
        self._folder = folder

    async def submit(self, kind: str, request: Any, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        """Send the video and ask; while the token's limit is reached, wait as the server says."""
        if kind != KIND:
            return await super().submit(kind, request, question=question, sender=sender)
        asked = _with_own_sidecar(_watched(request))
        waited = 0.0
        while True:
            try:
                return await self._send(asked)
            except Throttled as error:
                pause = float(error.details.get("retry_after") or 0)
                if not 0 < pause <= _LONGEST_PAUSE or waited + pause > _MOST_PAUSES_SECONDS:
                    raise
                sys.stderr.write(f"{error.message}\n")
                await asyncio.sleep(pause)
                waited += pause

    async def fetch(self, request: AnalysisRequest, analysis: Analysis) -> Analysis:
        """The answer as if it were made here: its video is the caller's, its pictures lie beside that."""
        if _JOB.fullmatch(analysis.job_id) is None:
            raise Internal(f"The server at {self._where.url} answers what Vaider does not; see to its version.")
        video = Path(_watched(request).video_path)
        beside = video.parent / f"{video.name}{SUFFIX}" / analysis.job_id
        elsewhere = make_private(self._folder / "fetched") / analysis.job_id
        pictures = await self._pictures(analysis)
        for folder in (beside, elsewhere):
            try:
                await asyncio.to_thread(_write, folder, pictures)
            except OSError:
                continue
            trace = trace_beside(video)
            named = analysis.video.named(str(video), None if trace is None else str(trace))
            return analysis.model_copy(update={"interactions_dir": str(folder), "video": named})
        raise StorageFailed(f"The pictures cannot be kept at {elsewhere}: free some space, or name another data_dir.")

    async def _send(self, request: AnalysisRequest) -> Job:
        path = Path(request.video_path)
        parts = {"video": path} | ({"trace": trace} if (trace := trace_beside(path)) is not None else {})
        with contextlib.ExitStack() as stack:
            files = {
                name: (each.name, stack.enter_context(await asyncio.to_thread(_opened, each)), _BYTES)
                for name, each in parts.items()
            }
            answer = await self._ask(
                "POST",
                "/analyse",
                files=files,
                data={"metadata": _metadata(request, self._label)},
                headers={"Prefer": "respond-async"},
                timeout=_SENDING,
            )
        return await self.get(answer["job_id"])

    async def _pictures(self, analysis: Analysis) -> dict[str, bytes]:
        names = {name for each in frames_of(analysis) if _PICTURE.fullmatch(name := PurePosixPath(each).name)}
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(name: str) -> bytes | None:
            async with limit:
                try:
                    return await self._read("GET", f"/jobs/{quote(analysis.job_id, safe='')}/frames/{quote(name)}")
                except CallerError:
                    return None  # gone by now, as here where a picture was removed

        wanted = sorted(names)[:_MOST_PICTURES]
        found = await asyncio.gather(*map(one, wanted))
        return {name: content for name, content in zip(wanted, found, strict=True) if content is not None}


def _watched(request: AnalysisRequest) -> AnalysisRequest:
    """As here: of a trace that lies beside its video, that one is watched."""
    video = video_beside(Path(request.video_path))
    return request if video is None else request.model_copy(update={"video_path": str(video)})


def _with_own_sidecar(request: AnalysisRequest) -> AnalysisRequest:
    if request.expectations:
        return request
    return request.model_copy(update={"expectations": read_sidecar(Path(request.video_path))})


def _opened(path: Path) -> BinaryIO:
    try:
        if path.exists() and not path.is_file():
            raise InvalidPath(f"{path} is no file. Name a video.")
        return path.open("rb")
    except OSError as error:
        raise InvalidPath(f"{path} cannot be read: {error.strerror}. Check the path.") from None


def _metadata(request: AnalysisRequest, label: str) -> str:
    """The form's other part: the question, and beside it what the caller wants kept."""
    body = question_body(request, label)
    del body["video_path"]
    return json.dumps({**body.pop("metadata"), **body})


def _write(folder: Path, pictures: Mapping[str, bytes]) -> None:
    with Folder.open(folder.parent.parent, folder.parent.name, folder.name, "frames") as frames:
        for name, content in pictures.items():
            frames.replace(name, content)
