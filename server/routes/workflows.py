"""``/workflows``: what can be replayed, with which parameters; taken in and handed on as zip files."""

import asyncio
import functools
from pathlib import Path as FilePath
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field, StrictBool, StrictStr, ValidationError

from core.errors import naming_only
from server.http.bodies import JsonBody
from server.http.errors import documented, invalid
from server.presenters import ActiveJob, Activity, Added, WorkflowAnswer, WorkflowShelf, WorkflowSummary
from server.services import ServicesOf
from storage.workflows.packages import MAX_ALL, import_workflow, pack_workflow

router = APIRouter(prefix="/workflows", tags=["workflows"])

_NOW: Final = "What carries it out now, or waits to."
Name = Annotated[str, Path(min_length=1, max_length=100, description="A workflow's name.")]


class ListedWorkflow(WorkflowSummary):
    """One workflow in a list, with what it does just now."""

    jobs: list[ActiveJob] = Field(description=_NOW)


class ListedWorkflows(BaseModel):
    """All workflows, by name."""

    workflows: list[ListedWorkflow]


class WorkflowView(WorkflowAnswer):
    """One workflow whole, with what it does just now."""

    jobs: list[ActiveJob] = Field(description=_NOW)


class Importing(JsonBody):
    """How a workflow that comes from elsewhere is kept."""

    name: Annotated[StrictStr, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Another name than the file's."
    )
    force: StrictBool = Field(
        default=False, description="Replace a workflow of that name; the old one is kept as a backup."
    )


_FORM: Final = {
    "type": "object",
    "required": ["workflow"],
    "additionalProperties": False,
    "properties": {
        "workflow": {
            "type": "string",
            "format": "binary",
            "description": "A zip file with a `schema.json`, as `GET /workflows/{name}/export` gives it.",
        },
        "metadata": {"type": "string", "description": "JSON: `name`, `force`.", "example": '{"name": "parcel-form"}'},
    },
}
_BODY: Final[dict[str, Any]] = {
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}
}


@router.get(
    "",
    summary="List workflows",
    description="Those of `<data_dir>/workflows`, `workflow_dirs` and `./workflows`, invalid ones too.",
    responses=documented(507),
)
async def list_workflows(services: ServicesOf) -> ListedWorkflows:
    activity = await Activity.now(services.jobs)
    found = await asyncio.to_thread(WorkflowShelf.of(services.settings).summaries)
    listed = [ListedWorkflow(**dict(each), jobs=activity.of_workflow(each.folder)) for each in found.workflows]
    return ListedWorkflows(workflows=listed)


@router.post(
    "/import",
    status_code=201,
    summary="Take in a workflow",
    description="Whole or not at all: it is validated before it gets its place.",
    responses=documented(404, 409, 413, 415, 507),
    openapi_extra=_BODY,
)
async def import_package(request: Request, services: ServicesOf) -> Added:
    upload = await services.uploads.receive(request, part="workflow", max_bytes=MAX_ALL)
    try:
        wanted = Importing.model_validate(upload.metadata)
        root = services.settings.workflow_roots[0]
        with naming_only([str(upload.path)]):
            imported = functools.partial(import_workflow, upload.path, root, name=wanted.name, force=wanted.force)
            return Added.of(await asyncio.to_thread(imported))
    except ValidationError as error:
        raise invalid(error, "metadata") from None
    finally:
        services.uploads.discard(upload.path)


@router.get(
    "/{name}",
    summary="A workflow, its parameters and its last run",
    description="No example of a sensitive parameter is in the answer.",
    responses=documented(404, 507),
)
async def get_workflow(name: Name, services: ServicesOf) -> WorkflowView:
    answer = await asyncio.to_thread(WorkflowShelf.of(services.settings).named, name)
    activity = await Activity.now(services.jobs)
    return WorkflowView(**dict(answer), jobs=activity.of_workflow(answer.folder))


@router.get(
    "/{name}/export",
    summary="A workflow as a zip file",
    description="Without its runs and the examples of sensitive parameters.",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}, "description": "The file"}, **documented(404, 413, 507)},
)
async def export_workflow(name: Name, services: ServicesOf) -> Response:

    def pack() -> tuple[str, bytes]:
        answer = WorkflowShelf.of(services.settings).named(name)
        return answer.name, pack_workflow(FilePath(answer.folder)).content

    found, content = await asyncio.to_thread(pack)
    # The name may hold letters that a header cannot.
    disposition = f"attachment; filename*=UTF-8''{quote(found, safe='')}.zip"
    return Response(content, media_type="application/zip", headers={"Content-Disposition": disposition})
