"""A step: what is done, on what, with which value, and what is seen then.

Workflows, the plans of tasks, what is remembered, and cached actions are made of steps. ``core.plans`` reads and writes
a step as a sentence; as JSON it is what ``schema.json`` has.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from core.values import Value

ActionType = Literal[
    "CLICK",
    "DOUBLE_CLICK",
    "RIGHT_CLICK",
    "MIDDLE_CLICK",
    "TYPE",
    "KEYPRESS",
    "SCROLL",
    "DRAG",
    "EXTRACT",
    "OPEN_APP",
    "OPEN_URL",
]
"""What was done in a step. ``OPEN_APP`` and ``OPEN_URL`` are Vaider's; the others are the format's."""
FOCUS: Final = "the focused element"
"""The target of what is typed where the focus is."""
KEYBOARD: Final = "the keyboard"
BROWSER: Final = "the browser"
DESKTOP: Final = "the desktop"
PAGE: Final = "the page"
TICKED: Final = "The check box is checked."
UNTICKED: Final = "The check box is not checked."
CHOSEN: Final = "The radio button is selected."
PLACE: Final = re.compile(r"\{([a-zA-Z0-9_]+)\}")
"""A place for a parameter or an extract. ``{"a": 1}``, ``{}`` and ``{color: red}`` are none."""
LITERAL: Final = "literal"
"""Of ``additional_args``: ``true`` says that ``action_value`` is typed as it stands, places and all."""


REMEMBERED: Final = ("t_ms", "until_ms", "text", "application", "window", "inferred")
"""The fields that a memory keeps, in the order of its JSON."""
_Words = Annotated[str, Field(exclude=True)]
_Moment = Annotated[int, Field(ge=0, exclude=True)]
_Whether = Annotated[bool, Field(exclude=True)]


class Target(Value):
    """Where a step acts, in words: ``the "Save" button``."""

    primary: str
    fallback: str | None = None


class Step(Value):
    """What is to be done, or was done: an example for a model, an instruction for ``local``.

    First what ``schema.json`` has of it; then, not written there, how and when it was seen to be done.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    i: int = 0
    """Its place in its subtask or plan, from 0; what an answer put in a line's place keeps the line's."""
    expected_current_state: str = ""
    intent: str = ""
    action_type: ActionType | SkipJsonSchema[Literal[""]] = ""
    """Empty if it is not known what is to be done; ``text`` says what is known of it."""
    action_value: str | None = None
    target: Target = Target(primary="")
    post_action: tuple[str, ...] = ()
    variable_name: str | None = None
    additional_args: dict[str, Any] = Field(default_factory=dict)

    t_ms: _Moment = 0
    """When it began, in the recording."""
    until_ms: _Moment = 0
    text: _Words = ""
    """Its words, where they are not those of ``core.plans.step_sentences``: in a memory a past-tense sentence without
    a full stop that quotes the screen, e.g. ``Clicked "New SSH key"``."""
    application: _Words = ""
    window: _Words = ""
    """Its title."""
    inferred: _Whether = False
    """Whether it was inferred from the screen alone: no input was logged."""
    doubt: _Words = ""
    """Why it is not known what was done; of a known action, why its value is not, in whose stead a place stands."""
    asked: _Words = ""
    """The open question about it, if there is one."""
    read: _Words = ""
    """What was read where such a value was typed, though not for certain."""
    hidden: _Whether = False
    """Whether the recording hides the value, in whose stead a place stands."""

    @classmethod
    def of(
        cls,
        action: ActionType,
        target: str,
        value: str | None = None,
        post: tuple[str, ...] = (),
        args: Mapping[str, Any] | None = None,
    ) -> Self:
        """The step that does this."""
        return cls(
            action_type=action,
            action_value=value,
            target=Target(primary=target),
            post_action=post,
            variable_name=value if action == "EXTRACT" else None,
            additional_args=dict(args or {}),
        )

    @property
    def is_known(self) -> bool:
        """Whether it is known what is to be done."""
        return bool(self.action_type)

    @property
    def is_literal(self) -> bool:
        """Whether ``action_value`` is no template."""
        return self.additional_args.get(LITERAL) is True

    def typing(self, value: str) -> Self:
        """The same with a value that is typed as it stands, also if there is a place in it."""
        exactly = {LITERAL: True} if PLACE.search(value) else {}
        return self.model_copy(update={"action_value": value, "additional_args": {**self.additional_args, **exactly}})

    @property
    def place(self) -> str:
        """The name of the place that is the whole of its value; empty for any other value."""
        found = None if self.is_literal else PLACE.fullmatch(self.action_value or "")
        return found[1] if found is not None else ""
