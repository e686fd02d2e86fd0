"""Vectors from a provider, by one plain request: a question waits for the answer, so nothing is tried twice."""

from __future__ import annotations

import json
import math
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, urlsplit

from adapters.embeddings.dialects import DIALECTS
from adapters.models.failures import Provider, Refusal, judge
from core.errors import InvalidCredentials, InvalidReply, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUESTION_SECONDS: Final = 3.0
"""Whoever asks waits no longer for it; the words alone answer then."""
TEXTS_SECONDS: Final = 30.0
_MOST_BYTES: Final = 64 * 1024 * 1024


class RemoteEmbeddings:
    """Implements ``core.recall.meaning.Embeddings``.

    Args:
        dialect: a name in ``DIALECTS``.
        address: of a server that speaks it; empty for the provider's own.
        model: empty for the dialect's.
        key: asked for when it is needed, kept no longer than a request; ``None`` of a server that needs none.
        missing: what to say when the provider's own server is to be asked without a key.

    """

    def __init__(self, dialect: str, *, address: str, model: str, key: Callable[[], str | None], missing: str) -> None:
        self._dialect = DIALECTS[dialect]
        self._is_own = not address
        self._model = model or self._dialect.model
        self._key = key
        self._missing = missing
        self._provider = Provider(
            title="The embeddings provider",
            address=(address or self._dialect.address).rstrip("/"),
            key_place="its key",
            model=self._model,
            model_setting="embeddings_model",
            url_setting="embeddings_base_url",
            lighter="ask with fewer words",
        )

    @property
    def model(self) -> str:
        """See the port."""
        return self._model

    @property
    def host(self) -> str:
        """See the port."""
        return urlsplit(self._provider.address).netloc.rpartition("@")[2]

    def embed(self, texts: Sequence[str], *, is_question: bool) -> Sequence[Sequence[float]]:
        """See the port. Raises ``ProviderError``."""
        key = self._key()
        if key is None and self._is_own:
            raise InvalidCredentials(self._missing)
        fault = self._provider.address_fault()
        if fault is not None:
            raise ProviderError(fault)
        headers = self._dialect.headers(key) if key else {}
        answer = self._posted(
            self._dialect.body(self._model, texts, is_question), headers, key, is_question=is_question
        )
        return self._read(answer, len(texts))

    def _posted(self, body: dict[str, Any], headers: dict[str, str], key: str | None, *, is_question: bool) -> bytes:
        import httpx2  # noqa: PLC0415 - only where it is switched on

        address = self._provider.address + self._dialect.path(quote(self._model, safe="-._"))
        try:
            answer = httpx2.post(
                address,
                json=body,
                headers=headers,
                timeout=QUESTION_SECONDS if is_question else TEXTS_SECONDS,
                follow_redirects=False,
            )
        except httpx2.TimeoutException as error:
            raise judge(Refusal(None, code="timeout"), self._provider).error from error
        except httpx2.HTTPError as error:
            raise judge(Refusal(None, code="unreachable"), self._provider).error from error
        if answer.status_code != HTTPStatus.OK:
            raise judge(_refusal(answer.status_code, answer.content), self._provider, key or "").error
        if len(answer.content) > _MOST_BYTES:
            raise self._no_vectors()
        return answer.content

    def _read(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            vectors = self._dialect.vectors(json.loads(answer))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._no_vectors() from error
        lengths = [math.sqrt(math.fsum(value * value for value in vector)) for vector in vectors]
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != count or len(sizes) != 1 or not all(math.isfinite(length) and length for length in lengths):
            raise self._no_vectors()
        # A vector that was cut to a lower dimension is not of length 1 any more.
        return [[value / length for value in vector] for vector, length in zip(vectors, lengths, strict=True)]

    def _no_vectors(self) -> InvalidReply:
        return InvalidReply(
            f"{self._provider.shown_address} did not answer with one vector for each text: check embeddings_model."
        )


def _refusal(status: int, body: bytes) -> Refusal:
    """Both dialects tell an error as ``{"error": {"message", "code" or "status" or "type"}}``."""
    try:
        told: object = json.loads(body[:100_000])
    except ValueError:
        told = None
    if isinstance(told, list) and told:
        told = cast("list[object]", told)[0]
    inner = cast("dict[str, Any]", told).get("error") if isinstance(told, dict) else None
    error = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    code = error.get("status") or error.get("code") or error.get("type") or ""
    return Refusal(status=status, code=str(code), message=str(error.get("message", "")))
