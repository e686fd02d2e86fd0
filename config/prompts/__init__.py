"""Prompt folders: ``<name>/prompt.md`` is the text, ``config.yaml`` its version and the model it was written for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, cast

import yaml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class PromptError(ValueError):
    """A prompt folder is incomplete; the message names the file and the missing key."""


@dataclass(frozen=True)
class Prompt:
    """One prompt: its text and what its ``config.yaml`` says."""

    name: str
    text: str
    version: str
    llm: str


def load_prompt(name: str, root: Traversable | None = None) -> Prompt:
    """Read one prompt folder, ours or one below ``root``. Raises ``PromptError`` when a file or a key is missing."""
    folder = (root or resources.files("config.prompts")).joinpath(name)
    try:
        text = folder.joinpath("prompt.md").read_text(encoding="utf-8")
        config = yaml.safe_load(folder.joinpath("config.yaml").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise PromptError(f"Prompt {name!r} lacks its file {error.filename}.") from None
    keys = cast("dict[str, object]", config) if isinstance(config, dict) else {}
    for key in ("version", "llm"):
        if key not in keys:
            raise PromptError(f"config.yaml of prompt {name!r} lacks the key {key!r}.")
    return Prompt(name=name, text=text, version=str(keys["version"]), llm=str(keys["llm"]))
