"""All settings: one frozen object, merged from defaults, user file, environment and flags, in that order."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

Source = Literal["default", "file", "environment", "flag"]

ENVIRONMENT_PREFIX: Final = "VAIDER_"
NOT_SETTINGS: Final = frozenset(
    {
        *("VAIDER_VISION_API_KEY", "VAIDER_REPLAY_API_KEY", "VAIDER_MEMORIES_API_KEY", "VAIDER_SETTINGS"),
        *("VAIDER_TOKEN", "VAIDER_TOKEN_FILE", "VAIDER_SERVER", "VAIDER_LABEL"),
    }
)
"""Names with our prefix that hold a secret, a place or a caller's own word, and are read by those who need them."""

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
        *("allowed_hosts", "workflow_dirs", "expose_as_tools", "gate_allow_apps", "gate_block_apps"),
        *("record_exclude_apps", "record_exclude_titles", "record_exclude_urls"),
    }
)
"""The settings that hold several values."""


class SettingsError(ValueError):
    """A setting is unknown or its value does not fit; the message names it, its source and the mend."""


def user_settings_file() -> Path:
    """The user's own settings, TOML in the shape of ``defaults.toml``; need not exist."""
    return Path(platformdirs.user_config_dir("vaider", appauthor=False)) / "settings.toml"


def default_data_dir() -> Path:
    """The platform's place for application data, when ``data_dir`` is not set."""
    return Path(platformdirs.user_data_dir("vaider", appauthor=False))


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

    file: Path = field(default_factory=user_settings_file)
    in_file: Mapping[str, Any] = field(default_factory=dict[str, Any])
    environment: Mapping[str, Any] = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def read(cls, environment: Mapping[str, str], flags: Mapping[str, Any] | None, user_file: Path | None) -> Sources:
        """Read all of them. Raises ``SettingsError`` for a file that cannot be read."""
        given = environment.get("VAIDER_SETTINGS")
        path = user_file or (Path(given) if given else user_settings_file())
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
    """The default value of each setting."""
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


