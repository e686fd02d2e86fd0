"""The values that a run's parameters get: what is given, else the example, else nothing where that is allowed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from core.actions import MAX_TEXT
from core.errors import InvalidRequest
from core.secrets import MASK, Secrets
from core.workflows.templates import EXTRACT, places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.workflows.workflow import Parameter, Workflow

_HOW: Final = 'pass it as NAME=value to `vaider run` or `vaider replay`, or in "params" of POST /replay'


def resolve_parameters(workflow: Workflow, given: Mapping[str, str]) -> dict[str, str]:
    """The value of each parameter, sensitive ones too, in the order of their declaration.

    Raises:
        InvalidRequest: one without an example is missing and not optional, or one is given that is not declared, or
            a value is too long or holds the place of a sensitive parameter.

    """
    names = [parameter.name for parameter in workflow.task_params]
    for name in given:
        if name not in names:
            raise _unknown(name, names)
    missing = [each for each in workflow.task_params if each.name not in given and _default(each) is None]
    if missing:
        words = ", ".join(repr(each.name) for each in missing)
        told = missing[0].description.strip().rstrip(".")
        raise InvalidRequest(
            f"Missing required param {words}{f' ({told})' if told else ''}: {_HOW.replace('NAME', missing[0].name)}.",
            field=missing[0].name,
        )
    values = {each.name: given.get(each.name, _default(each) or "") for each in workflow.task_params}
    for each in workflow.task_params:
        _check(each, values[each.name], workflow)
    return values


def secrets_of(workflow: Workflow, values: Mapping[str, str]) -> Secrets:
    """The values of the sensitive parameters."""
    return Secrets({each.name: values[each.name] for each in workflow.task_params if each.sensitive})


def form_text(workflow: Workflow) -> str:
    """The form that is filled in before a run: ``name=default``, a line each; no default of a sensitive one."""
    lines: list[str] = []
    for each in workflow.task_params:
        needed = "" if each.optional or each.example is not None else ", needed"
        kept = ", has a default" if each.sensitive and each.example is not None else ""
        about = f"{each.description or each.name} ({each.type}{needed}{kept})"
        lines.append(f"# {' '.join(about.split())}")
        # A form's value is one line; an example of several is not offered, and still the default.
        shown = "" if each.sensitive or each.example is None or len(each.example.splitlines()) > 1 else each.example
        lines.append(f"{each.name}={shown}")
    return "".join(f"{line}\n" for line in lines)


def read_form(text: str) -> dict[str, str]:
    """The values of a filled-in form; a blank one is left out, so that the default holds.

    Lines that begin with ``#`` and lines without ``=`` are passed over; the first ``=`` ends the name.
    """
    values: dict[str, str] = {}
    for line in text.removeprefix("\ufeff").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith("#") and value.strip():
            values[name.strip()] = value.strip()
    return values


def shown_values(workflow: Workflow, values: Mapping[str, str]) -> dict[str, str]:
    """The values as they may be written down: sensitive ones masked."""
    sensitive = {each.name for each in workflow.task_params if each.sensitive}
    return {name: MASK if name in sensitive and value else value for name, value in values.items()}


def _default(parameter: Parameter) -> str | None:
    if parameter.example is not None:
        return parameter.example
    return "" if parameter.optional else None


def _unknown(name: str, names: list[str]) -> InvalidRequest:
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        hint = f"Did you mean {near[0]!r}?"
    else:
        hint = f"It has {', '.join(map(repr, names))}." if names else "It has none."
    return InvalidRequest(f"The workflow has no parameter {name!r}. {hint}", field=name)


def _check(parameter: Parameter, value: str, workflow: Workflow) -> None:
    name = parameter.name
    if len(value) > MAX_TEXT:
        raise InvalidRequest(
            f"The value of {name!r} has more than {MAX_TEXT} characters; give a shorter one.", field=name
        )
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidRequest(f"The value of {name!r} holds half a character, which cannot be typed.", field=name)
    if parameter.sensitive:
        return
    # These places are filled only later, and nobody could then tell that this one is meant as it stands.
    later = {each.name for each in workflow.task_params if each.sensitive}
    taken = sorted(place for place in places(value) if place in later or EXTRACT.fullmatch(place))
    if taken:
        raise InvalidRequest(
            f"The value of {name!r} must not hold {{{taken[0]}}}, a place that is filled during the run.", field=name
        )
