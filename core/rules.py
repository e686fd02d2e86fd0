"""VaiderRules.json: which videos of a project are watched, and what happens when one does not show what it should.

The file is called ``VaiderRules.json`` (or ``vaider.rules.json``) and is JSON in UTF-8:

    {"video_trigger_pattern": "test-output/**/*.mp4",   required: below the file's own folder
     "analysis_timeout_seconds": 30,                    5 to 86400
     "on_mismatch": "retry",                            or "fail"
     "max_retries": 5,                                  0 to 100
     "enabled": true}

An early draft was a text file with other names and no pattern. It is not read, because without a pattern it rules
nothing; its names in a JSON file are answered with today's.
"""

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecodeError
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from core.errors import InvalidPath, InvalidRequest
from core.text import did_you_mean
from core.values import Value

RULES_NAMES = ("VaiderRules.json", "vaider.rules.json")
LARGEST_FILE = 1 << 16
DETERMINISTIC = frozenset({"local"})
"""Providers that always answer the same question about the same video in the same way."""

_DRAFT_NAMES = {
    "video_not_matching_ai_expectations_retry_limit": "max_retries",
    "vaider_not_working_retry_limit": "max_retries",
    "timeout_waiting_for_vaider_response_seconds": "analysis_timeout_seconds",
}


class Rules(Value):
    """What a rules file says; see the module."""

    video_trigger_pattern: Annotated[StrictStr, Field(min_length=1, max_length=500)]
    analysis_timeout_seconds: Annotated[StrictInt | StrictFloat, Field(ge=5, le=86_400)] = 30
    on_mismatch: Literal["retry", "fail"] = "retry"
    max_retries: Annotated[StrictInt, Field(ge=0, le=100)] = 5
    enabled: StrictBool = True


class RetryPlan(Value):
    """Which providers are asked after a mismatch, one after another, until one finds all as expected."""

    providers: tuple[str, ...]
    reason: str
    """One sentence: why these, or why none."""


def find_rules(root: Path) -> Path | None:
    """The rules file of a folder, ``None`` when it has none.

    Raises:
        InvalidRequest: it has both names, so that it is unclear which one holds.

    """
    found = [path for name in RULES_NAMES if (path := root / name).is_file()]
    if len(found) > 1 and not found[0].samefile(found[1]):
        raise InvalidRequest(f"{root} has both {' and '.join(RULES_NAMES)}; keep one of them.")
    return found[0] if found else None


def read_rules(path: Path) -> Rules:
    """The rules in a file.

    Raises:
        InvalidPath: it cannot be read.
        InvalidRequest: it is not what a rules file is; see ``load_rules``.

    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidPath(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return load_rules(content.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidRequest(f"{path}, line {line}: this is no UTF-8; save the file as UTF-8.") from None


def load_rules(text: str, source: str) -> Rules:
    """The rules in a text; ``source`` is the file's name for messages.

    Raises:
        InvalidRequest: the sentence names ``source``, the line and the field, and so do ``line`` and ``field`` in the
            error's details.

    """
    if len(text) > LARGEST_FILE:
        raise InvalidRequest(f"{source} is larger than {LARGEST_FILE:,} bytes; that is no rules file.")
    fields = _fields(text, source)
    for name, (line, _) in fields.items():
        if name not in Rules.model_fields:
            raise _refused(source, line, name, f"there is no field {name[:60]!r}.{_hint(name)}")
    try:
        rules = Rules.model_validate({name: value for name, (_, value) in fields.items()})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        line = fields[name][0] if name in fields else text.count("\n", 0, len(text.rstrip())) + 1
        raise _refused(source, line, name, _misfit(name, first, fields)) from None
    problem = pattern_problem(rules.video_trigger_pattern)
    if problem is not None:
        raise _refused(source, fields["video_trigger_pattern"][0], "video_trigger_pattern", f"the pattern {problem}.")
    return rules


def _fields(text: str, source: str) -> dict[str, tuple[int, Any]]:
    """Each field's line and value."""
    try:
        return _scanned(text, source)
    except JSONDecodeError as error:
        where = f"{source}, line {error.lineno}, column {error.colno}"
        message = f"{where}: this is no JSON ({error.msg[:1].lower()}{error.msg[1:]})."
        raise InvalidRequest(message, line=error.lineno, field=None) from None
    except (RecursionError, ValueError):  # nesting or digits without end, which Python gives up on
        raise InvalidRequest(
            f"{source}: a value is far too large or too deep; a rules file is short and flat."
        ) from None


