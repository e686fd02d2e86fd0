"""The deciders that ask models: one function for each API, and what each family of Anthropic's models takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Unpack

from adapters.keys import ANTHROPIC, GEMINI, KEY_KINDS, OPENAI
from adapters.models.api_formats import CHAT_PATH, GOOGLE, bearer, generate_path, google_key
from adapters.models.computer.model_decider import Asking, ModelDecider, Wire
from adapters.models.computer.screenshots import Limits
from adapters.models.failures import COMPATIBLE, Provider

if TYPE_CHECKING:
    from adapters.models.computer.providers import OpenAiCompatibleProvider
    from core.runs.deciding import Briefing


OLD_TOOL: Final = "computer_20250124"
TOOL: Final = "computer_20251124"
TOOLSET: Final = "computer_toolset_20260801"
BETAS: Final = {OLD_TOOL: "computer-use-2025-01-24", TOOL: "computer-use-2025-11-24", TOOLSET: None}
"""The header ``anthropic-beta`` by the tool; the toolset needs none."""

SMALL: Final = Limits(edge=1568, patches=1568)
"""Larger pictures are scaled down by the provider, and clicks then drift."""
LARGE: Final = Limits(edge=2576, patches=4784)
MANY: Final = Limits(edge=2000, patches=4784)
"""In a request of more than 20 pictures no edge is longer: what holds where no picture is ever taken out again."""


@dataclass(frozen=True, slots=True)
class Family:
    """One row: models of the same habits."""

    tool: str
    limits: Limits
    append_only: bool = False
    """Thinking is bound to all that stands before it: a picture that is taken out later makes it invalid (400)."""
    thinks: bool = False
    """Thinks unless that is switched off, and gives a summary of it when asked."""

    @property
    def max_tokens(self) -> int:
        """Room for an answer, with its thinking; the SDK demands streaming above 21,333."""
        return 16_000 if self.thinks or self.append_only else 4096


_BOUND: Final = Family(TOOLSET, MANY, append_only=True, thinks=True)
_FIVE: Final = Family(TOOLSET, LARGE)
UNKNOWN: Final = Family(TOOLSET, MANY, append_only=True)
"""What no model is known to refuse; for models that are newer than this table."""

FAMILIES: Final[dict[str, Family]] = {
    "claude-sonnet-4-5": Family(OLD_TOOL, SMALL),
    "claude-haiku-4-5": Family(OLD_TOOL, SMALL),
    "claude-opus-4-5": Family(TOOL, SMALL),
    "claude-opus-4-6": Family(TOOL, SMALL),
    "claude-sonnet-4-6": Family(TOOL, SMALL),
    "claude-opus-4-7": Family(TOOL, LARGE),
    "claude-opus-4-8": _FIVE,
    "claude-opus-5": _FIVE,
    "claude-sonnet-5": _FIVE,
    "claude-fable-5": _FIVE,
    "claude-mythos-5": _FIVE,
    "claude-opus-5-5": _BOUND,
    "claude-sonnet-5-5": _BOUND,
    "claude-haiku-5-5": _BOUND,
    "claude-fable-5-1": _BOUND,
    "claude-mythos-5-1": _BOUND,
    "claude-fable-5-2": _BOUND,
    "claude-mythos-5-2": _BOUND,
}
"""By the model's name without its date."""
_DATED: Final = re.compile(r"(?:-\d{8}|-latest|@.*)$")


def family_of(model: str) -> Family:
    """The row of a model by its name, with a date or without."""
    return FAMILIES.get(_DATED.sub("", model), UNKNOWN)


ANTHROPIC_ADDRESS: Final = "https://api.anthropic.com"
ANTHROPIC_MODEL: Final = "claude-opus-4-6"
ANTHROPIC_VERSION: Final = "2026-10-21"
"""The API's version that the messages are written for."""
OPENAI_ADDRESS: Final = "https://api.openai.com/v1"
GEMINI_MODEL: Final = "gemini-3.8-flash"
_SLOW_SECONDS: Final = 300.0


def anthropic_decider(
    *, model: str = ANTHROPIC_MODEL, base_url: str = ANTHROPIC_ADDRESS, tool: str = "", **asking: Unpack[Asking]
) -> ModelDecider:
    """Lets one of Anthropic's models decide, through the Messages API.

    Args:
        model: as Anthropic names it; a table says which computer tool and what history it takes.
        base_url: where its API is.
        tool: the computer tool's type, where the table is wrong or too old.
        asking: see there.

    """
    provider = _provider(ANTHROPIC, base_url, model, model_setting="replay_model", url_setting="anthropic_base_url")
    family = family_of(model)
    tool = tool or family.tool
    beta = BETAS.get(tool)
    fault = None
    if not model:
        fault = f"Set replay_model to one of Anthropic's models, such as {ANTHROPIC_MODEL}."
    elif tool not in BETAS:
        fault = f"There is no computer tool of that type; there are: {', '.join(BETAS)}."

    def wire(briefing: Briefing, prompt: str) -> Wire:
        from adapters.models.computer.anthropic_wire import AnthropicWire  # noqa: PLC0415 - only in a run

        return AnthropicWire(briefing, provider, prompt, family=family, tool=tool)

    return ModelDecider(
        "anthropic",
        provider,
        path="/v1/messages",
        headers=lambda key: {
            **bearer(key),
            "anthropic-version": ANTHROPIC_VERSION,
            **({"anthropic-beta": beta} if beta else {}),
        },
        wire=wire,
        key_name=ANTHROPIC,
        asking={"request_seconds": _SLOW_SECONDS, **asking},
        fault=fault,
    )


