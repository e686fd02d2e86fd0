"""The HTTP surface: routes, error shape, documentation and guard, put together."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from starlette.routing import Route

from server.http import docs_page, errors
from server.http.errors import HeadAsGet
from server.routes import (
    analysis,
    comparing,
    dashboard,
    health,
    jobs,
    learning,
    looking,
    memory,
    metrics,
    plans,
    recorder,
    reload,
    replay,
    retention,
    runs,
    samples,
    setup,
    share,
    tasks,
    video,
    workflows,
)
from server.scopes import ScopeRules
from server.security import Access, Guard

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from starlette.routing import BaseRoute

    from server.identity import Credentials
    from server.mcp_route import McpRoute
    from server.services import Services

ROUTES: Final = (
    analysis, comparing, replay, learning, tasks, plans, workflows, jobs, retention, runs, video, looking, share, setup,
    memory, recorder, reload, samples, health, metrics, dashboard, docs_page,
)  # fmt: skip
"""In the order of the documentation."""
SUMMARY = "Watches screen recordings and says, with timestamps and evidence, what happened and whether it was right."


def create_app(
    services: Services,
    *,
    hosts: frozenset[str],
    credentials: Credentials,
    access: Access,
    mcp: McpRoute | None = None,
    routes: Sequence[BaseRoute] | None = None,
) -> Guard:
    """The guarded application; one per ``services``, since MCP sessions start and stop with it.

    Args:
        services: what the routes work with.
        hosts: the names that requests may be addressed to.
        credentials: by which pages of ours are known.
        access: whose requests must carry the token.
        mcp: served at ``/mcp``.
        routes: those to serve instead of all.

    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(services.drop_chores)
            if mcp is not None:
                await stack.enter_async_context(mcp.running())
            yield

    app = FastAPI(
        title="Vaider",
        version=services.version,
        summary=SUMMARY,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.state.services = services
    app.state.credentials = credentials
    errors.install(app)
    # As they are: `include_router` would build each of them once more with the first request.
    app.router.routes.extend(routes or [route for each in ROUTES for route in each.router.routes])
    if mcp is not None:
        # A route, not a mount: a mount at "/" would answer unknown paths in another shape than ours.
        app.router.routes.append(Route("/mcp", mcp, include_in_schema=False))
    docs_page.tidy_openapi(app)
    guarded = HeadAsGet(app)
    return Guard(
        guarded,
        hosts=hosts,
        credentials=credentials,
        access=access,
        routes=app.router.routes,
        tokens=services.tokens,
        rules=ScopeRules(app.router.routes, services.sees),
        requests=services.requests,
    )