def _scanned(text: str, source: str) -> dict[str, tuple[int, Any]]:
    decoder = json.JSONDecoder()
    at = _blank(text, 0)
    if text[at : at + 1] != "{":
        decoder.decode(text)
        raise InvalidRequest(f"{source}, line 1: rules are one object in braces: {{…}}.", line=1, field=None)
    fields: dict[str, tuple[int, Any]] = {}
    at = _blank(text, at + 1)
    while text[at : at + 1] != "}" or fields:
        line = text.count("\n", 0, at) + 1
        if text[at : at + 1] != '"':
            raise JSONDecodeError("Expecting a field name in double quotes", text, at)
        name, at = decoder.raw_decode(text, at)
        if name in fields:
            raise _refused(
                source, line, name, f"the field stands here a second time; line {fields[name][0]} has it too."
            )
        at = _blank(text, at)
        if text[at : at + 1] != ":":
            raise JSONDecodeError("Expecting ':'", text, at)
        value, at = decoder.raw_decode(text, _blank(text, at + 1))
        fields[name] = (line, value)
        at = _blank(text, at)
        if text[at : at + 1] == "}":
            break
        if text[at : at + 1] != ",":
            raise JSONDecodeError("Expecting ',' or '}'", text, at)
        at = _blank(text, at + 1)
    end = _blank(text, at + 1)
    if end < len(text):
        raise JSONDecodeError("Extra text after the closing brace", text, end)
    return fields


def _blank(text: str, at: int) -> int:
    return len(text) - len(text[at:].lstrip(" \t\n\r")) if text[at : at + 1] in " \t\n\r" else at


def _refused(source: str, line: int, field: str, why: str) -> InvalidRequest:
    return InvalidRequest(f"{source}, line {line}, field {field[:60]!r}: {why}", line=line, field=field[:60])


def _hint(name: str) -> str:
    if name in _DRAFT_NAMES:
        return f" An early draft called it so; it is {_DRAFT_NAMES[name]!r} now."
    return f" {did_you_mean(name, Rules.model_fields)}"


