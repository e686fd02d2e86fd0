"""Where the tagged format is spoken: the providers that ``REPLAY_PROVIDER`` names, with the addresses of their APIs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from adapters.key_kinds import DASHSCOPE, GEMINI, OPENAI, REPLAY
from core.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TaggedProvider:
    """One OpenAI-compatible API."""

    title: str
    base_url: str
    """Empty when the user names it."""
    key: str
    """The key's name in ``adapters.key_kinds``."""
    example: str
    """A model of it."""
    needs_key: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of each request."""


# Without it DashScope shrinks a picture to about a megapixel, in which small text is lost.
_DASHSCOPE: Final = TaggedProvider(
    title="DashScope",
    base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    key=DASHSCOPE,
    example="qwen3-vl-plus",
    extra={"vl_high_resolution_images": True},
)

TAGGED_PROVIDERS: Final[Mapping[str, TaggedProvider]] = {
    "openai": TaggedProvider(
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key=OPENAI,
        example="gpt-5.4",
    ),
    "gemini": TaggedProvider(
        title="Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key=GEMINI,
        example="gemini-3.8-flash",
    ),
    "dashscope": _DASHSCOPE,
    "qwen": _DASHSCOPE,
    "custom": TaggedProvider(
        title="The model server",
        base_url="",
        key=REPLAY,
        example="qwen3-vl:8b",
        needs_key=False,
    ),
}
"""By the words of ``REPLAY_PROVIDER``; the format's document says ``dashscope``, its first code said ``qwen``."""


def find_tagged_provider(name: str) -> TaggedProvider:
    """The provider of that name. Raises ``InvalidSetting`` that names them all."""
    provider = TAGGED_PROVIDERS.get(name.strip().lower())
    if provider is None:
        raise InvalidSetting(f"There is no REPLAY_PROVIDER {name[:80]!r}; there are: {', '.join(TAGGED_PROVIDERS)}.")
    return provider
