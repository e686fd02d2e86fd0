"""Talking to OpenAI's Responses API with its SDK. Imported only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import openai

from adapters.models.bare_http import RAW, bare_http
from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.vision_api import refusal_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.failures import Provider
    from adapters.models.retry import RetryPolicy


class OpenAiSession(ModelSession):
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
        http = bare_http(seconds=request_seconds, also=("authorization", RAW))
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=http,
        )
        super().__init__(runner=runner, http=http, provider=provider, key=key, retry=retry, refusal=refusal_of)

    def ask(self, body: dict[str, Any], heed: Callable[[], None]) -> dict[str, Any]:
        """One response, as the JSON that came: what the SDK does not know stays in it. Raises ``ProviderError``."""

        async def call() -> bytes:
            pending = cast("Any", self._client.responses.with_streaming_response.create)(**body)
            async with pending as response:
                return await read_body(response)

        return self._reply(call, heed)
