"""An HTTP client that tells a model's server what it needs to know, and nothing of this machine. Imported when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx2

if TYPE_CHECKING:
    from collections.abc import Collection

RAW: Final = "x-stainless-raw-response"
"""By this the SDKs themselves know, when the answer comes, that its body is to be left unread."""
_NEEDED: Final = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent")
)


def bare_http(*, seconds: float, also: Collection[str] = (), bearer: str | None = None) -> httpx2.AsyncClient:
    """A client for an SDK, which strips what that adds.

    They add what ``OPENAI_ORG_ID``, ``ANTHROPIC_CUSTOM_HEADERS`` and the like say, and what machine this is. None of it
    is the business of the server that the user named.

    Args:
        seconds: how long a request may be silent.
        also: the headers that may go out beside those that each request needs.
        bearer: a key to send in the header that is made for it; without one that header must be in ``also`` to go out.

    """
    kept = _NEEDED.union(also)

    async def strip(request: httpx2.Request) -> None:
        for name in set(request.headers) - kept:
            del request.headers[name]
        if bearer:
            request.headers["authorization"] = f"Bearer {bearer}"

    return httpx2.AsyncClient(event_hooks={"request": [strip]}, timeout=seconds)
