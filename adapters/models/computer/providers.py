"""The providers that speak the tagged format, with the addresses of their APIs; and what models certainly cost."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from adapters.keys import DASHSCOPE, GEMINI, OPENAI, REPLAY
from core.errors import InvalidSetting


@dataclass(frozen=True, slots=True)
class OpenAiCompatibleProvider:
    """One OpenAI-compatible API."""

    title: str
    base_url: str
    """Empty when the user names it."""
    key: str
    """The key's name in ``adapters.keys``."""
    example: str
    """A model of it."""
    needs_key: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of each request."""


# Without it DashScope shrinks a picture to about a megapixel, in which small text is lost.
_DASHSCOPE: Final = OpenAiCompatibleProvider(
    title="DashScope",
    base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    key=DASHSCOPE,
    example="qwen3-vl-plus",
    extra={"vl_high_resolution_images": True},
)

CUSTOM: Final = OpenAiCompatibleProvider(
    title="The model server",
    base_url="",
    key=REPLAY,
    example="qwen3-vl:8b",
    needs_key=False,
)

OPENAI_COMPATIBLE_PROVIDERS: Final[Mapping[str, OpenAiCompatibleProvider]] = {
    "openai": OpenAiCompatibleProvider(
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key=OPENAI,
        example="gpt-5.4",
    ),
    "gemini": OpenAiCompatibleProvider(
        title="Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key=GEMINI,
        example="gemini-3.8-flash",
    ),
    "dashscope": _DASHSCOPE,
    "qwen": _DASHSCOPE,
    "custom": CUSTOM,
}
"""By the words of ``REPLAY_PROVIDER``; the format's document says ``dashscope``, its first code said ``qwen``."""


def find_openai_compatible_provider(name: str) -> OpenAiCompatibleProvider:
    """The provider of that name. Raises ``InvalidSetting`` that names them all."""
    provider = OPENAI_COMPATIBLE_PROVIDERS.get(name.strip().lower())
    if provider is None:
        names = ", ".join(OPENAI_COMPATIBLE_PROVIDERS)
        raise InvalidSetting(f"There is no REPLAY_PROVIDER {name[:80]!r}; there are: {names}.")
    return provider


_MILLION: Final = 1_000_000
_DATED: Final = re.compile(r"-\d{8}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input_usd: float
    output_usd: float


_PRICES: Final = {"claude-opus-4-6": Price(5, 25)}


def price(model: str) -> Price | None:
    """The price of a model by its name, with a date or without; ``None`` when it is not certain."""
    return _PRICES.get(_DATED.sub("", model))


def cost(model: str, usage: Mapping[str, int]) -> float | None:
    """US dollars of ``input_tokens`` and ``output_tokens``, ``None`` when unknown.

    Cached input counts in full: an upper bound, as is right for a budget.
    """
    known = price(model)
    if known is None:
        return None
    spent = usage.get("input_tokens", 0) * known.input_usd + usage.get("output_tokens", 0) * known.output_usd
    return spent / _MILLION
