"""The daemon's settings as they are in force, as they will be, which a page may change, and how."""

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, ValidationError

from config.settings import Settings, SettingsError, Sources, defaults, file_text, merged, parse_file, unknown
from config.settings_file import descriptions, with_values
from core.errors import Conflict, Forbidden, InvalidSetting, StorageFailed
from core.files import Folder, make_private

_REACH: Final = "says who can reach the daemon"
_PLACES: Final = "says where everything is kept"
_KEYS: Final = "says where keys and what goes with them are sent"
_PROGRAMS: Final = "names what is started, or where that comes from"
_GUARDS: Final = "keeps runs in bounds, and a run could press the button too"

_FIXED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("host", "port", "allowed_hosts", "require_token", "public_url"), _REACH),
    **dict.fromkeys(("data_dir", "database_url", "store_url"), _PLACES),
    **dict.fromkeys(
        (
            *("gemini_base_url", "vision_base_url", "memories_base_url", "embeddings_base_url"),
            *("anthropic_base_url", "openai_base_url", "tagged_base_url", "tagged_provider"),
        ),
        _KEYS,
    ),
    **dict.fromkeys(("workflow_dirs",), _PROGRAMS),
    **dict.fromkeys(
        (
            *("gate", "gate_allow_apps", "gate_block_apps"),
            *("stop_key", "replay_on_takeover", "reload_auto"),
        ),
        _GUARDS,
    ),
}
AT_ONCE: Final = frozenset(
    {
        *("record_display", "record_size", "record_fps", "record_segment_seconds", "record_border", "record_input_log"),
        *("record_exclude_apps", "record_exclude_titles", "record_exclude_urls", "record_exclude_usual"),
        *("record_keep_segments", "record_keep_days", "record_keep_bytes"),
    }
)
"""What the running recorder takes over; the rest is in force when the daemon is started again."""
OFF: Final = "none"
SWITCHES: Final = frozenset({"memory_refiner", "embeddings_provider"})
"""To whom what was recorded goes: ``OFF`` is in force at once, anything else at the next start."""
LONGEST_TEXT: Final = 500
MOST_VALUES: Final = 200
LARGEST: Final = 2**63 - 1
"""Of the whole numbers that TOML promises."""


def why_fixed(name: str) -> str | None:
    """Why no page may change it, as a sentence; ``None`` when it may."""
    why = _FIXED.get(name)
    return None if why is None else f"{name!r} {why}: set it in the settings file, in the environment or by a flag."


def check_value(name: str, value: object) -> None:
    """Refuse what no setting is, however its type may be. Raises ``InvalidSetting``."""
    texts = list(_texts(value))
    if isinstance(value, int | float) and abs(value) > LARGEST:
        raise InvalidSetting(f"Setting {name!r} does not fit: it is too large a number.", field=name)
    if isinstance(value, list) and len(texts) > MOST_VALUES:
        raise InvalidSetting(f"Setting {name!r} does not fit: at most {MOST_VALUES} values.", field=name)
    for text in texts:
        if len(text) > LONGEST_TEXT:
            raise InvalidSetting(f"Setting {name!r} does not fit: at most {LONGEST_TEXT} characters.", field=name)
        if not text.isprintable():
            message = f"Setting {name!r} does not fit: no line breaks, no control characters."
            raise InvalidSetting(message, field=name)
        if isinstance(value, list) and not text.strip():
            raise InvalidSetting(f"Setting {name!r} does not fit: an empty value is in it.", field=name)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (each for each in value if isinstance(each, str))  # pyright: ignore[reportUnknownVariableType]


log = logging.getLogger("vaider.settings")

_SHOWN: Final = 60
_SECRET: Final = re.compile(r"(?i)(?<=[?&])([^=&#]*(?:pass|key|token|secret|auth)[^=&#]*)=[^&#\s]*")
_USER: Final = re.compile(r"(?<=://)[^/@\s]*@")


