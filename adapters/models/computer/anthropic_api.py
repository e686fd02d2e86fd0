"""Talking to Anthropic's Messages API with its SDK. Imported only when it is used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

import anthropic

from adapters.models.bare_http import RAW, bare_http
from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.failures import Refusal
from adapters.models.retry import parse_retry_after

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.failures import Provider
    from adapters.models.retry import RetryPolicy

_HEADERS: Final = ("authorization", "anthropic-version", "anthropic-beta", RAW)


class AnthropicSession(ModelSession):
    """One run's requests; the key lives in here until ``close``.

    Args:
        runner: the event loop that they live in.
        key: the API key.
        provider: how Anthropic is spoken of, with the address.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    def __init__(
        self, *, runner: asyncio.Runner, key: str, provider: Provider, retry: RetryPolicy, request_seconds: float
    ) -> None:
        http = bare_http(seconds=request_seconds, also=_HEADERS)
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=http,
        )
        super().__init__(
            runner=runner, http=http, provider=provider, key=key, retry=retry, refusal=read_anthropic_refusal
        )

    def ask(self, body: dict[str, Any], beta: str | None, heed: Callable[[], None]) -> dict[str, Any]:
        """One message, as the JSON that came: what the SDK does not know stays in it. Raises ``ProviderError``."""

        async def call() -> bytes:
            # What is sent is built as JSON, and read as JSON: the types of the SDK would lose what is newer than it.
            if beta:
                create = cast("Any", self._client.beta.messages.with_streaming_response.create)
                pending = create(**body, betas=[beta])
            else:
                pending = cast("Any", self._client.messages.with_streaming_response.create)(**body)
            async with pending as response:
                return await read_body(response)

        return self._reply(call, heed)


def read_anthropic_refusal(error: Exception) -> Refusal | None:
    """Read an error of the SDK, ``None`` for what is none."""
    if isinstance(error, anthropic.APITimeoutError):
        return Refusal(None, code="timeout")
    if isinstance(error, anthropic.APIConnectionError):
        return Refusal(None, code="unreachable")
    if not isinstance(error, anthropic.APIStatusError):
        return None
    body = cast("object", error.body)
    outer = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    inner = cast("object", outer.get("error", outer))
    told = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    return Refusal(
        status=error.status_code,
        code=str(told.get("type") or ""),
        message=str(told.get("message") or (body if isinstance(body, str) else "")),
        after_seconds=parse_retry_after(error.response.headers.get("retry-after"), lambda: datetime.now(UTC)),
    )
