"""Chat completions of any OpenAI-compatible server, for one run. Imported only when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import httpx2
import openai

from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.failures import Refusal
from adapters.models.vision_api import read_refusal

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

    from adapters.models.failures import Provider
    from adapters.models.retry import RetryPolicy

# The SDK adds whatever OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and the like say, and what machine this is. None of it
# is the business of the server that the user named.
_HEADERS: Final = frozenset(
    (
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        # By this one the SDK knows, when the answer comes, that its body shall be left to us.
        "x-stainless-raw-response",
    )
)
_NO_KEY: Final = "none"


class ChatSession:
    """One run's requests; the key lives in here until ``close``.

    Args:
        runner: the event loop that they live in.
        key: ``None`` for a server that needs none; then no ``Authorization`` is sent.
        provider: how the server is spoken of, with the model's name and the address.
        extra: further fields of each request.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    def __init__(
        self,
        *,
        runner: asyncio.Runner,
        key: str | None,
        provider: Provider,
        extra: Mapping[str, Any],
        retry: RetryPolicy,
        request_seconds: float,
    ) -> None:
        self._runner = runner
        self._key = key
        self._model = provider.model
        self._extra = dict(extra)
        self._http = httpx2.AsyncClient(event_hooks={"request": [self._strip]}, timeout=request_seconds)
        self._client = openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=self._http,
        )
        self._session = ModelSession(
            runner=runner, provider=provider, key=key or "", retry=retry, refusal=read_chat_refusal
        )

    def close(self) -> None:
        """Hang up."""
        self._runner.run(self._http.aclose())

    def ask(self, messages: Sequence[dict[str, Any]], heed: Callable[[], None]) -> dict[str, Any]:
        """One completion, as the JSON that came. Raises ``ProviderError``."""

        async def call() -> bytes:
            # Read as JSON: what servers of this kind send fits the SDK's types only roughly.
            create = cast("Any", self._client.chat.completions.with_streaming_response.create)
            async with create(model=self._model, messages=list(messages), extra_body=self._extra) as response:
                return await read_body(response)

        return self._session.ask(call, heed)

    async def _strip(self, request: httpx2.Request) -> None:
        for name in set(request.headers) - _HEADERS:
            del request.headers[name]
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"


def read_chat_refusal(error: Exception) -> Refusal | None:
    """Read an error of the SDK, ``None`` for what is none."""
    if isinstance(error, openai.APITimeoutError):
        return Refusal(None, code="timeout")
    if isinstance(error, openai.APIConnectionError):
        return Refusal(None, code="unreachable")
    return read_refusal(error) if isinstance(error, openai.APIStatusError) else None
