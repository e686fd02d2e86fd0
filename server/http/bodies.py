"""JSON that strangers send: bounded in size and depth before anything looks at it."""

import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any, Final, cast

from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from core.errors import InvalidRequest, TooLarge

MAX_JSON_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 32


async def read_json(request: Request) -> dict[str, Any]:
    """The request's body, a JSON object.

    Raises:
        TooLarge: over ``MAX_JSON_BYTES``; what is beyond them is not read.
        InvalidRequest: no JSON object in UTF-8, or nested too deep.

    """
    return await JsonRequest(request.scope, request.receive).json()


class JsonBody(BaseModel):
    """A JSON body without other fields than its own."""

    model_config = ConfigDict(extra="forbid")


class Nothing(JsonBody):
    """An empty object: ``{}``."""


class JsonRequest(Request):
    """A request whose JSON is bounded, and stricter than Python's: see ``parse_object``."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Receive the body. Raises ``TooLarge`` over ``MAX_JSON_BYTES``; what is beyond them is not read."""
        size = 0
        async for chunk in super().stream():
            size += len(chunk)
            if size > MAX_JSON_BYTES:
                raise TooLarge(f"The JSON body is over {MAX_JSON_BYTES} bytes; send less.", limit=MAX_JSON_BYTES)
            yield chunk

    async def json(self) -> dict[str, Any]:
        """Parse the body. Raises ``InvalidRequest``."""
        if not hasattr(self, "_json"):
            self._json = parse_object(await self.body(), "The body")
        return self._json


class JsonRoute(APIRoute):
    """A route whose body, where it declares one, is a ``JsonRequest``'s."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, given a ``JsonRequest``."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def handle_json(request: Request) -> Response:
            known = JsonRequest(request.scope, request.receive)
            # Here and not in FastAPI, which answers each failure to parse with one and the same sentence.
            await known.json()
            return await handle(known)

        return handle_json


def parse_object(text: bytes, what: str) -> dict[str, Any]:
    """A JSON object of bounded depth that can be written as UTF-8 again; ``what`` begins the refusals.

    Raises:
        InvalidRequest: it is anything else.

    """
    try:
        value = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
        # What the parser lets through and no answer could hold: lone surrogates.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeError:
        raise InvalidRequest(f"{what} is not UTF-8; send JSON in UTF-8.") from None
    except json.JSONDecodeError as error:
        message = f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise InvalidRequest(message) from None
    except RecursionError:
        raise InvalidRequest(_too_deep(what)) from None
    except ValueError:
        raise InvalidRequest(f"{what} holds a number that JSON does not know, or one far too long.") from None
    if not isinstance(value, dict):
        raise InvalidRequest(f'{what} must be a JSON object, like {{"expectations": ["\\"Saved\\" is shown"]}}.')
    known = cast("dict[str, Any]", value)
    if _is_deeper(known, MAX_DEPTH):
        raise InvalidRequest(_too_deep(what))
    return known


def _too_deep(what: str) -> str:
    return f"{what} is nested deeper than {MAX_DEPTH} levels; flatten it."


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [child for item in layer for child in _children(item)]
        if not layer:
            return False
    return True


def _children(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(cast("dict[str, Any]", item).values())
    return cast("list[Any]", item) if isinstance(item, list) else []


def _no_number(value: object) -> object:
    """Refuse numbers, which pydantic would take for seconds since 1970."""
    try:
        float(value)  # pyright: ignore[reportArgumentType] - what is no number raises
    except (TypeError, ValueError):
        return value
    raise ValueError("Give a moment as ISO 8601, e.g. 2026-11-22T09:00:00+00:00")


Moment = Annotated[datetime, BeforeValidator(_no_number)]
"""A date and time in ISO 8601."""
