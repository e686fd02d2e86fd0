"""``/settings``: every setting with where it comes from, and changing those that a page may change."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body

from core.errors import InvalidRequest
from server.http.bodies import JsonRoute
from server.http.errors import documented
from server.services import ServicesOf
from server.setup.configuration import AllSettings

router = APIRouter(prefix="/settings", tags=["settings"], route_class=JsonRoute)

Changes = Annotated[
    dict[str, Any],
    Body(
        description="Settings by their names; null = back to the default.",
        examples=[{"max_parallel_analyses": 4, "log_level": None}],
        json_schema_extra={"minProperties": 1},
    ),
]


@router.get(
    "", summary="Every setting: its value, where it comes from, whether it can be changed", responses=documented()
)
async def list_settings(services: ServicesOf) -> AllSettings:
    """Tell it."""
    return await asyncio.to_thread(services.configuration.all)


@router.patch(
    "",
    summary="Change settings in the user's file",
    description="All or none. In force at the next start; those marked `at_once` at once.",
    responses=documented(403, 409, 413, 415, 507),
)
async def change_settings(changes: Changes, services: ServicesOf) -> AllSettings:
    """Write them."""
    if not changes:
        raise InvalidRequest('Send {"name": value, …}, or null as a value for the default.')
    return await asyncio.to_thread(services.configuration.change, changes)
