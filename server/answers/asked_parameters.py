"""What a person or a program is asked before a run: the parameters of a task or a workflow, no secret among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.workflows.workflow import Parameter


class AskedParameter(BaseModel):
    """One value that may be given."""

    name: str
    type: str
    description: str
    example: str | None = Field(description="Its default; null when it has none, or when that is sensitive.")
    sensitive: bool = Field(description="Whether it is kept in memory alone, and masked wherever it would be seen.")
    optional: bool
    needed: bool = Field(description="Whether no run begins without it: it has no default and is not optional.")


def asked_parameters(parameters: Iterable[Parameter]) -> list[AskedParameter]:
    """The parameters in their order, without the defaults of sensitive ones."""
    return [
        AskedParameter(
            name=each.name,
            type=each.type,
            description=each.description,
            example=None if each.sensitive else each.example,
            sensitive=each.sensitive,
            optional=each.optional,
            needed=each.example is None and not each.optional,
        )
        for each in parameters
    ]
