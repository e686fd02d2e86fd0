"""A place for a job of a token that has limits: taken before the video comes, given back when nothing becomes of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from core.errors import Throttled
from core.jobs import Sender
from server.scopes import bearer_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request

    from core.jobs import Job
    from core.tokens import Bearer
    from server.services import Services

log = logging.getLogger("vaider.http")

_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
"""https://www.w3.org/TR/trace-context/#traceparent-header; one of a later version is taken by what it begins with."""
_DRAINED_BYTES: Final = 64 << 20
"""Who sends more than that before it reads the answer finds the connection closed."""


def sender_of(request: Request) -> Sender:
    """Who asks, and in which trace."""
    match = _TRACEPARENT.match(request.headers.get("traceparent", ""))
    return Sender(bearer_of(request).name, match[0] if match else None)


class Place:
    """A place that is taken, until it is a job's."""

    def __init__(self, services: Services, bearer: Bearer, sender: Sender, name: str) -> None:
        self.sender = sender
        self._services = services
        self._bearer = bearer
        self._name = name

    async def weigh(self, size: int) -> None:
        """Say how many bytes have come. Raises ``Throttled`` and ``TooLarge``."""
        if self._name and self._bearer.limits.bytes_a_day is not None:
            bearer = self._bearer
            check = self._services.submissions.check
            await asyncio.to_thread(check, self._name, bearer.name, size, bearer.limits)

    async def settle(self, job: Job, label: str, size: int) -> None:
        """It is that job's."""
        name, submissions = self._name, self._services.submissions
        if not name and label:
            name = await asyncio.to_thread(submissions.enter, "", size)
        if name:
            await asyncio.to_thread(submissions.settle, name, job.id, label, size)
        self._name = ""
        extra = {"job_id": job.id, "submitter": self.sender.submitter, "traceparent": self.sender.traceparent}
        if any(value for key, value in extra.items() if key != "job_id"):
            log.info("job.submitted", extra=extra)

    async def leave(self) -> None:
        """Nothing became of it."""
        if self._name:
            await asyncio.to_thread(self._services.submissions.leave, self._name)


@asynccontextmanager
async def place_for(request: Request, services: Services) -> AsyncGenerator[Place]:
    """Take one, for the block. Raises ``Throttled`` and ``TooLarge``, before the video is read."""
    bearer, name = bearer_of(request), ""
    if bearer.name:
        announced = request.headers.get("content-length", "0")
        size = int(announced) if announced.isdecimal() else 0
        try:
            name = await asyncio.to_thread(services.submissions.enter, bearer.name, size, bearer.limits)
        except Throttled:
            await _drain(request)
            raise
    place = Place(services, bearer, sender_of(request), name)
    try:
        yield place
    finally:
        await place.leave()


async def _drain(request: Request) -> None:
    """Read what is on its way: who is cut off while it sends may never see why."""
    taken = 0
    with contextlib.suppress(Exception):
        async for piece in request.stream():
            taken += len(piece)
            if taken > _DRAINED_BYTES:
                return
