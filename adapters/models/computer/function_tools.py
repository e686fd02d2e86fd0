"""What a model may say to the loop beside its computer tool: functions that are offered under the same names to all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.models.computer.briefings import bounded, quoted
from core.actions import Ask, Done, Extract, OpenApp, OpenUrl, ReplayEntry
from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.runs.deciding import Briefing, Move

NO_TOOL: Final = (
    "No tool was called. Say it with a tool: an action with the computer tool, `done` when the subtask is finished or "
    "cannot be, `ask` when only a person can go on."
)
"""The reply to a model that only talked."""
_MAX_QUOTED: Final = 300


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Done(_Arguments):
    """Say that the current subtask is finished, or that it cannot be done. Call it alone, after looking."""

    result: str = Field(description="What was reached, or why it cannot be done; one or two sentences.")
    succeeded: bool = Field(default=True, description="false when the subtask cannot be done")
    task_memory: str | None = Field(
        default=None, description="What later subtasks need to know; it replaces what was noted before."
    )


class _Ask(_Arguments):
    """Stop, and ask a person, when only a person can decide or supply what is missing."""

    question: str = Field(min_length=1, description="One question.")


class _Extract(_Arguments):
    """Keep a value that stands on the screen, letter by letter, for later subtasks."""

    variable_name: str = Field(pattern=r"^\w{1,100}$", description="As the reference step names it, e.g. extract_0.")
    query: str = Field(description="What was looked for.")
    value: str = Field(description="The value as it stands on the screen, and nothing else.")


class _OpenApp(_Arguments):
    """Start a program by its name."""

    name: str = Field(min_length=1, max_length=500)
    arguments: list[str] = Field(default_factory=list)


class _OpenUrl(_Arguments):
    """Open an address in the browser."""

    url: str = Field(min_length=1, max_length=8000)


class _Reload(_Arguments):
    """Do again at once what <reload_options> offers; each of its actions is checked, and you hear where it stopped."""

    cache_id: str = Field(alias="cacheId", min_length=1, max_length=100, description="As the option names it.")
    skip_indices: list[Annotated[int, Field(ge=0)]] = Field(
        default_factory=list[int], alias="skipIndices", max_length=2000, description="Actions to leave out, from 0 on."
    )


@dataclass(frozen=True, slots=True)
class ParsedMove:
    """A move to the loop, and what the model wants to remember, if it says so."""

    move: Move
    task_memory: str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """One function as it is offered: ``parameters`` is a JSON schema of an object."""

    name: str
    arguments: type[BaseModel]
    read: Callable[[Any], ParsedMove]

    @property
    def description(self) -> str:
        """What it is for."""
        return " ".join((self.arguments.__doc__ or "").split())

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of its arguments."""
        schema = self.arguments.model_json_schema(by_alias=True)
        properties = {
            name: {key: value for key, value in part.items() if key != "title"}
            for name, part in schema["properties"].items()
        }
        return {"type": "object", "properties": properties, "required": schema.get("required", [])}


def _read_done(said: _Done) -> ParsedMove:
    return ParsedMove(Done(result=said.result, succeeded=said.succeeded), said.task_memory)


def _read_extract(said: _Extract) -> ParsedMove:
    return ParsedMove(Extract(variable_name=said.variable_name, query=said.query, value=said.value))


def _read_reload(said: _Reload) -> ParsedMove:
    return ParsedMove(ReplayEntry(cache_id=said.cache_id, skip_indices=tuple(said.skip_indices)))


FUNCTIONS: Final[tuple[Function, ...]] = (
    Function("done", _Done, _read_done),
    Function("ask", _Ask, lambda said: ParsedMove(Ask(question=said.question))),
    Function("extract", _Extract, _read_extract),
    Function("open_app", _OpenApp, lambda said: ParsedMove(OpenApp(name=said.name, arguments=tuple(said.arguments)))),
    Function("open_url", _OpenUrl, lambda said: ParsedMove(OpenUrl(url=said.url))),
)
RELOAD: Final = Function("reload_cached", _Reload, _read_reload)
_BY_NAME: Final = {function.name: function for function in (*FUNCTIONS, RELOAD)}


def no_tool(said: str) -> InvalidCall:
    """The error for an answer that only talked."""
    return InvalidCall(NO_TOOL + (f" You said: {quoted(said)}" if said else ""))


def functions_for(briefing: Briefing) -> tuple[Function, ...]:
    """Those that a run's model is offered: without options there is nothing to reload."""
    return (*FUNCTIONS, RELOAD) if briefing.reload_options else FUNCTIONS


def is_function(name: str) -> bool:
    """Whether it is one of ours."""
    return name in _BY_NAME


def read_function(name: str, arguments: object) -> ParsedMove:
    """What a call of one of ``FUNCTIONS`` means. Raises ``InvalidCall`` that quotes what is wrong."""
    function = _BY_NAME.get(name)
    if function is None:
        raise InvalidCall(f"There is no tool {quoted(name)}; there are: {', '.join(_BY_NAME)}, and the computer's.")
    if not isinstance(arguments, dict):
        raise InvalidCall(f"The arguments of {name} are a JSON object, not {shown(arguments)}.")
    try:
        return function.read(function.arguments.model_validate(cast("dict[str, object]", arguments)))
    except ValidationError as error:
        raise InvalidCall(f"{name}: {fault_of(error)} in {shown(cast('object', arguments))}.") from None


def read_reload(arguments: object) -> ReplayEntry:
    """What a call of ``reload_cached`` means. Raises ``InvalidCall``."""
    move = read_function(RELOAD.name, arguments).move
    if not isinstance(move, ReplayEntry):
        raise TypeError("its reader makes nothing else")
    return move


def fault_of(error: ValidationError) -> str:
    """The first thing that is wrong, with its place."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def shown(value: object) -> str:
    """What a model said, short enough to be sent back to it."""
    return bounded(repr(value), _MAX_QUOTED)
