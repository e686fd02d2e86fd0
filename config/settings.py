"""All settings: one frozen object, merged from defaults, user file, environment and flags, in that order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from config import paths
from config.sources import RETIRED, SettingsError, Sources, defaults, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping


class Settings(BaseModel):
    """Every setting. Descriptions stand beside the defaults in ``defaults.toml``."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    _sources: Sources = PrivateAttr(default_factory=Sources)

    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    allowed_hosts: tuple[str, ...]
    require_token: bool
    data_dir: str
    database_url: str
    log_level: Literal["debug", "info", "warning", "error"]

    provider: Literal["auto", "local", "gemini", "vision"]
    analysis_timeout_seconds: Annotated[float, Field(ge=5)]
    max_parallel_analyses: Annotated[int, Field(ge=1, le=64)]
    max_video_bytes: Annotated[int, Field(ge=1)]
    max_video_seconds: Annotated[float, Field(gt=0)]
    upload_keep_days: Annotated[float, Field(ge=0)]
    upload_keep_bytes: Annotated[int, Field(ge=0)]

    gemini_model: str
    gemini_base_url: str

    vision_base_url: str
    vision_model: str

    replay_provider: Literal["local", "anthropic", "openai", "gemini", "tagged"]
    replay_on_takeover: Literal["cancel", "pause"]
    replay_max_minutes: Annotated[float, Field(ge=0)]
    replay_max_usd: Annotated[float, Field(ge=0)]
    replay_notify: bool
    workflow_dirs: tuple[str, ...]

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

    def told_by(self, sources: Sources) -> Settings:
        """The same, that know what they were merged from."""
        known = self.model_copy()
        known._sources = sources  # noqa: SLF001 - of a copy that is ours alone
        return known

    @property
    def sources(self) -> Sources:
        """What they were merged from."""
        return self._sources

    @property
    def data_path(self) -> Path:
        """The data directory, whether set or the platform's."""
        return Path(self.data_dir).expanduser() if self.data_dir else paths.default_data_dir()

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
    return settings.told_by(sources), origin