class Settings(BaseModel):
    """Every setting. Descriptions stand beside the defaults in ``defaults.toml``."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    _sources: Sources = PrivateAttr(default_factory=Sources)

    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    allowed_hosts: tuple[str, ...]
    require_token: bool
    public_url: Annotated[str, Field(pattern=r"^(https?://[A-Za-z0-9.\-\[\]:]+)?$")]
    data_dir: str
    database_url: str
    role: Literal["all", "api", "worker"]
    store_url: str
    log_level: Literal["debug", "info", "warning", "error"]

    provider: Literal["auto", "local", "gemini", "vision"]
    analysis_timeout_seconds: Annotated[float, Field(ge=5)]
    max_parallel_analyses: Annotated[int, Field(ge=1, le=64)]
    max_video_bytes: Annotated[int, Field(ge=1)]
    max_video_seconds: Annotated[float, Field(gt=0)]
    upload_keep_days: Annotated[float, Field(ge=0)]
    upload_keep_bytes: Annotated[int, Field(ge=0)]

    analysis_keep_days: Annotated[float, Field(ge=0)]
    analysis_keep_bytes: Annotated[int, Field(ge=0)]

    gemini_model: str
    gemini_base_url: str

    vision_base_url: str
    vision_model: str

    replay_provider: Literal["local", "anthropic", "openai", "gemini", "tagged"]
    replay_on_takeover: Literal["cancel", "pause"]
    replay_max_minutes: Annotated[float, Field(ge=0)]
    replay_max_usd: Annotated[float, Field(ge=0)]
    replay_elements: bool
    replay_notify: bool
    workflow_dirs: tuple[str, ...]
    expose_as_tools: tuple[str, ...]

    reload: bool
    reload_auto: bool

    display: Annotated[str, Field(pattern=r"^(current|private|:\d+(\.\d+)?)$")]
    display_size: Annotated[str, Field(pattern=r"^\d{3,5}x\d{3,5}$")]
    stop_key: str

    record_when: Literal["never", "always", "runs"]
    record_display: Annotated[str, Field(pattern=r"^(current|:\d+(\.\d+)?)(@.+)?$")]
    record_size: Annotated[str, Field(pattern=r"^(native|\d{3,5}x\d{3,5})$")]
    record_fps: Annotated[float, Field(gt=0, le=10)]
    record_segment_seconds: Annotated[float, Field(ge=1, le=3600)]
    record_border: bool
    record_input_log: bool
    record_exclude_apps: tuple[str, ...]
    record_exclude_titles: tuple[str, ...]
    record_exclude_urls: tuple[str, ...]
    record_exclude_usual: bool
    record_keep_segments: Annotated[int, Field(ge=0)]
    record_keep_days: Annotated[float, Field(ge=0)]
    record_keep_bytes: Annotated[int, Field(ge=0)]

    memory_keep_days: Annotated[float, Field(ge=0)]
    memory_refiner: Literal["none", "gemini", "vision", "memories"]
    memory_refiner_daily_calls: Annotated[int, Field(ge=1)]
    memories_base_url: str

    embeddings_provider: Literal["none", "gemini", "openai"]
    embeddings_model: str
    embeddings_base_url: str

    gate: Literal["allow", "confirm_risky"]
    gate_allow_apps: tuple[str, ...]
    gate_block_apps: tuple[str, ...]

    anthropic_model: str
    anthropic_base_url: str
    openai_model: str
    openai_base_url: str
    tagged_provider: Literal["openai", "gemini", "dashscope", "qwen", "custom"]
    tagged_model: str
    tagged_base_url: str

    def with_sources(self, sources: Sources) -> Settings:
        """The same, that know what they were merged from."""
        known = self.model_copy()
        known._sources = sources  # noqa: SLF001 - of a copy that is ours alone
        return known

    def with_role(self, role: str) -> Settings:
        """The same, for a process of that role of a farm."""
        return self.model_copy(update={"role": role})

    @property
    def sources(self) -> Sources:
        """What they were merged from."""
        return self._sources

    @property
    def known_hosts(self) -> tuple[str, ...]:
        """The further Host names that requests may carry, that of the address behind a proxy among them."""
        public = urlsplit(self.public_url).hostname
        return (*self.allowed_hosts, *([f"[{public}]" if ":" in public else public] if public else []))

    @property
    def data_path(self) -> Path:
        """The data directory, whether set or the platform's."""
        return Path(self.data_dir).expanduser() if self.data_dir else default_data_dir()

    @property
    def learning_provider(self) -> str:
        """Who makes a task of a recording: as with videos, but that a vision model cannot, so that nothing leaves."""
        return "local" if self.provider == "vision" else self.provider

    @property
    def workflow_roots(self) -> tuple[Path, ...]:
        """The folders that hold workflows, the first one for those that are imported."""
        further = (Path(folder).expanduser().absolute() for folder in self.workflow_dirs)
        return (self.data_path / "workflows", *further, Path.cwd() / "workflows")

    @property
    def resolved_database_url(self) -> str:
        """The database's SQLAlchemy URL; SQLite in the data directory unless set."""
        return self.database_url or f"sqlite:///{self.data_path / 'vaider.db'}"


def load_settings(
    *, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None, user_file: Path | None = None
) -> Settings:
    """Merge the four sources; flags that are ``None`` were not given.

    Raises:
        SettingsError: an unknown name (with the nearest known one), a value that does not fit, a broken user file.

    """
    return explain_settings(environment=environment, flags=flags, user_file=user_file)[0]


def explain_settings(
    *, environment: Mapping[str, str], flags: Mapping[str, Any] | None = None, user_file: Path | None = None
) -> tuple[Settings, dict[str, str]]:
    """The same, and where each value comes from."""
    return merged(Sources.read(environment, flags, user_file))


def merged(sources: Sources) -> tuple[Settings, dict[str, str]]:
    """What the sources make together, and where each value comes from. Raises ``SettingsError``."""
    values = defaults()
    origin = dict.fromkeys(values, "defaults.toml")
    for _, source, said in sources:
        for name, value in said.items():
            if name in RETIRED:
                continue
            if name not in values:
                raise SettingsError(unknown(name, source, values))
            values[name] = value
            origin[name] = source
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise SettingsError(f"Setting {name!r} in {origin[name]} does not fit: {first['msg']}.") from None
    return settings.with_sources(sources), origin
