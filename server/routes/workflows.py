"""``/workflows``: what can be replayed, with which parameters."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path

from server.errors import documented
from server.services import ServicesOf
from server.workflow_answers import WorkflowAnswer, WorkflowList, WorkflowShelf

router = APIRouter(prefix="/workflows", tags=["workflows"])


@router.get(
    "",
    summary="List workflows",
    description="Those of `<data_dir>/workflows`, `workflow_dirs` and `./workflows`, invalid ones too.",
    responses=documented(),
)
async def list_workflows(services: ServicesOf) -> WorkflowList:
    """List them."""
    return await asyncio.to_thread(WorkflowShelf.of(services.settings).summaries)


@router.get(
    "/{name}",
    summary="A workflow, its parameters and its last run",
    description="No example of a sensitive parameter is in the answer.",
    responses=documented(404),
)
async def get_workflow(
    name: Annotated[str, Path(min_length=1, max_length=100, description="A workflow's name.")], services: ServicesOf
) -> WorkflowAnswer:
    """Look it up."""
    return await asyncio.to_thread(WorkflowShelf.of(services.settings).named, name)
