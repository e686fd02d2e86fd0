"""What an Anthropic model is sent through the Messages API: messages, their pictures, and where the cache begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from adapters.models.computer.anthropic_replies import COMPUTER, Block, Turn, read_turn
from adapters.models.computer.briefings import news_text, opening_text, result_text
from adapters.models.computer.call_arguments import Sight
from adapters.models.computer.deciders import OLD_TOOL, TOOLSET, Family
from adapters.models.computer.function_tools import Function, functions_for
from adapters.models.computer.model_decider import Tokens
from core.actions import Click, Drag, Look, Move, Press, Scroll, Zoom
from core.errors import InvalidCall
from core.runs.deciding import Briefing, Decision, Observation, Outcome, Result, Subtask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.models.computer.model_decider import Ask
    from adapters.models.computer.screenshots import Frame, Shown
    from adapters.models.failures import Provider
    from core.screens import Picture, Point, Window


Part = dict[str, Any]

SKIPPED: Final = "Not executed: an earlier computer action in this turn failed."
"""Anthropic's own words for it."""
_INVALID: Final = "Not executed: another call of this turn is not valid."
_INTERRUPTED: Final = "Not executed: the run was interrupted."
OMITTED: Final = "[Image Omitted]"
KEPT_PICTURES: Final = 4
MAX_PICTURES: Final = 12
"""Above, the oldest go, all but ``KEPT_PICTURES`` at once: what stands before is cached, and each change costs that."""
_CACHED_TURNS: Final = 3
"""With the instruction's, the four breakpoints that a request may have."""
_CACHE: Final = {"type": "ephemeral"}


class Messages:
    """One subtask's messages; nothing is kept of a request that was not answered.

    Args:
        briefing: what holds for the run.
        subtask: what is to be done.
        frame: how pictures are shown.
        append_only: whether all that was said must stay as it was.

    """

    def __init__(self, briefing: Briefing, subtask: Subtask, frame: Frame, *, append_only: bool) -> None:
        self._briefing = briefing
        self._subtask = subtask
        self._frame = frame
        self._append_only = append_only
        self._said: list[Part] = []
        self._turn: Turn | None = None
        self._picture: Picture | None = None
        self._windows: tuple[Window, ...] = ()
        self._pointer: Point | None = None

    def next(self, observation: Observation, shown: Shown) -> list[Part]:
        """The messages of the next request, without the marks for the cache; the last one is the user's."""
        if self._turn is None:
            content = self._opening(observation, shown)
        elif self._turn.fault:
            content = [*self._rejected(self._turn, observation), *self._news(observation)]
            if observation.picture is not self._picture:
                content.append(_image(shown))
        else:
            content = [*self._answered(self._turn, observation, shown), *self._news(observation)]
            if observation.repair:
                content.append(_text(observation.repair))
        messages = [*self._said, {"role": "user", "content": content}]
        return messages if self._append_only else _trimmed(messages)

    def commit(self, messages: list[Part], observation: Observation, turn: Turn) -> None:
        """Keep what was sent, and what was answered."""
        if self._turn is not None and not self._turn.fault:
            self._follow_pointer(observation.results)
        self._said = [*messages, {"role": "assistant", "content": turn.content}]
        self._turn = turn
        self._picture = observation.picture
        self._windows = observation.windows

    def _opening(self, observation: Observation, shown: Shown) -> list[Part]:
        parts = [_text(opening_text(self._briefing, self._subtask, observation)), _image(shown)]
        return [*parts, _text(observation.repair)] if observation.repair else parts

    def _news(self, observation: Observation) -> list[Part]:
        news = news_text(observation, self._windows)
        return [_text(news)] if news else []

    def _rejected(self, turn: Turn, observation: Observation) -> list[Part]:
        return [
            _result(block, [_text((observation.repair or turn.fault) if number == turn.faulty else _INVALID)], bad=True)
            for number, block in enumerate(turn.blocks)
        ]

    def _answered(self, turn: Turn, observation: Observation, shown: Shown) -> list[Part]:
        """One result for each block, in order; the last one shows the screen as it is now."""
        parts: list[Part] = []
        failed = False
        last = len(turn.blocks) - 1
        for number, block in enumerate(turn.blocks):
            result = observation.results[number] if number < len(observation.results) else None
            if failed or result is None:
                content, bad = [_text(SKIPPED if failed else _INTERRUPTED)], True
            else:
                bad = failed = result.outcome in {Outcome.FAILED, Outcome.REFUSED}
                text = self._format_result(block, result, observation, shown)
                content = [_text(text), *self._looked_at(result, is_last=number == last)]
            if number == last and not _is_zoom(result):
                content.append(_image(shown))
            parts.append(_result(block, content, bad=bad))
        acted = any(not isinstance(result.proposal.move, Look | Zoom) for result in observation.results)
        if acted and len(observation.results) > last and _is_zoom(observation.results[last]):
            parts += [_text("The whole screen now:"), _image(shown)]
        return parts

    def _format_result(self, block: Block, result: Result, observation: Observation, shown: Shown) -> str:
        if not block.asks_for_pointer:
            return result_text(result)
        pointer = self._pointer
        for earlier in observation.results:
            if earlier is result:
                break
            pointer = _pointed(earlier) or pointer
        if pointer is None:
            return "Where the pointer is was not seen; look at the screenshot."
        x, y = shown.space.back(pointer, (observation.picture.width, observation.picture.height))
        return f"X={x},Y={y}"

    def _looked_at(self, result: Result, *, is_last: bool) -> list[Part]:
        move = result.proposal.move
        if result.picture is None:
            return []
        if isinstance(move, Zoom):
            return [_image(self._frame.crop(result.picture, move.region))]
        return [_image(self._frame.show(result.picture))] if isinstance(move, Look) and not is_last else []

    def _follow_pointer(self, results: Sequence[Result]) -> None:
        for result in results:
            self._pointer = _pointed(result) or self._pointer