class Setting(BaseModel):
    """One setting. URLs are shown without user and password."""

    name: str
    section: str
    description: str
    type: Literal["text", "choice", "number", "integer", "boolean", "list"]
    choices: list[str] | None = Field(description="Of a `choice`, else null.")
    minimum: float | None
    maximum: float | None
    above: float | None = Field(description="It must be more than that.")
    pattern: str | None = Field(description="A regular expression that a text must match.")
    value: Any = Field(description="What is in force.")
    default: Any
    next: Any = Field(description="What will be in force when the daemon is started again.")
    source: Literal["default", "file", "environment", "flag"] = Field(description="Where `value` comes from.")
    set_by: str | None = Field(description="The variable or the flag that wins over the file, else null.")
    in_file: bool = Field(description="Whether the settings file says something of it.")
    writable: bool = Field(description="Whether `PATCH /settings` changes it.")
    fixed: str | None = Field(description="Why not, in a sentence.")
    at_once: bool = Field(description="Whether a change is in force at once, not only at the next start.")
    restart: bool = Field(description="Whether `next` differs from `value`: start the daemon again.")


class SettingsSection(BaseModel):
    """A heading."""

    name: str
    note: str


class AllSettings(BaseModel):
    """All of them."""

    file: str = Field(description="The settings file; it need not exist.")
    problem: str | None = Field(description="Why the file cannot be used: mend it by hand first.")
    restart: bool = Field(description="Whether any setting waits for the next start.")
    sections: list[SettingsSection]
    settings: list[Setting]


