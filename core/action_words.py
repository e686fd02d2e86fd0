"""An action as the rows of a run have it, and in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from core.actions import Action

PIXELS_A_NOTCH: Final = 100
"""Of the wheel, as the run's rows and the models count: positive goes down or right."""
_RENAMED: Final = {"seconds": "time", "region": "region_px"}


def shown(action: Action) -> dict[str, Any]:
    """An action as the run's rows have it: ``{action, keys?, text?, time?, pixels?, x_px?, y_px?, …}``."""
    row: dict[str, Any] = {}
    for name, value in action.model_dump(mode="json").items():
        if name == "at":
            row |= {"x_px": value["x"], "y_px": value["y"]} if value else {}
        elif name == "path":
            row |= {"x_px": value[-1]["x"], "y_px": value[-1]["y"]}
            row |= {"start_x_px": value[0]["x"], "start_y_px": value[0]["y"]}
        elif name == "notches":
            row["pixels"] = value * PIXELS_A_NOTCH
        elif name not in {"modifiers", "repeat"} or (value and value != 1):
            row[_RENAMED.get(name, name)] = value
    return row


def in_words(action: Action) -> str:
    """An action in a few words for people and models: ``left_click at (512, 384)``."""
    row = shown(action)
    said = str(row.pop("action"))
    if "start_x_px" in row:
        said += f" from ({row['start_x_px']}, {row['start_y_px']}) to ({row['x_px']}, {row['y_px']})"
    elif "x_px" in row:
        said += f" at ({row['x_px']}, {row['y_px']})"
    for name in ("text", "name", "url"):
        if name in row:
            said += f" {json.dumps(row[name], ensure_ascii=False)}"
    if "keys" in row:
        said += f" {'+'.join(row['keys'])}"
    if "pixels" in row:
        said += f" by {row['pixels']} px"
    if "time" in row:
        said += f" for {row['time']:g} s"
    return said
