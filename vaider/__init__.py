"""The pytest plugin: ``pytest -p vaider --vaider``.

A run that does not ask for it imports no more than the fixture and the mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_HELP = (
    "Watch the videos of failed tests and of those with expectations: warn (default) tells what contradicts a passed "
    "test, fail makes it an error, off watches nothing."
)
_MARK = (
    "vaider(*expectations): what the test's video should show, e.g. "
    "vaider('\"Order confirmed\" appears within 2 s'); judged with --vaider"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--vaider``."""
    group = parser.getgroup("vaider", "what the videos of tests show")
    choices = ("warn", "fail", "off")
    group.addoption("--vaider", nargs="?", const="warn", default="off", choices=choices, help=_HELP)


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known; watch only where that is wanted."""
    config.addinivalue_line("markers", _MARK)
    from vaider.watching import Expecting, Watching  # noqa: PLC0415 - see below

    config.pluginmanager.register(Expecting(), "vaider-expecting")
    if config.getoption("vaider") != "off":
        config.pluginmanager.register(Watching(config), "vaider-watching")
