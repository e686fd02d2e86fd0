"""What holds for every test: no real key, no user's own settings, and a canary key that no artefact may contain."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.canary import CANARY, ProcessArguments, files_with

if TYPE_CHECKING:
    from collections.abc import Generator

REPOSITORY = Path(__file__).parent.parent
_ARGUMENTS = ProcessArguments()
_LEAKS: pytest.StashKey[list[str]] = pytest.StashKey()


# How fast examples are made and tried says something of the machine's other work, and nothing of what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Plant the canary before any module of ours is imported, so that everything the run starts inherits it."""
    # Workers of one run share its data directory, which is searched and removed when the run ends.
    inherited = os.environ["VAIDER_DATA_DIR"] if hasattr(config, "workerinput") else None
    for name in [name for name in os.environ if name.startswith("VAIDER_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    # A pipe has no width; pytest-xdist says that it has.
    os.environ.pop("COLUMNS", None)
    os.environ["GOOGLE_API_KEY"] = CANARY
    os.environ.pop("GEMINI_API_KEY", None)
    # The canary must not send an undecided run to the real Gemini.
    os.environ["VAIDER_PROVIDER"] = "local"
    os.environ["VAIDER_GEMINI_BASE_URL"] = "http://127.0.0.1:9"
    os.environ["VAIDER_DATA_DIR"] = inherited or tempfile.mkdtemp(prefix="vaider-tests-")
    os.environ["VAIDER_SETTINGS"] = str(Path(os.environ["VAIDER_DATA_DIR"]) / "no-settings.toml")
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    config.stash[_LEAKS] = []
    _ARGUMENTS.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note each test whose output, log or failure shows the canary."""
    report = yield
    if CANARY in "".join(text for _, text in report.sections):
        item.config.stash[_LEAKS].append(f"output of {item.nodeid}")
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Search all that the run wrote for the canary, and fail the run when it is found."""
    leaks = session.config.stash[_LEAKS] + _ARGUMENTS.stop()
    if not hasattr(session.config, "workerinput"):
        factory: pytest.TempPathFactory | None = getattr(session.config, "_tmp_path_factory", None)
        roots = [Path(os.environ["VAIDER_DATA_DIR"]), REPOSITORY / "tests" / "out"]
        roots += [factory.getbasetemp()] if factory else []
        leaks += [str(path) for root in roots for path in files_with(CANARY, root)]
    if leaks:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        for leak in leaks:
            if reporter:
                reporter.write_line(f"THE CANARY KEY LEAKED: {leak}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["VAIDER_DATA_DIR"], ignore_errors=True)
