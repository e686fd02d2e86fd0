"""Where settings come from: the defaults, the user's file, the environment and flags, each kept apart."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from config import paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Source = Literal["default", "file", "environment", "flag"]

ENVIRONMENT_PREFIX: Final = "VAIDER_"
NOT_SETTINGS: Final = frozenset(
    {"VAIDER_VISION_API_KEY", "VAIDER_REPLAY_API_KEY", "VAIDER_MEMORIES_API_KEY", "VAIDER_SETTINGS", "VAIDER_TOKEN"}
)
"""Names with our prefix that hold a secret or a place, and are read by those who need them."""

RETIRED: Final = frozenset(
    [
        "anthropic_computer_tool",
        "browser",
        "gate_answer_seconds",
        "gemini_api_version",
        "gemini_fps",
        "gemini_media_resolution",
        "gemini_poll_seconds",
        "gemini_poll_tries",
        "hands",
        "job_timeout_seconds",
        "learning_provider",
        "max_video_pixels",
        "ocr_threads",
        "record_keep_hours",
        "record_microphone",
        "reload_auto_threshold",
        "reload_max_entries",
        "reload_max_idle_hours",
        "reload_min_similarity",
        "reload_report_seconds",
        "replay_call_attempts",
        "replay_max_held_minutes",
        "replay_max_iterations",
        "replay_max_model_calls",
        "replay_max_steps",
        "replay_quiet_seconds",
        "replay_settle_seconds",
        "replay_verify_seconds",
        "retry_attempts",
        "retry_max_seconds",
        "schedule_display",
        "schedule_idle_seconds",
        "schedule_zone",
        "task_run_days",
        "task_screenshots",
        "vision_max_frames",
    ]
)
"""Settings of earlier versions that decide nothing any more: they are passed over where they still stand."""

LISTS: Final = frozenset(
    {
        *("allowed_hosts", "workflow_dirs", "gate_allow_apps", "gate_block_apps"),
        *("record_exclude_apps", "record_exclude_titles", "record_exclude_urls"),
    }
)
"""The settings that hold several values."""


class SettingsError(ValueError):
    """A setting is unknown or its value does not fit; the message names it, its source and the mend."""


@dataclass(frozen=True)
class Sources:
    """What each source said when the settings were loaded.

    Args:
        file: the user's, which need not exist.
        in_file: what stood in it.
        environment: by setting, as the variables spell it; nothing else of the environment is in it.
        variables: the variable that each of these is from.
        flags: by setting.

    """

    file: Path = field(default_factory=paths.user_settings_file)
    in_file: Mapping[str, Any] = field(default_factory=dict[str, Any])
    environment: Mapping[str, Any] = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def read(cls, environment: Mapping[str, str], flags: Mapping[str, Any] | None, user_file: Path | None) -> Sources:
        """Read all of them. Raises ``SettingsError`` for a file that cannot be read."""
        given = environment.get("VAIDER_SETTINGS")
        path = user_file or (Path(given) if given else paths.user_settings_file())
        values, variables = _environment_values(environment)
        said = {name: value for name, value in (flags or {}).items() if value is not None}
        return cls(path, parse_file(path, file_text(path)), values, variables, said)

    def __iter__(self) -> Iterator[tuple[Source, str, Mapping[str, Any]]]:
        """Each source with its name for people and what it says, the one that wins last."""
        yield "file", str(self.file), self.in_file
        yield "environment", "the environment", self.environment
        yield "flag", "the command line", self.flags

    def source_of(self, name: str) -> Source:
        """Which of them won."""
        winner: Source = "default"
        for source, _, values in self:
            if name in values:
                winner = source
        return winner

    def set_by(self, name: str) -> str | None:
        """The flag or the variable that wins over the file, as people write it."""
        if name in self.flags:
            return f"--{name.replace('_', '-')}" if name in {"host", "port", "data_dir"} else f"--set {name}"
        return self.variables.get(name)


def defaults() -> dict[str, Any]:
    """The value that each setting has when nobody says anything."""
    return tomllib.loads(defaults_text())


def defaults_text() -> str:
    """The file that the defaults and their descriptions stand in."""
    return resources.files("config").joinpath("defaults.toml").read_text(encoding="utf-8")


def file_text(path: Path) -> str:
    """What stands in the user's file, empty when there is none. Raises ``SettingsError``."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is no readable TOML: {error}. Mend it, or move it away.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None


def parse_file(path: Path, text: str) -> dict[str, Any]:
    """The user's file as values. Raises ``SettingsError``."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is no readable TOML: {error}. Mend it, or move it away.") from None


def listed(text: str) -> list[str]:
    """A setting that is a list, as a variable or a flag spells it: separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def unknown(name: str, source: str, known: Mapping[str, Any]) -> str:
    """The sentence for a name that is none of a setting."""
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else " `vaider doctor --all` lists them all."
    return f"There is no setting {name!r} (in {source}).{hint}"


def _environment_values(environment: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    found: dict[str, tuple[str, Any]] = {}
    if provider := environment.get("REPLAY_PROVIDER"):
        found["replay_provider"] = ("REPLAY_PROVIDER", "tagged")
        found["tagged_provider"] = ("REPLAY_PROVIDER", provider)
    if model := environment.get("REPLAY_MODEL"):
        found["tagged_model"] = ("REPLAY_MODEL", model)
    for variable, text in environment.items():
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in NOT_SETTINGS:
            name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
            found[name] = (variable, listed(text) if name in LISTS else text)
    return {name: value for name, (_, value) in found.items()}, {name: which for name, (which, _) in found.items()}