class Configuration:
    """Safe to call from any thread.

    Args:
        settings: those that the daemon was started with.
        apply: is given the settings when one has changed that is in force at once; blocks until that is so.

    """

    def __init__(self, settings: Settings, apply: Callable[[Settings], None] | None = None) -> None:
        self._in_force = settings
        self._apply = apply
        self._origins = {name: settings.sources.source_of(name) for name in Settings.model_fields}
        self._lock = threading.Lock()

    def all(self) -> AllSettings:
        """Every setting, with all that is known of it."""
        with self._lock:
            return self._all()

    def change(self, changes: Mapping[str, Any]) -> AllSettings:
        """Write them to the user's file, all or none; ``None`` takes one out, which makes it the default.

        Raises:
            InvalidSetting: there is no such setting, or a value does not fit.
            Forbidden: one that is not to be changed so.
            Conflict: one that the environment or a flag has the last word on; or the file is no TOML.
            StorageFailed: the file cannot be written.

        """
        with self._lock:
            for name, value in changes.items():
                self._check(name, value)
            values = self._fitting(changes)
            text = self._written(values)
            if text is not None:
                self._write(text)
                log.info("settings.changed", extra={"names": sorted(changes)})
            self._take_over(changes)
            return self._all()

    def _check(self, name: str, value: object) -> None:
        if name not in Settings.model_fields:
            raise InvalidSetting(unknown(name[:_SHOWN], "the body", Settings.model_fields), field=name[:_SHOWN])
        if fixed := why_fixed(name):
            raise Forbidden(f"Setting {fixed}", field=name)
        if winner := self._in_force.sources.set_by(name):
            raise Conflict(
                f"Setting {name!r} was given to the daemon by {winner}, which wins over the file: change it there.",
                field=name,
            )
        check_value(name, value)

    def _fitting(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The new values as the model has them, so that what is written is what was meant."""
        given = {name: value for name, value in changes.items() if value is not None}
        whole = self._in_force.model_dump(mode="json") | given
        try:
            settings = Settings.model_validate_json(json.dumps(whole), strict=True)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            name = str(first["loc"][0])
            raise InvalidSetting(f"Setting {name!r} does not fit: {first['msg']}.", field=name) from None
        fitting = settings.model_dump(mode="json")
        return {name: None if value is None else fitting[name] for name, value in changes.items()}

    def _written(self, values: Mapping[str, Any]) -> str | None:
        """The file's new text, ``None`` when nothing changes; the next start must be able to read it."""
        path = self._in_force.sources.file
        try:
            text = file_text(path)
            before = parse_file(path, text)
        except SettingsError as error:
            raise Conflict(str(error)) from None
        needless = {name for name, value in values.items() if name not in before and value is None}
        needed = {name: value for name, value in values.items() if name not in needless}
        if not needed:
            return None
        try:
            changed = with_values(text, needed)
            self._upcoming(changed)
        except SettingsError as error:
            message = str(error)
            sentence = message if message.startswith("Setting ") else f"{path} cannot be changed: {message}."
            raise Conflict(f"{sentence} Mend it by hand.") from None
        return changed

    def _upcoming(self, text: str) -> Settings:
        """What the next start makes of the file; what is no setting in it is passed over. Raises ``SettingsError``."""
        return merged(self._sources(text))[0]

    def _sources(self, text: str) -> Sources:
        sources = self._in_force.sources
        found = parse_file(sources.file, text)
        known = {name: value for name, value in found.items() if name in Settings.model_fields}
        return replace(sources, in_file=known)

    def _write(self, text: str) -> None:
        # A link stays one: the file is where its owner wants it.
        path = self._in_force.sources.file.resolve()
        try:
            make_private(path.parent)
            with Folder.open(path.parent) as folder:
                folder.replace(path.name, text.encode())
        except (OSError, StorageFailed) as error:
            why = error.strerror if isinstance(error, OSError) else error.message
            raise StorageFailed(f"{path} cannot be written: {why}. Nothing was changed.") from None

    def _take_over(self, changes: Mapping[str, Any]) -> None:
        if not (AT_ONCE | SWITCHES) & changes.keys():
            return
        upcoming = self._upcoming(file_text(self._in_force.sources.file))
        names = (AT_ONCE | {name for name in SWITCHES if getattr(upcoming, name) == OFF}) & changes.keys()
        before = self._in_force
        self._in_force = before.model_copy(update={name: getattr(upcoming, name) for name in names})
        self._origins |= {name: upcoming.sources.source_of(name) for name in names}
        if self._apply is not None and any(getattr(before, name) != getattr(upcoming, name) for name in names):
            self._apply(self._in_force)

    def _all(self) -> AllSettings:
        upcoming, problem = self._in_force, None
        in_file: frozenset[str] = frozenset()
        try:
            sources = self._sources(file_text(self._in_force.sources.file))
            in_file = frozenset(sources.in_file)
            upcoming = merged(sources)[0]
        except SettingsError as error:
            problem = str(error)
        sections, described = descriptions()
        schema = Settings.model_json_schema()["properties"]
        now, then = (each.model_dump(mode="json") for each in (self._in_force, upcoming))
        initial = Settings.model_validate(defaults()).model_dump(mode="json")
        settings = [
            Setting(
                name=name,
                section=described[name].section,
                description=described[name].text,
                **_shape(schema[name]),
                value=shown(now[name]),
                default=shown(initial[name]),
                next=shown(then[name]),
                in_file=name in in_file,
                at_once=name in AT_ONCE,
                restart=now[name] != then[name],
                **self._rights(name),
            )
            for name in Settings.model_fields
        ]
        return AllSettings(
            file=str(self._in_force.sources.file),
            problem=problem,
            restart=any(setting.restart for setting in settings),
            sections=[SettingsSection(name=section.name, note=section.note) for section in sections],
            settings=settings,
        )

    def _rights(self, name: str) -> dict[str, Any]:
        winner = self._in_force.sources.set_by(name)
        fixed = why_fixed(name)
        if fixed is None and winner is not None:
            fixed = f"{name!r} was given to the daemon by {winner}, which wins over the file: change it there."
        return {"source": self._origins[name], "set_by": winner, "writable": fixed is None, "fixed": fixed}


def shown(value: Any) -> Any:
    """A setting as it may be shown: URLs without user and password, and without what a query names like one."""
    if isinstance(value, list):
        return [shown(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, str):
        return value
    return _SECRET.sub(r"\1=<hidden>", _USER.sub("<hidden>@", value))


def _shape(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a field's JSON schema says, in the words of a form."""
    kinds = {"string": "choice" if "enum" in schema else "text", "array": "list"}
    return {
        "type": kinds.get(schema["type"], schema["type"]),
        "choices": schema.get("enum"),
        "minimum": schema.get("minimum"),
        "maximum": schema.get("maximum"),
        "above": schema.get("exclusiveMinimum"),
        "pattern": schema.get("pattern"),
    }
