"""The HTTP client of all model providers. Imported when it is used: ``httpx2`` takes a tenth of a second."""

import asyncio
import json
from collections.abc import AsyncIterable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import httpx2

from adapters.models.failures import Provider, Refusal, judge, read_refusal
from adapters.models.retry import Failure, Patience, ResultT
from core.errors import VaiderError

MAX_ANSWER: Final = 4 * 2**20
"""Bytes; a longer answer is not read to its end."""


class Refused(Exception):
    """The provider answered with another status than 2xx."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class AnswerTooLong(Exception):
    """More bytes came than an answer may have."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer; header names in lower case."""

    headers: Mapping[str, str]
    body: bytes

    def object(self) -> dict[str, Any]:
        """The JSON object in the body. Raises ``ValueError`` when there is none."""
        try:
            value = cast("object", json.loads(self.body))
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if not isinstance(value, dict):
            raise ValueError("it is no JSON object")  # noqa: TRY004 - as the parser's own errors
        return cast("dict[str, Any]", value)


class ModelClient:
    """One conversation's requests to one provider; the key lives in here until ``close``.

    A redirect is a refusal, because following it would carry the key elsewhere. ``retry`` alone asks again. Proxies and
    certificates are those of the environment (``HTTPS_PROXY``, ``NO_PROXY``, ``SSL_CERT_FILE``).

    Args:
        provider: how the provider is spoken of, with the address.
        key: removed from what is said of a failure; ``None`` when there is none.
        headers: of each request to the provider's address, with the key.
        seconds: how long a request may be silent.
        too_long: raised for an answer of more bytes than may be; ``InvalidReply`` when left out.
        max_answer: bytes of an answer.

    """

    def __init__(
        self,
        provider: Provider,
        *,
        key: str | None,
        headers: Mapping[str, str],
        seconds: float,
        too_long: VaiderError | None = None,
        max_answer: int = MAX_ANSWER,
    ) -> None:
        self._provider = provider
        self._key = key or ""
        self._headers = dict(headers)
        self._too_long, self._max_answer = too_long, max_answer
        self._runner = asyncio.Runner()
        # A password in the address must not take the place of the key.
        auth = httpx2.Auth() if "authorization" in headers else None
        # These headers alone: what this machine is, is none of the provider's business.
        common = {"accept": "application/json", "user-agent": "vaider"}
        self._http = httpx2.AsyncClient(headers=common, auth=auth, timeout=seconds, follow_redirects=False)

    def close(self) -> None:
        """Close the connections."""
        self._runner.run(self._http.aclose())
        self._runner.close()

    def run(self, work: Coroutine[None, None, ResultT]) -> ResultT:
        """Do the work once, in the event loop of the connections."""
        return self._runner.run(work)

    def insist(self, call: Callable[[], Coroutine[None, None, ResultT]], patience: Patience) -> ResultT:
        """Do the call, again where that may help. Raises ``ProviderError``."""
        return self._runner.run(patience.insist(call, self._failure))

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> dict[str, Any]:
        """Send JSON, again where that may help, and return the JSON object of the answer. Raises ``ProviderError``."""

        async def call() -> dict[str, Any]:
            return (await self.send("POST", path, body=body)).object()

        return self.insist(call, patience)

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | Sequence[str] | None = None,
        content: AsyncIterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request.

        Args:
            method: e.g. ``POST``.
            path: below the provider's address; the key does not go to a whole address (one that a provider named).
            body: sent as JSON.
            content: sent as it is; ``headers`` tell its length.
            headers: further ones.

        Raises:
            Refused: the status is not 2xx.
            AnswerTooLong: the answer is longer than ``max_answer``.
            httpx2.RequestError: no whole answer came.

        """
        is_whole = "://" in path
        all_headers = {**({} if is_whole else self._headers), **(headers or {})}
        if body is not None:
            all_headers["content-type"] = "application/json"
        async with self._http.stream(
            method,
            path if is_whole else f"{self._provider.address}{path}",
            headers=all_headers,
            content=json.dumps(body).encode() if body is not None else content,
        ) as response:
            received = await self._read(response)
            if not response.is_success:
                raise Refused(read_refusal(response.status_code, received, response.headers.get("retry-after")))
            return Answer(response.headers, received)

    async def _read(self, response: httpx2.Response) -> bytes:
        """The body; of a refusal no more than ``max_answer`` bytes."""
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > self._max_answer:
                if response.is_success:
                    raise AnswerTooLong
                break
        return bytes(body)

    def _failure(self, error: Exception) -> Failure | None:
        """What an exception of a request means; ``None`` for what is none of a request."""
        if isinstance(error, Refused):
            return judge(error.refusal, self._provider, self._key)
        if isinstance(error, httpx2.TimeoutException):
            return judge(Refusal(None, code="timeout"), self._provider)
        if isinstance(error, httpx2.TransportError):
            return judge(Refusal(None, code="unreachable"), self._provider)
        if isinstance(error, AnswerTooLong) and self._too_long is not None:
            return Failure(self._too_long)
        if isinstance(error, (AnswerTooLong, httpx2.RequestError, httpx2.InvalidURL, KeyError, ValueError)):
            return Failure(self._provider.unlike())
        return None
