"""Chat completions of any OpenAI-compatible server, for one run. Imported only when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import openai

from adapters.models.bare_http import RAW, bare_http
from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.vision_api import refusal_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

    from adapters.models.failures import Provider
    from adapters.models.retry import RetryPolicy

_NO_KEY: Final = "none"


class ChatSession(ModelSession):
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
        self._model = provider.model
        self._extra = dict(extra)
        http = bare_http(seconds=request_seconds, also=(RAW,), bearer=key)
        self._client = openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=http,
        )
        super().__init__(runner=runner, http=http, provider=provider, key=key or "", retry=retry, refusal=refusal_of)

    def ask(self, messages: Sequence[dict[str, Any]], heed: Callable[[], None]) -> dict[str, Any]:
        """One completion, as the JSON that came. Raises ``ProviderError``."""

        async def call() -> bytes:
            # Read as JSON: what servers of this kind send fits the SDK's types only roughly.
            create = cast("Any", self._client.chat.completions.with_streaming_response.create)
            async with create(model=self._model, messages=list(messages), extra_body=self._extra) as response:
                return await read_body(response)

        return self._reply(call, heed)
