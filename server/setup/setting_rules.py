"""Which settings a page may change, which not and why, and which are in force at once. Decision 103 has the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.errors import InvalidSetting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REACH: Final = "says who can reach the daemon"
_PLACES: Final = "says where everything is kept"
_KEYS: Final = "says where keys and what goes with them are sent"
_PROGRAMS: Final = "names what is started, or where that comes from"
_GUARDS: Final = "keeps runs in bounds, and a run could press the button too"

_FIXED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("host", "port", "allowed_hosts", "require_token"), _REACH),
    **dict.fromkeys(("data_dir", "database_url"), _PLACES),
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
