"""``GET /metrics``: how the server does, for Prometheus."""

import asyncio
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response

from server.http.errors import documented
from server.metrics import CONTENT_TYPE
from server.services import ServicesOf

router = APIRouter(tags=["health"])

_TEXT: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Prometheus' text format.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.get(
    "/metrics",
    summary="How the server does, for Prometheus",
    description="Jobs that wait, the age of the oldest, slots, states, how long jobs waited and took, requests. "
    "Open to tokens of scope `read`.",
    response_class=Response,
    responses={**_TEXT, **documented(507)},
)
async def metrics(services: ServicesOf) -> Response:
    """Look it up."""
    slots = await services.slots()
    return Response(await asyncio.to_thread(services.metrics.text, slots), media_type=CONTENT_TYPE)
