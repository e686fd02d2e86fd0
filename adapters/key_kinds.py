"""The keys there are: whose, where people get them, what they add, and the one sentence for a missing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

GEMINI: Final = "gemini"
VISION: Final = "vision"
DASHSCOPE: Final = "dashscope"
REPLAY: Final = "replay"
"""Of a model server of the user's own, for ``REPLAY_PROVIDER=custom``."""
MEMORIES: Final = "memories"
ANTHROPIC: Final = "anthropic"
OPENAI: Final = "openai"


@dataclass(frozen=True, slots=True)
class KeyKind:
    """One provider's key."""

    title: str
    variables: tuple[str, ...]
    """The environment variables it is looked for in, the first one wins."""
    page: str
    """Where people make one; empty for servers of their own."""
    adds: str
    """What it is good for, as the end of a sentence."""
    required: bool = True
    """Whether nothing works with the provider without it."""


KEY_KINDS: Final[Mapping[str, KeyKind]] = {
    GEMINI: KeyKind(
        title="Gemini",
        variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        page="https://aistudio.google.com/apikey",
        adds="Gemini watches videos, writes tasks from recordings and decides in runs",
    ),
    VISION: KeyKind(
        title="The vision model",
        variables=("VAIDER_VISION_API_KEY",),
        page="",
        adds="a server of your own (vision_base_url) watches videos",
        required=False,
    ),
    DASHSCOPE: KeyKind(
        title="DashScope",
        variables=("DASHSCOPE_API_KEY",),
        page="https://modelstudio.console.alibabacloud.com/?tab=model#/api-key",
        adds="Qwen's models decide in runs (REPLAY_PROVIDER=dashscope)",
    ),
    REPLAY: KeyKind(
        title="The model server",
        variables=("VAIDER_REPLAY_API_KEY",),
        page="",
        adds="a server of your own decides in runs (REPLAY_PROVIDER=custom)",
        required=False,
    ),
    MEMORIES: KeyKind(
        title="Memories.ai",
        variables=("VAIDER_MEMORIES_API_KEY", "MEMORIES_API_KEY"),
        page="https://memories.ai/app/service/key",
        adds="Memories.ai keeps recorded segments and helps to recall (memory_refiner)",
    ),
    ANTHROPIC: KeyKind(
        title="Anthropic",
        variables=("ANTHROPIC_API_KEY",),
        page="https://console.anthropic.com/settings/keys",
        adds="Claude decides in runs",
    ),
    OPENAI: KeyKind(
        title="OpenAI",
        variables=("OPENAI_API_KEY",),
        page="https://platform.openai.com/api-keys",
        adds="OpenAI's models decide in runs, and watch videos where vision_base_url is OpenAI's",
    ),
}
ASKED_FOR: Final = (GEMINI, OPENAI, ANTHROPIC, DASHSCOPE)
"""What ``vaider keys setup`` asks for, in this order."""
WITHOUT: Final = "the provider local needs none and works offline"


def missing_key(name: str) -> str:
    """The sentence for whoever uses that provider without its key: which one, where to get it, what works without."""
    kind = KEY_KINDS[name]
    where = f"make one at {kind.page}, then run" if kind.page else "run"
    variables = " or ".join(kind.variables)
    return f"{kind.title} needs a key: {where} `vaider keys set {name}` or set {variables}; {WITHOUT}."