def mark_for_cache(messages: Sequence[Part]) -> list[Part]:
    """The messages with a breakpoint at the end of each of the user's newest turns."""
    marked = list(messages)
    users = [number for number, message in enumerate(marked) if message["role"] == "user"]
    for number in users[-_CACHED_TURNS:]:
        content = marked[number]["content"]
        marked[number] = {**marked[number], "content": [*content[:-1], {**content[-1], "cache_control": _CACHE}]}
    return marked


def _trimmed(messages: list[Part]) -> list[Part]:
    """The messages without their oldest pictures, when there are many."""
    total = sum(_pictures_of(message["content"]) for message in messages)
    if total <= MAX_PICTURES:
        return messages
    left = total - KEPT_PICTURES
    trimmed: list[Part] = []
    for message in messages:
        content, left = _without_pictures(message["content"], left)
        trimmed.append({**message, "content": content})
    return trimmed


def _pictures_of(content: object) -> int:
    parts = cast("list[Part]", content) if isinstance(content, list) else []
    return sum(part["type"] == "image" or _pictures_of(part.get("content")) for part in parts)


def _without_pictures(content: list[Part], most: int) -> tuple[list[Part], int]:
    """The content with its first ``most`` pictures left out, and how many are still to go."""
    kept: list[Part] = []
    for part in content:
        if part["type"] == "image" and most > 0:
            kept.append(_text(OMITTED))
            most -= 1
        elif part["type"] == "tool_result":
            inner, most = _without_pictures(part["content"], most)
            kept.append({**part, "content": inner})
        else:
            kept.append(part)
    return kept, most


def _pointed(result: Result) -> Point | None:
    """Where the action has left the pointer, if it was done and says so."""
    move = result.proposal.move
    if result.outcome in {Outcome.FAILED, Outcome.REFUSED}:
        return None
    if isinstance(move, Drag):
        return move.path[-1]
    return move.at if isinstance(move, Click | Press | Move | Scroll) else None


def _is_zoom(result: Result | None) -> bool:
    return result is not None and isinstance(result.proposal.move, Zoom) and result.picture is not None


def _result(block: Block, content: list[Part], *, bad: bool) -> Part:
    part: Part = {"type": "tool_result", "tool_use_id": block.id, "content": content}
    if bad:
        part["is_error"] = True
    return part if block.toolset is None else {**part, "toolset_name": block.toolset}


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _image(shown: Shown) -> Part:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": shown.base64}}


class AnthropicWire:
    """Implements ``Wire``."""

    space = None
    tokens = Tokens(
        "usage",
        input=("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        output=("output_tokens",),
    )

    def __init__(self, briefing: Briefing, provider: Provider, prompt: str, *, family: Family, tool: str) -> None:
        self.limits = family.limits
        self._briefing = briefing
        self._provider = provider
        self._prompt = prompt
        self._family = family
        self._tool = tool
        self._messages: Messages

    def begin(self, subtask: Subtask, frame: Frame) -> None:
        """See ``Wire``."""
        self._messages = Messages(self._briefing, subtask, frame, append_only=self._family.append_only)

    def decide(self, observation: Observation, shown: Shown, ask: Ask) -> Decision:
        """See ``Wire``. A refusal of the model raises ``ProviderError``: it is no answer to the subtask."""
        messages = self._messages.next(observation, shown)
        reply = ask(self._body(messages, shown))
        turn = read_turn(reply, Sight.of(observation.picture, shown), self._provider)
        self._messages.commit(messages, observation, turn)
        if turn.fault:
            raise InvalidCall(turn.fault)
        return Decision(proposals=turn.proposals, observation=turn.observation, task_memory=turn.task_memory)

    def _body(self, messages: list[dict[str, Any]], shown: Shown) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._provider.model,
            "max_tokens": self._family.max_tokens,
            "system": [{"type": "text", "text": self._prompt, "cache_control": {"type": "ephemeral"}}],
            "tools": [self._computer(shown), *map(_function, functions_for(self._briefing))],
            "messages": mark_for_cache(messages),
        }
        if self._family.thinks:
            # Without it the model's words between two calls arrive empty.
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
        return body

    def _computer(self, shown: Shown) -> dict[str, Any]:
        if self._tool == TOOLSET:
            return {"type": TOOLSET, "configs": {"cursor_position": {"enabled": False}}}
        size = {"display_width_px": shown.width, "display_height_px": shown.height}
        zoom = {} if self._tool == OLD_TOOL else {"enable_zoom": True}
        return {"type": self._tool, "name": COMPUTER, **size, **zoom}


def _function(function: Function) -> dict[str, Any]:
    return {"name": function.name, "description": function.description, "input_schema": function.parameters}
