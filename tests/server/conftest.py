import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings, load_settings
from tests.fakes.daemons.memory_daemon import Daemon, running


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(environment={}, flags={"data_dir": str(tmp_path / "data")}, user_file=tmp_path / "none.toml")


@pytest.fixture
def start(settings: Settings) -> Iterator[Callable[..., Daemon]]:
    """Start a daemon; keyword arguments change its settings, ``token`` guards it."""
    with contextlib.ExitStack() as stack:

        def starter(*, token: str | None = None, **changes: Any) -> Daemon:
            return stack.enter_context(running(settings.model_copy(update=changes), token))

        yield starter


@pytest.fixture
def daemon(start: Callable[..., Daemon]) -> Daemon:
    return start()
