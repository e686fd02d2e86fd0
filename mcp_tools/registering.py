"""Puts a tool on the server, with the hints by which a client decides whether to ask the user first."""

from collections.abc import Callable, Mapping
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

_UNTOLD = frozenset({"title", "maxLength", "minLength"})
"""What a model need not read: it is checked all the same."""


def short_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The input schema as a model reads it: every session pays for each of its words."""
    found: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            found[name] = {field: _short_field(part) for field, part in value.items()}
        elif name not in _UNTOLD:
            found[name] = value
    return found


def _short_field(part: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: value for name, value in part.items() if name not in _UNTOLD}
    if "anyOf" in found:
        kinds = [_short_field(kind) for kind in found.pop("anyOf") if kind.get("type") != "null"]
        plain = all(kind.keys() == {"type"} for kind in kinds)
        if plain:
            names = [kind["type"] for kind in kinds]
            found = {"type": names[0] if len(names) == 1 else names, **found}
        else:
            found = {**kinds[0], **found} if len(kinds) == 1 else {"anyOf": kinds, **found}
    if found.get("default", ...) is None:
        del found["default"]
    if "items" in found:
        found["items"] = _short_field(found["items"])
    if "prefixItems" in found:
        found["items"] = _short_field(found.pop("prefixItems")[0])
    if isinstance(found.get("additionalProperties"), dict):
        found["additionalProperties"] = _short_field(found["additionalProperties"])
    return found


def add_tool(
    server: MCPServer,
    tool: Callable[..., Any],
    title: str,
    description: str,
    *,
    reads: bool = False,
    acts: bool = False,
    far: bool = False,
    meta: dict[str, Any] | None = None,
) -> None:
    """Put the tool on the server.

    Args:
        server: gets the tool.
        tool: answers its calls.
        title: for people.
        description: for models.
        reads: it changes nothing at all.
        acts: it acts on the desktop, so another call does it again.
        far: it may reach beyond this machine.
        meta: what a client may know besides, such as the page that shows the result.

    """
    # What only reads can neither destroy nor differ when it is done twice: the protocol lets those hints out then.
    hints = ToolAnnotations(
        read_only_hint=reads, destructive_hint=None if reads else acts, idempotent_hint=None, open_world_hint=far
    )
    server.add_tool(tool, title=title, description=description, annotations=hints, structured_output=False, meta=meta)
