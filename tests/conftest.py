"""What holds for every test: no real key, no user's own settings, and a canary key that no artefact may contain."""

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests.canary import CANARY, ProcessArguments, files_with
from tests.clock import TRIES, TooSlow
from tests.connections import OpenConnections

REPOSITORY = Path(__file__).parent.parent
_ARGUMENTS = ProcessArguments()
_CONNECTIONS = OpenConnections()
_LEAKS: pytest.StashKey[list[str]] = pytest.StashKey()
_TOO_SLOW: pytest.StashKey[bool] = pytest.StashKey()


# How fast examples are made and tried says something of the machine's other work, and nothing of what is tested.
_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", _UNHURRIED)
settings.register_profile("unhurried", _UNHURRIED, max_examples=15)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Plant the canary before any module of ours is imported, so that everything the run starts inherits it."""
    # Workers of one run share its data directory, which is searched and removed when the run ends.
    inherited = os.environ["VAIDER_DATA_DIR"] if hasattr(config, "workerinput") else None
    for name in [name for name in os.environ if name.startswith("VAIDER_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    # Hundreds of processes are started: each would compile all modules anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
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
    _CONNECTIONS.start()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest test: at the end, all workers but one would wait for it."""
    items.sort(key=lambda item: item.path.name != "test_readme_lines.py")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Begin a test anew that was too slow, for other work of the machine slows one try and a slow product all."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports: list[pytest.TestReport] = []
    for _ in range(TRIES):
        item.stash[_TOO_SLOW] = False
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not item.stash[_TOO_SLOW]:
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note each test that was too slow, and each whose output, log or failure shows the canary."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(TooSlow):
        item.stash[_TOO_SLOW] = True
    if CANARY in "".join(text for _, text in report.sections):
        item.config.stash[_LEAKS].append(f"output of {item.nodeid}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """After the last test of a file, when its fixtures are gone too, fail if a connection to SQLite is still open."""
    yield
    if (nextitem is None or nextitem.path != item.path) and (left := _CONNECTIONS.left()):
        pytest.fail(f"Connections to SQLite were left open by {', '.join(left)}.", pytrace=False)


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
