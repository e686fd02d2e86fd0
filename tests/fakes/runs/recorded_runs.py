"""A run as a journal tells it, with pictures of a drawn form."""

import time
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from core.runs.ports import RunFolder
from core.runs.run import Check, Run, RunOutcome, Spent, SubtaskRun
from core.screens import Picture

TEXTS: Final = (
    "Fill in the form. Expected outcome: the name is shown.",
    "Send it. Expected outcome: the page says that it was sent.",
)
DOCUMENT: Final = {"task_name": "send_a_form", "plan": {"subtasks": [{"text": text} for text in TEXTS]}}


def picture(words: str = "", *, width: int = 1280, height: int = 720) -> Picture:
    """A form with some words in its field."""
    image = Image.new("RGB", (width, height), "#f4f5f7")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=22)
    draw.rectangle((0, 0, width, 48), fill="#2b4a8b")
    draw.text((24, 10), "Parcels - New parcel", fill="white", font=font)
    draw.text((200, 180), "Name", fill="black", font=font)
    draw.rectangle((320, 170, 900, 215), fill="white", outline="#888888")
    draw.text((332, 178), words, fill="black", font=font)
    draw.rectangle((320, 560, 470, 610), fill="#2b4a8b")
    draw.text((360, 570), "Send", fill="white", font=font)
    return Picture(width, height, image.tobytes("raw", "BGRX"), time.monotonic())


def action(subtask: int, iteration: int, *, memory: str = "", **members: Any) -> dict[str, Any]:
    """A row of type ``computer_use``."""
    reported = {"observation": members.pop("observation", "The form is shown."), "task_memory": memory}
    outcome = {"outcome": members.pop("outcome", "confirmed"), "evidence": members.pop("evidence", "It changed.")}
    return {
        "type": "computer_use",
        "subtask_idx": subtask,
        "iter": iteration,
        "tool_call": {"name": "computer_use", "arguments": members},
        "pixel_action": members | reported,
        "task_memory": memory,
        **outcome,
    }


def record(folder: RunFolder, *, name: str = "Ada Lovelace", outcome: RunOutcome = RunOutcome.SUCCEEDED) -> Run:
    """Write the rows and pictures of a run of two subtasks, and finish it."""
    folder.rendered(DOCUMENT)
    folder.memory("", {})
    folder.screenshot(0, 0, picture())
    folder.row(action(0, 0, action="left_click", x_px=610, y_px=192))
    folder.screenshot(0, 1, picture())
    folder.row(action(0, 1, action="type", text=name, evidence=f'"{name}" is shown.'))
    folder.screenshot(0, 2, picture(name))
    extract = {"type": "extract", "subtask_idx": 0, "iter": 2, "variable_name": "extract_0", "query": "The name"}
    folder.row(extract | {"value": name, "task_memory": "The name is in."})
    check = {"expected": "the name is shown", "verdict": "pass", "evidence": f'"{name}" at 332, 178'}
    done = {"type": "done", "subtask_idx": 0, "iter": 2, "result": "Filled in.", "task_memory": "The name is in."}
    folder.row(done | {"check": check})
    folder.memory("The name is in.", {"extract_0": name})
    folder.screenshot(1, 0, picture(name))
    drag: dict[str, Any] = {"action": "left_click_drag", "start_x_px": 600, "start_y_px": 300, "x_px": 900, "y_px": 400}
    folder.row(action(1, 0, **drag, outcome="no_visible_effect", evidence="The screen looks as before."))
    folder.row(action(1, 0, action="left_click", x_px=395, y_px=585, modifiers=["ctrl"]))
    error = {"type": "exec_error", "subtask_idx": 1, "iter": 1, "error": "There is no such program.", "task_memory": ""}
    folder.screenshot(1, 1, picture(name))
    folder.row(error | {"pixel_action": {"action": "open_app", "name": "nosuch"}})
    run = finished(folder, name, outcome)
    folder.finish(run)
    return run


def finished(folder: RunFolder, name: str, outcome: RunOutcome = RunOutcome.SUCCEEDED) -> Run:
    """How that run ended."""
    seen = Check(expected="the name is shown", verdict="pass", evidence=f'"{name}" at 332, 178')
    last = Check(expected='"Sent" is shown', verdict="unclear", evidence='The nearest is "Send".')
    return Run(
        run_id=folder.directory.name,
        job_id="job-1",
        workflow="/home/ada/workflows/send_a_form",
        task_name="send_a_form",
        outcome=outcome,
        reason="" if outcome is RunOutcome.SUCCEEDED else "Subtask 2 exceeded max iterations (30).",
        provider="local",
        model="offline",
        display=":99",
        params={"name": name},
        extracts={"extract_0": name},
        subtasks=(SubtaskRun(index=0, text=TEXTS[0], iterations=3, result="Filled in.", check=seen, duration_ms=2345),),
        success_check=last,
        subtask_total=2,
        stopped_at=None if outcome is RunOutcome.SUCCEEDED else 1,
        spent=Spent(steps=5, model_calls=7, input_tokens=12345, output_tokens=678, usd=0.0421),
        started_at="2026-03-01T12:00:00.000+00:00",
        duration_ms=75_400,
        directory=str(folder.directory),
    )
