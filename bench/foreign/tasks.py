"""All tasks of programs that nobody here wrote, and which of them are held out."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Final

from bench.foreign import desktop, editors, firefox, office, sites
from bench.foreign.task import HERE, OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.foreign.task import Task

SPLIT: Final[Mapping[str, list[str]]] = json.loads((HERE / "split.json").read_text(encoding="utf-8"))
TASKS: Final[Mapping[str, Task]] = {
    each.name: each for each in (*editors.TASKS, *office.TASKS, *desktop.TASKS, *sites.TASKS, *firefox.TASKS)
}


def lacking() -> str:
    """What is not installed; empty when nothing is."""
    programs = "mousepad localc pcmanfm galculator featherpad thunar xfce4-appearance-settings idle"
    programs += " gnome-text-editor focuswriter firefox-esr"
    missing = [each for each in programs.split() if shutil.which(each) is None]
    if not (OUT / "venv" / "bin" / "sqlite_web").exists():
        missing.append("sqlite_web")
    if not firefox.WORLD.exists():
        missing.append("what bench/world/install brings")
    return f"Run bench/foreign/install first: {', '.join(missing)} missing." if missing else ""
