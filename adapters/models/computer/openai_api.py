"""Talking to OpenAI's Responses API with its SDK. Imported only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import httpx2
import openai

from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.failures import Refusal
from adapters.models.vision_api import read_refusal

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.failures import Provider
    from adapters.models.retry import RetryPolicy

# The SDK adds what OPENAI_ORG_ID and the like say, and what machine this is: none of the server's business.
_HEADERS: Final = frozenset(
    (
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        "authorization",
        "x-stainless-raw-response",  # by this the SDK itself knows that the body is to be left unread
    )
)


class OpenAiSession:
    """One run's requests; the key lives in here until ``close``.

    Args:
        runner: the event loop that they live in.
        key: the API key.
        provider: how OpenAI is spoken of, with the address.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    def __init__(
        self, *, runner: asyncio.Runner, key: str, provider: Provider, retry: RetryPolicy, request_seconds: float
    ) -> None:
        self._runner = runner
        self._http = httpx2.AsyncClient(event_hooks={"request": [_strip]}, timeout=request_seconds)
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=self._http,
        )
        self._session = ModelSession(
            runner=runner, provider=provider, key=key, retry=retry, refusal=read_openai_refusal
        )

    def close(self) -> None:
        """Hang up."""
        self._runner.run(self._http.aclose())

    def ask(self, body: dict[str, Any], heed: Callable[[], None]) -> dict[str, Any]:
        """One response, as the JSON that came: what the SDK does not know stays in it. Raises ``ProviderError``."""

        async def call() -> bytes:
            pending = cast("Any", self._client.responses.with_streaming_response.create)(**body)
            async with pending as response:
                return await read_body(response)

        return self._session.ask(call, heed)


def read_openai_refusal(error: Exception) -> Refusal | None:
    """Read an error of the SDK, ``None`` for what is none."""
    if isinstance(error, openai.APITimeoutError):
        return Refusal(None, code="timeout")
    if isinstance(error, openai.APIConnectionError):
        return Refusal(None, code="unreachable")
    return read_refusal(error) if isinstance(error, openai.APIStatusError) else None


async def _strip(request: httpx2.Request) -> None:
    for name in set(request.headers) - _HEADERS:
        del request.headers[name]
