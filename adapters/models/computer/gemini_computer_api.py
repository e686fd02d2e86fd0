"""Gemini's ``generateContent``, for one run.

Its SDK is passed by on purpose: the model's turn has to go back unchanged, signatures and all, and what the SDK's types
do not know of it would be lost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

import httpx2
from google.genai import errors

from adapters.models.computer.model_session import ModelSession, read_body
from adapters.models.gemini_api import read_refusal

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable

    from adapters.models.failures import Provider, Refusal
    from adapters.models.retry import RetryPolicy

_OK: Final = 200


class GeminiComputerSession(ModelSession):
    """One run's requests; the key lives in here until ``close``.

    Args:
        runner: the event loop that they live in.
        key: the API key.
        provider: how Gemini is spoken of, with the model's name and the address.
        api_version: e.g. ``v1beta``.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    def __init__(
        self,
        *,
        runner: asyncio.Runner,
        key: str,
        provider: Provider,
        api_version: str,
        retry: RetryPolicy,
        request_seconds: float,
    ) -> None:
        model = quote(provider.model.removeprefix("models/"), safe="")
        self._url = f"{provider.address}/{api_version}/models/{model}:generateContent"
        # Redirects stay off: they would carry the key elsewhere.
        http = httpx2.AsyncClient(headers={"x-goog-api-key": key}, timeout=request_seconds)
        super().__init__(runner=runner, http=http, provider=provider, key=key, retry=retry, refusal=_refusal)

    def ask(self, body: dict[str, Any], heed: Callable[[], None]) -> dict[str, Any]:
        """One answer, as the JSON that came. Raises ``ProviderError``."""

        async def call() -> bytes:
            async with self._http.stream("POST", self._url, json=body) as response:
                told = await read_body(_Body(response))
                if response.status_code != _OK:
                    raise errors.APIError(response.status_code, _error_body(told), response)
                return told

        return self._reply(call, heed)


class _Body:
    """A response as ``read_body`` takes it."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    def iter_bytes(self) -> AsyncIterator[bytes]:
        return self._response.aiter_bytes()


def _refusal(error: Exception) -> Refusal | None:
    return read_refusal(error) if isinstance(error, errors.APIError) else None


def _error_body(told: bytes) -> dict[str, Any]:
    try:
        body = cast("object", json.loads(told))
    except (ValueError, RecursionError):
        body = None
    return (
        cast("dict[str, Any]", body) if isinstance(body, dict) else {"message": told.decode("utf-8", "replace")[:500]}
    )
