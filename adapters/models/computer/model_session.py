"""Asking a model over HTTP for one decision, so that whoever waits can stop it at any moment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import httpx2

from adapters.models.failures import Refusal, judge
from adapters.models.retry import Failure, Patience, RetryPolicy
from core.errors import InvalidCall, InvalidReply

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable, Coroutine

    from adapters.models.failures import Provider

MAX_REPLY: Final = 4 * 2**20
"""Bytes; a longer answer is no decision, and is not read to its end."""
_BEAT_SECONDS: Final = 0.05
"""A user who takes over is obeyed within 0.2 s."""


class Streamed(Protocol):
    """A response whose body is still to come."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """The body, piece by piece."""
        ...


class ModelSession:
    """One run's requests to one provider; the key lives in here until ``close``. Each wire has a kind of its own.

    Args:
        runner: the event loop that they live in.
        http: what they go out by; it is closed with the session.
        provider: how the provider is spoken of.
        key: blotted out of what is told of a failure.
        retry: when to ask again.
        refusal: reads an error of the provider's SDK, ``None`` for what is none of its.

    """

    def __init__(
        self,
        *,
        runner: asyncio.Runner,
        http: httpx2.AsyncClient,
        provider: Provider,
        key: str,
        retry: RetryPolicy,
        refusal: Callable[[Exception], Refusal | None],
    ) -> None:
        self._runner = runner
        self._http = http
        self._provider = provider
        self._key = key
        self._retry = retry
        self._refusal = refusal

    def close(self) -> None:
        """Hang up."""
        self._runner.run(self._http.aclose())

    def _reply(self, call: Callable[[], Coroutine[None, None, bytes]], heed: Callable[[], None]) -> dict[str, Any]:
        """Do the call, again where that may help, and return its JSON object.

        ``heed`` is called twenty times a second; when it raises, the connection is closed at once.
        Raises ``ProviderError``, and ``InvalidCall`` for an answer of more than ``MAX_REPLY`` bytes.
        """
        patience = Patience(self._retry, heed, _BEAT_SECONDS)
        body = self._runner.run(patience.insist(call, self._translate))
        try:
            reply = cast("object", json.loads(body))
        except (ValueError, RecursionError):
            raise self._no_such_api() from None
        if not isinstance(reply, dict):
            raise self._no_such_api()
        return cast("dict[str, Any]", reply)

    def _translate(self, error: Exception) -> Failure | None:
        refusal = self._refusal(error)
        if refusal is None and isinstance(error, httpx2.TimeoutException):
            refusal = Refusal(None, code="timeout")
        if refusal is None and isinstance(error, httpx2.TransportError):
            refusal = Refusal(None, code="unreachable")
        if refusal is not None:
            return judge(refusal, self._provider, self._key)
        if isinstance(error, _TooLong):
            return Failure(InvalidCall("The answer was endless: call one tool, with short arguments."))
        return Failure(self._no_such_api()) if isinstance(error, ValueError) else None

    def _no_such_api(self) -> InvalidReply:
        said = f"{self._provider.shown_address} does not answer like {self._provider.title}"
        return InvalidReply(f"{said}: check {self._provider.url_setting}, and any proxy.")


class _TooLong(Exception):
    """More than is read."""


async def read_body(response: Streamed) -> bytes:
    """All of an answer that is not too long."""
    pieces: list[bytes] = []
    total = 0
    async for piece in response.iter_bytes():
        total += len(piece)
        if total > MAX_REPLY:
            raise _TooLong
        pieces.append(piece)
    return b"".join(pieces)
