"""The far corner of screens of all sizes, and both of two monitors: clicks land where they shall."""

import json
from pathlib import Path

import pytest

from core.runs.run import RunOutcome
from tests.fakes.desktops.x_user import set_monitors, x_display
from tests.fakes.models.model_families import model_families
from tests.fakes.runs.made_workflows import made_page, step
from tests.fakes.runs.replaying import Case, Replays, program_case

pytestmark = pytest.mark.screen
CORNER = """
<button style="position: fixed; right: 24px; bottom: 24px" onclick="told('sail', 'The sail is up')">Hoist it</button>
<button style="position: fixed; right: 24px; bottom: 76px" onclick="told('anchor', 'At anchor')">Drop it</button>
"""
IS_UP = '"The sail is up" is shown.'
HOIST = step("CLICK", 'the "Hoist it" button')


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("size", "provider"),
    [
        ("1920x1080", "gemini"),
        ("2560x1440", "openai"),
        ("3840x2160", "anthropic"),
        ("3840x2160", "local"),
    ],
)
def test_a_click_lands_on_a_screen_of_any_size(size: str, provider: str, tmp_path: Path) -> None:
    with model_families() as families, made_page(tmp_path / "w", CORNER, HOIST, outcome=IS_UP) as case:
        run = Replays(tmp_path, families.makers).run(case, provider=provider, size=size)
        state = case.await_state()

    assert (run.outcome, run.reason, state) == (RunOutcome.SUCCEEDED, "", {"clicked": ["sail"]})
    width, height = (int(part) for part in size.split("x"))
    ((x, y),) = clicks(case)
    assert x > width - 200
    assert y > height - 80


@pytest.mark.nightly
def test_clicks_land_on_both_of_two_monitors_while_a_window_goes_from_one_to_the_other(tmp_path: Path) -> None:
    case = program_case("voyage", tmp_path)
    program = case.workflow / "program.py"
    moving = program.read_text(encoding="utf-8").replace("+40+40", "+1500+40").replace("+640+300", "+1920+300")
    program.write_text(moving, encoding="utf-8")
    with x_display(2560, 720) as display:
        set_monitors(display, (0, 0, 1280, 720), (1280, 0, 1280, 720))
        run = Replays(tmp_path).run(case, display=display)
        state = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert state == {"pressed": ["Cast off", "Hoist the sail", "Steer north"]}
    assert [x > 1280 for x, _ in clicks(case)] == [True, False, False]


def clicks(case: Case) -> list[tuple[int, int]]:
    """Where the clicks went."""
    rows = [json.loads(line) for line in (case.run_folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    acted = [row["pixel_action"] for row in rows if row["type"] == "computer_use"]
    return [(each["x_px"], each["y_px"]) for each in acted if each["action"] == "left_click"]
