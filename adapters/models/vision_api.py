"""Chat completions of an OpenAI-compatible vision server. Imported only when they are used."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, cast

from adapters.models.api_formats import CHAT_PATH, bearer, read_completion
from adapters.models.failures import ANYTHING_ELSE, Provider, find_row
from adapters.models.http_client import ModelClient, Refused
from adapters.models.replies import FramesReply, Mend, Reply
from adapters.models.retry import Patience
from core.errors import InvalidReply

_FORM_REFUSED: Final = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}


class VisionSession:
    """One analysis' conversation with the server; the key lives in here until ``close``.

    Args:
        provider: how the server is spoken of, with the model's name and the address.
        key: ``None`` for a server that needs none; then no ``Authorization`` is sent.
        seconds: how long one request may be silent.
        patience: retries, and the job's ticks.

    """

    def __init__(self, provider: Provider, *, key: str | None, seconds: float, patience: Patience) -> None:
        self._provider = provider
        self._patience = patience
        self._client = ModelClient(provider, key=key, headers=bearer(key), seconds=seconds)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, messages: Sequence[dict[str, Any]], mend: Mend | None) -> Reply:
        """Ask for the schema's JSON, without the schema where the server refuses it. Raises ``ProviderError``."""
        talk = list(messages)
        if mend:
            talk += [{"role": "assistant", "content": mend.wrong}, {"role": "user", "content": mend.request}]
        schema = {"name": "answer", "strict": True, "schema": strict_schema(FramesReply.model_json_schema())}
        body = self._body(talk) | {"response_format": {"type": "json_schema", "json_schema": schema}}

        async def with_schema() -> dict[str, Any] | None:
            try:
                return (await self._client.send("POST", CHAT_PATH, body=body)).object()
            except Refused as error:
                if error.refusal.status in _FORM_REFUSED and find_row(error.refusal).name == ANYTHING_ELSE:
                    return None
                raise

        completion = self._client.insist(with_schema, self._patience)
        return self.ask_plainly(talk) if completion is None else self._read(completion)

    def ask_plainly(self, messages: Sequence[dict[str, Any]]) -> Reply:
        """Ask for words instead of JSON. Raises ``ProviderError``."""
        return self._read(self._client.post(CHAT_PATH, self._body(messages), self._patience))

    def _body(self, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"model": self._provider.model, "messages": list(messages)}

    def _read(self, completion: dict[str, Any]) -> Reply:
        provider = self._provider
        answer = read_completion(completion, provider)
        if answer.finish == "length":
            raise InvalidReply(
                f"The answer of {provider.model!r} became too long and was cut off: {provider.lighter}.",
                finish_reason=answer.finish,
            )
        answer.check_refusal(provider)
        if not answer.content.strip():
            raise InvalidReply(f"{provider.model!r} answered with nothing: try again, or use provider 'local'.")
        return Reply(text=answer.content, usage=answer.usage)


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