def _misfit(name: str, error: Mapping[str, Any], fields: Mapping[str, tuple[int, Any]]) -> str:
    if error["type"] == "missing":
        return 'it is missing. Say which videos are watched, e.g. "test-output/**/*.mp4".'
    wanted = {
        "video_trigger_pattern": "a text of 1 to 500 characters",
        "analysis_timeout_seconds": "a number from 5 to 86400",
        "on_mismatch": '"retry" or "fail"',
        "max_retries": "a whole number from 0 to 100",
        "enabled": "true or false",
    }
    given = json.dumps(fields[name][1])
    return f"it must be {wanted[name]}, not {given if len(given) <= 60 else given[:59] + '…'}."  # noqa: PLR2004 - a line's length


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a ``video_trigger_pattern``, ``None`` when nothing is."""
    if re.search(r"[\x00-\x1f\x7f]", pattern):
        return "contains a control character"
    if "\\" in pattern:
        return "must divide folders by '/', not '\\'"
    if pattern.startswith(("/", "~")) or re.match(r"[A-Za-z]:", pattern):
        return "must be relative to the project's folder"
    if ".." in pattern.split("/"):
        return "must stay below the project's folder: leave out '..'"
    return None


def retry_plan(rules: Rules, available: Sequence[str], first: str) -> RetryPlan:
    """Who is asked again after ``first`` found a mismatch.

    Only who could answer differently: each other provider that is available, then over again those that are models,
    ``first`` among them; never twice one of ``DETERMINISTIC``. At most ``rules.max_retries`` in all.
    """
    if rules.on_mismatch == "fail":
        return RetryPlan(providers=(), reason='"on_mismatch" is "fail".')
    if rules.max_retries == 0:
        return RetryPlan(providers=(), reason='"max_retries" is 0.')
    others = [name for name in dict.fromkeys(available) if name != first]
    models = [name for name in [*others, first] if name not in DETERMINISTIC and name in available]
    if not others and not models:
        return RetryPlan(
            providers=(),
            reason=f"{first} would only give the same answer again, and no other provider can be used.",
        )
    names = list(others)
    turn = [first, *(name for name in models if name != first)] if first in models else models
    while models and len(names) < rules.max_retries:
        names += turn
    chosen = tuple(names[: rules.max_retries])
    return RetryPlan(providers=chosen, reason=f"{', '.join(dict.fromkeys(chosen))} could answer differently.")


def last_word(tries: int, plan: RetryPlan, log_folder: str) -> str:
    """What is said after the last failure: how often it was tried, why no more, and where everything is logged."""
    times = {1: "once", 2: "twice"}.get(tries, f"{tries} times")
    why = f" Not asked again: {plan.reason}" if not plan.providers else ""
    return f"The video was analysed {times} and is not as expected.{why} Every request and answer is in {log_folder}."


INTERACTIONS_SUFFIX = ".VaiderInteractions"
VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".webm", ".mov", ".mkv", ".avi", ".gif"})
MOST_ALTERNATIVES = 64


def matching_videos(rules: Rules, root: Path) -> list[Path]:
    """The videos below ``root`` whose path fits ``video_trigger_pattern``, newest first.

    ``*`` and ``?`` stay within a name, ``**`` goes through any folders, ``{a,b}`` is either. Interaction folders are
    left out, and so is what a symbolic link has outside of ``root``; linked folders are not entered.
    """
    home = root.resolve()
    found: dict[Path, float] = {}
    for pattern in _alternatives(rules.video_trigger_pattern):
        parts = [part for part in pattern.split("/") if part not in {"", "."}]
        if not parts:
            continue
        fits = re.compile(_translated(parts), re.DOTALL)
        plain = list(itertools.takewhile(lambda part: not set(part) & set("*?["), parts[:-1]))
        for path in _files(home.joinpath(*plain)):
            if fits.fullmatch(path.relative_to(home).as_posix()) and (modified := _modified(path, home)) is not None:
                found[path] = modified
    return sorted(found, key=lambda path: (-found[path], str(path)))


def _files(folder: Path) -> Iterator[Path]:
    for directory, names, files in os.walk(folder):
        names[:] = [name for name in names if not name.endswith(INTERACTIONS_SUFFIX)]
        yield from (Path(directory, name) for name in files if Path(name).suffix.lower() in VIDEO_SUFFIXES)


def _modified(path: Path, home: Path) -> float | None:
    """When the file was last written, ``None`` when it is no regular file of this folder."""
    try:
        real = path.resolve(strict=True)
        return real.stat().st_mtime if real.is_relative_to(home) and real.is_file() else None
    except (OSError, RuntimeError):
        return None


def _translated(parts: list[str]) -> str:
    """A regular expression for a path, from the parts of a glob pattern."""
    pieces: list[str] = []
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            pieces.append(".*" if is_last else "(?:[^/]+/)*")
        else:
            pieces.append(re.sub(r"\[!?\]?[^\]/]*\]|.", _sign, part, flags=re.DOTALL) + ("" if is_last else "/"))
    return "".join(pieces)


def _sign(match: re.Match[str]) -> str:
    sign = match[0]
    if sign in {"*", "?"}:
        return {"*": "[^/]*", "?": "[^/]"}[sign]
    if len(sign) == 1:
        return re.escape(sign)
    inverted = sign.startswith("[!")
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", sign[2 if inverted else 1 : -1])
    return f"[{'^' if inverted else ''}{inside}]"


def _alternatives(pattern: str) -> list[str]:
    """The pattern with each ``{a,b}`` written out."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^{}/]*\})", pattern)]
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST_ALTERNATIVES:
        raise InvalidRequest(
            f"The pattern {pattern[:60]!r} stands for more than {MOST_ALTERNATIVES} patterns; write it shorter."
        )
    return ["".join(chosen) for chosen in itertools.product(*parts)]
