"""Runs a dialog, and appends what it prints of its fields to STATE as JSON: ``dialog.py STATE PROGRAM ARGUMENT…``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Wait for it."""
    state, *command = sys.argv[1:]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if said.returncode == 0:
        with Path(state).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(said.stdout.decode().rstrip().rstrip('|').split('|'))}\n")


main()