def openai_decider(*, model: str, base_url: str = OPENAI_ADDRESS, **asking: Unpack[Asking]) -> ModelDecider:
    """Lets one of OpenAI's models decide, through the Responses API.

    Nothing is stored with OpenAI (``store: false``): every request holds the whole subtask, with the model's reasoning
    as OpenAI has encrypted it.

    Args:
        model: as OpenAI names it; one that takes the ``computer`` tool.
        base_url: where its API is, with the version.
        asking: see there.

    """
    provider = _provider(OPENAI, base_url, model, model_setting="replay_model", url_setting="openai_base_url")

    def wire(briefing: Briefing, prompt: str) -> Wire:
        from adapters.models.computer.openai_wire import OpenAiWire  # noqa: PLC0415 - only in a run

        return OpenAiWire(briefing, provider, prompt)

    return ModelDecider(
        "openai",
        provider,
        path="/responses",
        headers=bearer,
        wire=wire,
        key_name=OPENAI,
        asking={"request_seconds": _SLOW_SECONDS, **asking},
        fault=None if model else "Set replay_model to one of OpenAI's models that take the computer tool.",
    )


def gemini_decider(
    *, model: str = GEMINI_MODEL, base_url: str = "", api_version: str = "v1beta", **asking: Unpack[Asking]
) -> ModelDecider:
    """Lets Gemini decide, by its own computer tool.

    Args:
        model: e.g. ``gemini-3.8-flash``.
        base_url: empty for Google's.
        api_version: ``v1beta`` has the computer tool.
        asking: see there.

    """
    provider = _provider(GEMINI, base_url or GOOGLE, model, model_setting="gemini_model", url_setting="gemini_base_url")

    def wire(briefing: Briefing, prompt: str) -> Wire:
        from adapters.models.computer.gemini_wire import GeminiWire  # noqa: PLC0415 - only in a run

        return GeminiWire(briefing, provider, prompt)

    return ModelDecider(
        "gemini",
        provider,
        path=generate_path(model, api_version),
        headers=google_key,
        wire=wire,
        key_name=GEMINI,
        asking=asking,
        fault=None if model else f"Set gemini_model, e.g. to {GEMINI_MODEL}.",
    )


def openai_compatible_decider(
    server: OpenAiCompatibleProvider, *, model: str, base_url: str = "", **asking: Unpack[Asking]
) -> ModelDecider:
    """Lets a vision model of any OpenAI-compatible server decide, by one ``<tool_call>`` in text at a time.

    Args:
        server: whose it is.
        model: as the server names it; empty when it is not set.
        base_url: of the API, e.g. ``http://127.0.0.1:11434/v1``; empty for the server's own.
        asking: see there.

    """
    provider = Provider(
        title=server.title,
        address=(base_url or server.base_url).rstrip("/"),
        key_place=" or ".join(KEY_KINDS[server.key].variables),
        model=model,
        model_setting="tagged_model (REPLAY_MODEL)",
        url_setting="tagged_base_url",
        lighter="use a smaller display",
        api=COMPATIBLE,
    )
    no_model = (
        f"Set REPLAY_MODEL to the model's name as {server.title} spells it, e.g. {server.example}: there is no default."
    )

    def wire(briefing: Briefing, prompt: str) -> Wire:
        from adapters.models.computer.openai_compatible_wire import OpenAiCompatibleWire  # noqa: PLC0415 - only in a run

        return OpenAiCompatibleWire(briefing, provider, prompt, server.extra)

    return ModelDecider(
        "tagged",
        provider,
        path=CHAT_PATH,
        headers=bearer,
        wire=wire,
        key_name=server.key,
        asking=asking,
        needs_key=server.needs_key and bool(model),
        fault=None if model else no_model,
    )


def _provider(key_name: str, base_url: str, model: str, *, model_setting: str, url_setting: str) -> Provider:
    return Provider(
        title=KEY_KINDS[key_name].title,
        address=base_url.rstrip("/"),
        key_place=" or ".join(KEY_KINDS[key_name].variables),
        model=model,
        model_setting=model_setting,
        url_setting=url_setting,
        lighter="split the subtask",
    )
