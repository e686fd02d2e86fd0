import os
import signal
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from adapters.desktop.children import descendants
from adapters.desktop.displays import LocalDesktops
from adapters.desktop.process.child import SpareProcess
from core.actions import ACTION
from core.errors import DesktopUnavailable
from tests import processes
from tests.clock import until
from tests.fakes.desktops.acting_desktops import nothing
from tests.fakes.desktops.x_user import x_display

pytestmark = pytest.mark.screen
CLICK = ACTION.validate_python({"action": "left_click", "at": {"x": 300, "y": 200}})


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(640, 480, manager=False) as name:
        yield name


@pytest.fixture
def desktops(tmp_path: Path) -> Generator[LocalDesktops]:
    with closing(LocalDesktops(data_dir=tmp_path)) as found:
        yield found


def _acting() -> set[int]:
    """The acting processes of this one."""
    return set(processes.running("adapters.desktop.process.worker"))


def test_what_was_kept_warm_is_what_acts(display: str, desktops: LocalDesktops) -> None:
    desktops.warm()
    desktops.warm()
    (spare,) = _acting()
    with desktops.open(display, run="one", size=None, raise_if_cancelled=nothing) as desktop:
        assert desktop.look().width == 640
        desktop.act(CLICK, nothing)
        assert _acting() == {spare}
    until(lambda: not _acting())


@pytest.mark.nightly
def test_a_display_that_was_taken_with_it_is_taken(display: str, desktops: LocalDesktops, tmp_path: Path) -> None:
    desktops.warm()
    with desktops.open(display, run="one", size=None, raise_if_cancelled=nothing):
        other = LocalDesktops(data_dir=tmp_path)
        with pytest.raises(DesktopUnavailable), other.open(display, run="two", size=None, raise_if_cancelled=nothing):
            pass
    with desktops.open(display, run="three", size=None, raise_if_cancelled=nothing) as desktop:
        assert desktop.size == (640, 480)


def test_one_that_died_is_replaced(display: str, desktops: LocalDesktops) -> None:
    desktops.warm()
    (spare,) = _acting()
    os.kill(spare, signal.SIGKILL)
    until(lambda: not _acting())
    with desktops.open(display, run="one", size=None, raise_if_cancelled=nothing) as desktop:
        assert desktop.size == (640, 480)
    desktops.warm()
    assert len(_acting()) == 1


@pytest.mark.nightly
def test_one_that_nobody_takes_ends() -> None:
    spare = SpareProcess(seconds=0.05)
    spare.warm()
    until(lambda: not _acting())


def test_one_that_is_not_wanted_any_more_ends() -> None:
    spare = SpareProcess()
    spare.warm()
    assert len(_acting()) == 1
    spare.close()
    assert not _acting()


def test_a_private_display_ends_with_the_process_that_was_kept_for_it(desktops: LocalDesktops) -> None:
    before = set(descendants(os.getpid()))
    desktops.warm()
    (spare,) = _acting()
    with desktops.open("private", run="one", size=(640, 480), raise_if_cancelled=nothing) as desktop:
        assert desktop.look().width == 640
        assert _acting() == {spare}
        assert len(descendants(spare)) > 1
    until(lambda: set(descendants(os.getpid())) <= before)
