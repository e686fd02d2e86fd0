"""Which methods a path takes; ``HEAD`` is answered wherever ``GET`` is, without a body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.routing import Match, Route

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
