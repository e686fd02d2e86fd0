"""The process that reads the screen: it answers as the same parts do here, and costs the daemon nothing."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from adapters.desktop.eyes import ScreenEyes, png
from adapters.desktop.eyesight.targets import ScreenTargets
from adapters.desktop.warm_eyes import WarmEyes
from adapters.models.local.decider import LocalDecider
from adapters.perception import messages
from adapters.perception.client import ProcessDecider, ProcessEyes, ProcessTargets
from core.errors import Cancelled, Internal
from core.runs.deciding import Briefing, Observation, Subtask
from core.screens import Box, Point
from tests.clock import until
from tests.fakes.desktops.desktop_pictures import drawn, text
from tests.fakes.runs.local_runs import step

ROOT = Path(__file__).parents[3]
BEFORE = drawn(text(40, 40, "Send a parcel"), text(40, 120, "Place order"))
AFTER = drawn(text(40, 40, "Send a parcel"), text(40, 120, "Order 1042 placed"))
WHOLE = Box(x=0, y=0, width=1280, height=720)


@pytest.fixture(scope="module")
def eyes() -> Iterator[ProcessEyes]:
    with closing(ProcessEyes(2)) as eyes:
        yield eyes


@pytest.fixture(scope="module")
def here() -> Iterator[ScreenEyes]:
    with closing(ScreenEyes()) as here:
        yield here


def nothing() -> None:
    """Nothing stops it."""


@pytest.mark.nightly
def test_what_is_read_and_seen_to_change_is_what_is_read_here(eyes: ProcessEyes, here: ScreenEyes) -> None:
    for picture in (BEFORE, AFTER, BEFORE, drawn(text(9, 9, "A fourth")), AFTER):
        assert list(eyes.read(picture)) == list(here.read(picture))
    assert list(eyes.changes(BEFORE, AFTER)) == list(here.changes(BEFORE, AFTER))
    assert eyes.png(AFTER) == png(AFTER)


def test_targets_are_cut_out_and_found_as_here(eyes: ProcessEyes, here: ScreenEyes) -> None:
    targets, own = ProcessTargets(WarmEyes(lambda: eyes)), ScreenTargets()
    anchor = targets.cut(BEFORE, Point(x=60, y=128), WHOLE, ignore=(), reader=eyes)

    assert anchor is not None
    assert anchor == own.cut(BEFORE, Point(x=60, y=128), WHOLE, ignore=(), reader=here)
    for picture in (BEFORE, AFTER):
        assert targets.find(anchor, picture, WHOLE, reader=eyes) == own.find(anchor, picture, WHOLE, reader=here)


def test_the_decider_decides_as_here(eyes: ProcessEyes, here: ScreenEyes) -> None:
    briefing = Briefing("Send a parcel", "", {}, 1280, 720)
    subtask = Subtask(0, 1, "Place it.", "", (step("CLICK", 'the "Place order" text'),))
    observation = Observation(BEFORE)
    with ProcessDecider().open(briefing, eyes) as there, LocalDecider().open(briefing, here) as local:
        for conversation in (there, local):
            conversation.begin(subtask)
        decision = there.decide(observation, nothing)
        assert decision == local.decide(observation, nothing)
    assert decision.proposals[0].move.action == "left_click"


def test_a_run_that_is_cancelled_waits_for_no_decision(eyes: ProcessEyes) -> None:
    def cancelled() -> None:
        raise Cancelled("Enough.")

    with pytest.raises(Cancelled):
        eyes.call("eyes", "read", drawn(text(9, 9, "Not read before")), raise_if_cancelled=cancelled)
    assert [line.text for line in eyes.read(BEFORE)] == ["Send a parcel", "Place order"]


def test_when_the_process_dies_the_run_is_told_and_the_next_run_gets_another() -> None:
    warm = WarmEyes(lambda: ProcessEyes(2))
    with warm.borrow() as eyes:
        eyes.read(BEFORE)
        os.kill(eyes.pid, signal.SIGKILL)
        with pytest.raises(Internal, match="process that reads the screen"):
            eyes.read(AFTER)
    with warm.borrow() as again:
        assert [line.text for line in again.read(BEFORE)] == ["Send a parcel", "Place order"]
    warm.close()


def test_the_process_ends_when_it_was_not_used_for_a_while() -> None:
    warm = WarmEyes(lambda: ProcessEyes(2), seconds=0.1)
    with warm.borrow() as eyes:
        assert psutil.pid_exists(eyes.pid)
    until(lambda: not psutil.pid_exists(eyes.pid))


def test_what_the_process_answers_makes_nothing_but_values_of_the_core() -> None:
    for evil in (os.kill, subprocess.Popen, ProcessEyes, pickle.loads):
        with pytest.raises(pickle.UnpicklingError):
            messages.heard(pickle.dumps(evil))
    assert messages.heard(messages.answered([WHOLE, b"file", None])) == [WHOLE, b"file", None]


def test_the_daemons_side_imports_nothing_that_is_heavy() -> None:
    reported = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import sys, server.composition.replaying\n"
                "print(*({'cv2', 'numpy', 'onnxruntime', 'PIL'} & set(sys.modules)))"
            ),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert reported.stdout.split() == []
