"""The video's page inside a client that speaks MCP Apps: one page, to which the client hands a tool's result."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mcp.server.apps import Apps

URI: Final = "ui://vaider/video"
META: Final[dict[str, Any]] = {"ui": {"resourceUri": URI}}
"""What a tool has whose result the page shows; a client that knows no apps passes over it."""


def video_page() -> Apps:
    """The extension that serves it; the page loads nothing, so it needs no other origin."""
    apps = Apps()
    html = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    apps.add_html_resource(URI, html, name="video_page", title="A video that was watched")
    return apps
