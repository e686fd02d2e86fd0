"""The HTTP surface: routes, error shape, documentation and guard, put together."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from server import docs_page, errors
from server.routes import analysis, events, health, jobs
from server.security import Guard

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mcp.server import MCPServer

    from server.services import Services

SUMMARY = "Watches screen recordings and says, with timestamps and evidence, what happened and whether it was right."


def create_app(
    services: Services, *, hosts: frozenset[str], token: str | None = None, mcp: MCPServer[Any] | None = None
) -> Guard:
    """The guarded application; one per ``services``, since MCP sessions start and stop with it.

    Args:
        services: what the routes work with.
        hosts: the names that requests may be addressed to.
        token: what every request must carry, when others than this machine can connect.
        mcp: served at ``/mcp``.

    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(services.drop_chores)
            if mcp is not None:
                await stack.enter_async_context(mcp.session_manager.run())
            yield

    app = FastAPI(
        title="Vaider",
        version=services.version,
        summary=SUMMARY,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.services = services
    errors.install(app)
    for routes in (analysis, jobs, events, health, docs_page):
        app.include_router(routes.router)
    if mcp is not None:
        # The routes themselves, not a mount: a mount at "/" would answer unknown paths in another shape than ours.
        # The guard has checked Host and Origin already, with this daemon's own list.
        app.router.routes.extend(mcp.streamable_http_app(transport_security=_unguarded()).routes)
    docs_page.tidy_openapi(app)
    return Guard(app, hosts=hosts, token=token)


def _unguarded() -> Any:
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - only where MCP is served

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)
