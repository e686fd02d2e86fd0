"""Puts a tool on the server, with the hints by which a client decides whether to ask the user first."""

from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations


def add_tool(
    server: MCPServer,
    tool: Callable[..., Any],
    title: str,
    description: str,
    *,
    reads: bool = False,
    acts: bool = False,
    far: bool = False,
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

    """
    hints = ToolAnnotations(read_only_hint=reads, destructive_hint=acts, idempotent_hint=not acts, open_world_hint=far)
    server.add_tool(tool, title=title, description=description, annotations=hints)
