"""The one error shape of the HTTP surface, the table from errors to statuses, and which methods a path takes."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.constants import REF_TEMPLATE
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import (
    CallerError,
    Cancelled,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    StorageFailed,
    Throttled,
    TimedOut,
    TooLarge,
    VaiderError,
)

WRITES: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose requests have a body, which says of what type it is."""


def methods_of(routes: Iterable[BaseRoute], scope: Scope) -> frozenset[str]:
    """The methods that the path of a request takes; none where nothing is there."""
    found: set[str] = set()
    for route in routes:
        if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE:
            # A route without methods takes them all.
            found |= {scope["method"]} if route.methods is None else route.methods
    return frozenset(found | {"HEAD"} if "GET" in found else found)


class HeadAsGet:
    """Answers ``HEAD`` with what ``GET`` would be answered with, but for the body; a stream ends at once.

    Args:
        app: answers ``GET``.

    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        ended = False

        async def send_head(message: Message) -> None:
            nonlocal ended
            if ended:
                return
            if message["type"] == "http.response.body":
                ended = True
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)


log = logging.getLogger("vaider.http")

_STATUS: Final[Mapping[type[VaiderError], HTTPStatus]] = {
    VaiderError: HTTPStatus.INTERNAL_SERVER_ERROR,
    CallerError: HTTPStatus.BAD_REQUEST,
    Forbidden: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    TimedOut: HTTPStatus.REQUEST_TIMEOUT,
    Conflict: HTTPStatus.CONFLICT,
    Cancelled: HTTPStatus.CONFLICT,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Throttled: HTTPStatus.TOO_MANY_REQUESTS,
    StorageFailed: HTTPStatus.INSUFFICIENT_STORAGE,
}
"""A kind that is missing has its parent's status."""

STOPPING: Final = "The daemon stops now; ask it again when it is back."

_HTTP_CODES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "forbidden",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
    HTTPStatus.MISDIRECTED_REQUEST: "forbidden",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
}
"""The codes of refusals that only HTTP knows."""


class ErrorBody(BaseModel):
    """What every failure is answered with; further fields tell more of some of them."""

    model_config = ConfigDict(extra="allow")

    error: str = Field(description="One sentence that says what to do.")
    code: str = Field(description="Stable and machine-readable, e.g. `invalid_path`.")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """``responses=`` of a route: the error shape under each of its statuses and under those that any route can have."""
    common = (400, 401, 403, 421, 500)
    # By reference: as a `model=`, FastAPI would build one and the same a hundred times over at each start.
    content = {"application/json": {"schema": {"$ref": REF_TEMPLATE.format(model=ErrorBody.__name__)}}}
    return {
        status: {"content": content, "description": HTTPStatus(status).phrase}
        for status in sorted({*common, *statuses})
    }


def status_of(code: str) -> int:
    """The status that an error code is answered with; 500 for an unknown one."""
    return _status_by_code().get(code, HTTPStatus.INTERNAL_SERVER_ERROR)


def error_response(error: VaiderError, *, status: int | None = None) -> JSONResponse:
    """The answer to a request that failed."""
    after = error.details.get("retry_after")
    headers = {} if after is None else {"Retry-After": str(after)}
    return shaped(status or status_of(error.code), error.to_json(), headers)


def failed_response(path: str, error: Exception) -> JSONResponse:
    """The answer to a request that failed; a failure that is not the caller's is logged, our own with its traceback."""
    if not isinstance(error, VaiderError):
        log.error("internal.error.unhandled", extra={"path": path}, exc_info=error)
        return unexpected()
    if status_of(error.code) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("request.failed", extra={"path": path, "code": error.code})
    return error_response(error)


def shaped(status: int, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer in the error shape; text that UTF-8 cannot hold is escaped, not a second failure."""
    clean = {name: _printable(value) if isinstance(value, str) else value for name, value in body.items()}
    return JSONResponse(clean, status_code=status, headers=dict(headers or {}))


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer in the error shape to what only HTTP knows."""
    return shaped(status, {"error": message, "code": _HTTP_CODES.get(status, "invalid_request")}, headers)


def unexpected() -> JSONResponse:
    """The answer when the fault is ours; what it was stands in the log alone."""
    message = "Vaider failed by a fault of its own; the daemon's log names it. Try again, or report it."
    return shaped(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": message, "code": VaiderError.code})


def stopping() -> JSONResponse:
    """The answer to what takes longer than a daemon that stops waits for."""
    return refusal(HTTPStatus.SERVICE_UNAVAILABLE, STOPPING)


def invalid(error: ValidationError, where: str) -> InvalidRequest:
    """The first fault that pydantic found, as a sentence that names the field."""
    first = error.errors(include_url=False, include_context=False)[0]
    return _fault(first["loc"], first["msg"], where)


def install(app: FastAPI) -> None:
    """Give every failure of the app the one shape."""

    async def on_vaider_error(request: Request, error: Exception) -> Response:
        return failed_response(request.url.path, error)

    async def on_invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class only
        faults = error.errors()
        # FastAPI says first which part of the request it is.
        part, *location = faults[0]["loc"]
        return error_response(_fault(location, faults[0]["msg"], "the body" if part == "body" else "the request"))

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class only
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            # Starlette names the methods of one route only.
            allowed = ", ".join(sorted(methods_of(app.router.routes, request.scope)))
            message = f"{request.url.path} does not take {request.method}, but {allowed}."
            return refusal(error.status_code, message, {"Allow": allowed})
        return refusal(error.status_code, _sentence(error, request), error.headers)

    async def on_anything(_: Request, __: Exception) -> Response:
        return unexpected()

    app.add_exception_handler(VaiderError, on_vaider_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_anything)


def _sentence(error: HTTPException, request: Request) -> str:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return f"There is nothing at {request.url.path}; /docs lists what there is."
    return error.detail


def _fault(location: Sequence[int | str], message: str, where: str) -> InvalidRequest:
    field = ".".join(map(str, location))
    what = f"{field!r} in {where}" if field else where.capitalize()
    return InvalidRequest(f"{what} does not fit: {message.removeprefix('Value error, ')}.", field=field or where)


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _status_by_code() -> dict[str, int]:
    return {kind.code: next(_STATUS[base] for base in kind.__mro__ if base in _STATUS) for kind in _kinds()}


def _kinds(root: type[VaiderError] = VaiderError) -> Iterator[type[VaiderError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)
