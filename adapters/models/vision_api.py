"""Talking to any OpenAI-compatible server with OpenAI's SDK. Imported only when it is used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import openai
from openai.types.chat import ChatCompletion

from adapters.models.asking import Reply
from adapters.models.bare_http import bare_http
from adapters.models.failures import ANYTHING_ELSE, Refusal, find_row, judge
from adapters.models.replies import FramesReply
from adapters.models.retry import Failure, parse_retry_after
from core.errors import InvalidReply

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from adapters.models.asking import Mend
    from adapters.models.failures import Provider
    from adapters.models.retry import Patience

_NO_KEY = "none"


class VisionSession:
    """One analysis' conversation with the server; the key lives in here until ``close``.

    Args:
        runner: the event loop that the conversation lives in, from its first request to ``close``.
        key: ``None`` for a server that needs none; then no ``Authorization`` is sent.
        provider: how the server is spoken of, with the model's name and the address.
        request_seconds: how long one request may be silent.
        patience: retries, and the job's ticks.

    """

    def __init__(
        self,
        *,
        runner: asyncio.Runner,
        key: str | None,
        provider: Provider,
        request_seconds: float,
        patience: Patience,
    ) -> None:
        self._runner = runner
        self._key = key
        self._provider = provider
        self._patience = patience
        self._http = bare_http(seconds=request_seconds, bearer=key)
        self._client = openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=provider.address,
            max_retries=0,
            timeout=request_seconds,
            http_client=self._http,
        )

    def close(self) -> None:
        """Hang up."""
        self._runner.run(self._http.aclose())

    def ask(self, messages: Sequence[dict[str, Any]], mend: Mend | None) -> Reply:
        """Ask for the schema's JSON, without the schema where the server refuses it. Raises ``ProviderError``."""
        talk = list(messages)
        if mend:
            talk += [{"role": "assistant", "content": mend.wrong}, {"role": "user", "content": mend.request}]
        return self._runner.run(self._ask(talk))

    def ask_plainly(self, messages: Sequence[dict[str, Any]]) -> Reply:
        """Ask for words instead of JSON. Raises ``ProviderError``."""

        async def ask() -> Reply:
            talk = list(messages)
            completion = await self._patience.insist(lambda: self._complete(talk, {}), self._translate)
            return _read(completion, self._provider)

        return self._runner.run(ask())

    async def _ask(self, talk: list[dict[str, Any]]) -> Reply:
        schema = {"name": "answer", "strict": True, "schema": strict_schema(FramesReply.model_json_schema())}
        forms: tuple[dict[str, Any], ...] = (
            {"response_format": {"type": "json_schema", "json_schema": schema}},
            {},
        )
        for form in forms:
            completion = await self._patience.insist(lambda form=form: self._complete(talk, form), self._translate)
            if completion is not None:
                return _read(completion, self._provider)
        raise InvalidReply(f"{self._provider.shown_address} refuses every form of answer: check vision_model.")

    async def _complete(self, talk: list[dict[str, Any]], form: dict[str, Any]) -> object:
        """One request; ``None`` when the server takes no ``response_format``."""
        create = cast("Any", self._client.chat.completions.create)
        try:
            return await create(model=self._provider.model, messages=talk, **form)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if form and find_row(read_refusal(error)).name == ANYTHING_ELSE:
                return None
            raise

    def _translate(self, error: Exception) -> Failure | None:
        refusal = refusal_of(error)
        if refusal is not None:
            return judge(refusal, self._provider, self._key or "")
        if isinstance(error, (openai.APIError, ValueError)):
            return Failure(_not_openai(self._provider))
        return None


def refusal_of(error: Exception) -> Refusal | None:
    """Read an error of the SDK, ``None`` for what the server did not refuse, or is none of it."""
    if isinstance(error, openai.APITimeoutError):
        return Refusal(None, code="timeout")
    if isinstance(error, openai.APIConnectionError):
        return Refusal(None, code="unreachable")
    return read_refusal(error) if isinstance(error, openai.APIStatusError) else None


def read_refusal(error: openai.APIStatusError) -> Refusal:
    """Read an error of the SDK. Google's endpoint wraps its own error format in a list."""
    body = cast("object", error.body)
    if isinstance(body, list) and body:
        body = cast("list[object]", body)[0]
    outer = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    inner = cast("object", outer.get("error", outer))
    told = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    headers = error.response.headers
    return Refusal(
        status=error.status_code,
        code=str(told.get("code") or told.get("status") or told.get("type") or ""),
        message=str(told.get("message") or (inner if isinstance(inner, str) else "")),
        after_seconds=parse_retry_after(headers.get("retry-after"), lambda: datetime.now(UTC)),
    )


def strict_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema as OpenAI's strict mode wants it: no object takes further properties."""

    def walk(value: object) -> object:
        if isinstance(value, list):
            return [walk(inner) for inner in cast("list[object]", value)]
        if not isinstance(value, dict):
            return value
        walked = {key: walk(inner) for key, inner in cast("dict[str, object]", value).items()}
        return {**walked, "additionalProperties": False} if walked.get("type") == "object" else walked

    return cast("dict[str, Any]", walk(schema))


def _read(completion: object, provider: Provider) -> Reply:
    # A proxy's page comes back from the SDK as a string, and half a completion with None in it.
    if not isinstance(completion, ChatCompletion) or not cast("list[object] | None", completion.choices):
        raise _not_openai(provider)
    choice = completion.choices[0]
    if choice.finish_reason == "length":
        raise InvalidReply(
            f"The answer of {provider.model!r} became too long and was cut off: {provider.lighter}.",
            finish_reason=choice.finish_reason,
        )
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        raise InvalidReply(
            f"{provider.model!r} withheld its answer: set {provider.model_setting} to another model, "
            "or use provider 'local'.",
            finish_reason=choice.finish_reason,
        )
    text = choice.message.content or ""
    if not text.strip():
        raise InvalidReply(f"{provider.model!r} answered with nothing: try again, or use provider 'local'.")
    spent = completion.usage.model_dump() if completion.usage else {}
    return Reply(text=text, usage={name: count for name, count in spent.items() if isinstance(count, int)})


def _not_openai(provider: Provider) -> InvalidReply:
    return InvalidReply(
        f"{provider.shown_address} does not answer like an OpenAI-compatible server: check vision_base_url."
    )
