"""What a model reads when a tool call fails: one sentence and a stable code."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from mcp.types import CallToolResult, TextContent

from core.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pydantic import ValidationError

    from core.errors import VaiderError

_ALIKE: Final = 0.75
"""A misspelt argument is at least so similar to what was meant; "video" and "provider" are not."""


def failure(error: VaiderError) -> CallToolResult:
    """The ``isError`` result for an error of ours."""
    return said(error.message, error.code)


def failure_of_job(error: Mapping[str, Any] | None, job_id: str) -> CallToolResult:
    """The ``isError`` result for a job that ended without an answer; ``error`` is its error shape."""
    shape = error or {}
    sentence = str(shape.get("error", "The job ended without an answer."))
    return said(f"{sentence} Job {job_id}.", str(shape.get("code", "internal_error")))


def said(sentence: str, code: str) -> CallToolResult:
    """An ``isError`` result; no structured content, which clients would hold against the tool's output schema."""
    return CallToolResult(content=[TextContent(type="text", text=f"{sentence} (code: {code})")], is_error=True)


def unknown_argument(tool: str, given: Collection[str], schema: Mapping[str, Any]) -> CallToolResult | None:
    """The refusal of the first argument that the tool does not have, ``None`` when it has them all.

    Args:
        tool: its name.
        given: the names of the arguments.
        schema: the tool's input schema.

    """
    names = list(schema.get("properties", {}))
    missing = [name for name in schema.get("required", ()) if name not in given]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=_ALIKE)
            # Where the only argument that must be given is not, another name was given to it.
            meant = near or (missing if len(missing) == 1 else [])
            hint = f"Did you mean {meant[0]!r}?" if meant else f"It takes: {', '.join(names)}."
            return said(f"{tool} has no argument {name[:80]!r}. {hint}", "invalid_request")
    return None


def unfit_arguments(tool: str, error: ValidationError) -> CallToolResult:
    """The refusal of arguments that do not fit the tool's input schema, without the values that were given."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)[:3]
    ]
    return said(f"Arguments of {tool} do not fit: {'; '.join(faults)}.", "invalid_request")


def unknown_tool(tool: str, known: Iterable[str]) -> CallToolResult:
    """The refusal of a call to a tool that is not there."""
    return said(f"There is no tool {tool[:80]!r}. {did_you_mean(tool, known)}", "not_found")
