"""Where Vaider keeps its own things on this machine."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def user_settings_file() -> Path:
    """The user's own settings, TOML in the shape of ``defaults.toml``; need not exist."""
    return Path(platformdirs.user_config_dir("vaider", appauthor=False)) / "settings.toml"


def default_data_dir() -> Path:
    """The platform's place for application data, when ``data_dir`` is not set."""
    return Path(platformdirs.user_data_dir("vaider", appauthor=False))
