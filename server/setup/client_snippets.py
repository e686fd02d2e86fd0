"""What people copy to connect an agent or a script to this daemon, from the templates of ``vaider init``."""

from __future__ import annotations

import json
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Literal, cast

from pydantic import BaseModel, Field

from server.setup.init import Wishes, clients, entry, written

if TYPE_CHECKING:
    from collections.abc import Iterator


class Snippet(BaseModel):
    """Something to copy."""

    name: str
    title: str
    note: str = Field(description="Where it goes.")
    language: Literal["json", "shell"]
    text: str


class Snippets(BaseModel):
    """All of them. No token is in any: where one is needed, they name the variable VAIDER_TOKEN."""

    url: str = Field(description="The daemon's address as the request had it.")
    token_needed: bool
    token_file: str = Field(description="Where the token stands.")
    snippets: list[Snippet]


def snippets(url: str, *, token_needed: bool) -> Iterator[Snippet]:
    """For each client its file's text, and commands.

    Args:
        url: the daemon's, without a slash at its end.
        token_needed: whether a request must carry the token.

    """
    wishes = Wishes(url=f"{url}/mcp", insists=True, token=token_needed)
    known = clients()
    for name, client in known.items():
        yield Snippet(
            name=name,
            title=client["title"],
            note=f"In {client['file']} of the project.",
            language="json",
            text=written(entry(client, wishes)),
        )
    first = next(iter(known.values()))
    yield Snippet(
        name="stdio",
        title="Without a daemon, over stdio",
        note="For any client that starts its servers itself.",
        language="json",
        text=written(entry(first, Wishes(url="", stdio=True))),
    )
    for name, command in _commands().items():
        token = Template(command.get("token", "")).substitute() if token_needed else ""
        yield Snippet(
            name=name,
            title=command["title"],
            note=command["note"],
            language="shell",
            text=Template(command["text"]).substitute(URL=url) + token,
        )


def _commands() -> dict[str, dict[str, str]]:
    text = resources.files("config").joinpath("clients", "shell.json").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, str]]", json.loads(text))
