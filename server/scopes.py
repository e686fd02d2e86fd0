"""Which routes the bearer of a token may call: what is not named here as open is an administrator's alone."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.routing import Match, Route

from core.errors import NotFound
from core.tokens import Bearer, Scope
from server.http.errors import error_response, refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import HTTPConnection
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import Scope as Connection

LIVE: Final = "/health/live"
"""Open without a token where everybody needs one: it tells nothing but that something answers."""
BEARER: Final = "bearer"
"""Where a request's ASGI scope has in its ``state`` whose it is."""

READS: Final = frozenset(
    {
        *("/jobs", "/jobs/{job_id}", "/jobs/{job_id}/events", "/events"),
        *("/jobs/{job_id}/video", "/jobs/{job_id}/timeline.md", "/jobs/{job_id}/contact-sheet.jpg"),
        *("/jobs/{job_id}/frames/{name}", "/jobs/{job_id}/look", "/jobs/{job_id}/share"),
        *(
            "/health",
            "/health/live",
            "/health/ready",
            "/v1/health",
            "/docs",
            "/openapi.json",
            "/ui/sign-in",
            "/ui/assets/{made}/{name:path}",
        ),
    }
)
"""Of these ``GET`` is open to each token; of one job only to those that see it."""
FIGURES: Final = frozenset({"/metrics", "/retention"})
"""Of these ``GET`` is open to tokens that read: who submits sees its own jobs alone, and these tell of everybody's."""
SUBMITS: Final = frozenset(
    {
        *(("POST", "/analyse"), ("POST", "/v1/analyse"), ("POST", "/session")),
        *(("DELETE", "/jobs/{job_id}"), ("DELETE", "/jobs/{job_id}/video"), ("POST", "/jobs/{job_id}/verdicts")),
        ("POST", "/jobs/{job_id}/pin"),
    }
)
"""Open to tokens that submit."""
FARM_SUBMITS: Final = frozenset({("POST", "/uploads")})
"""Likewise; of a farm alone."""
PRIVATE: Final = (
    *(
        "/compare",
        "/replay",
        "/tasks",
        "/workflows",
        "/settings",
        "/clients",
        "/keys",
        "/memory",
        "/recorder",
        "/reload",
    ),
    *("/samples", "/doctor", "/session", "/ui", "/mcp"),
    *("/jobs/{job_id}/approvals", "/jobs/{job_id}/hold", "/jobs/{job_id}/resume", "/jobs/{job_id}/input"),
    *(
        "/jobs/{job_id}/screen.jpg",
        "/jobs/{job_id}/screenshots",
        "/jobs/{job_id}/report",
        "/jobs/{job_id}/comparison",
        "/jobs/{job_id}/again",
    ),
)
"""Where the paths begin that are an administrator's; a route that stands nowhere here fails a test."""


class ScopeRules:
    """Refuses what a token is not for.

    Args:
        routes: those of the app.
        sees: whether a bearer may know of a job.

    """

    def __init__(self, routes: Sequence[BaseRoute], sees: Callable[[Bearer, str], Awaitable[bool]]) -> None:
        self._routes = routes
        self._sees = sees

    async def refuse(self, bearer: Bearer, connection: Connection) -> Response | None:
        """The refusal of a request, if it is one of what its token is not for."""
        if bearer.scope is Scope.ADMIN:
            return None
        method = "GET" if connection["method"] == "HEAD" else connection["method"]
        for route in self._routes:
            if not isinstance(route, Route):
                continue
            match, child = route.matches({**connection, "method": method})
            if match is Match.FULL:
                if not allows(bearer.scope, method, route.path):
                    return _forbidden(bearer)
                job_id = child["path_params"].get("job_id")
                if route.path == "/events":
                    job_id = parse_qs(connection["query_string"].decode("latin-1")).get("job", [None])[-1]
                    if job_id is None:
                        return refusal(HTTPStatus.FORBIDDEN, "This token follows one job at a time: add ?job=<its id>.")
                if job_id is not None and not await self._sees(bearer, job_id):
                    return error_response(NotFound(f"There is no job {job_id!r}."))
                return None
        return None  # the app says that nothing is there


def allows(scope: Scope, method: str, path: str) -> bool:
    """Whether tokens of that scope may call the route of that path."""
    if scope is Scope.ADMIN or (method == "GET" and path in READS):
        return True
    if scope is Scope.READ:
        return method == "GET" and path in FIGURES
    return (method, path) in SUBMITS | FARM_SUBMITS


def is_private(path: str) -> bool:
    """Whether the route is named as an administrator's."""
    return path == "/" or any(path == start or path.startswith(f"{start}/") for start in PRIVATE)


def bearer_of(request: HTTPConnection) -> Bearer:
    """Who sent the request."""
    return getattr(request.state, BEARER, None) or Bearer()


def _forbidden(bearer: Bearer) -> Response:
    can = "submits videos and reads its own analyses" if bearer.scope is Scope.SUBMIT else "reads analyses"
    return refusal(
        HTTPStatus.FORBIDDEN, f"The token {bearer.name!r} {can}, no more; take one of another scope for this."
    )
