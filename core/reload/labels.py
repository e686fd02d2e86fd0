"""What an entry is called: one short line of plain text. It is data, whoever wrote it, and never markup."""

from __future__ import annotations

import re
from typing import Final

from core.text import one_line

MOST_LETTERS: Final = 200
_TAGS: Final = str.maketrans("<>", "()")
_QUOTED: Final = 50
"""Characters of a request that has to stand for a summary."""
_APP: Final = re.compile(r"app:\s*(?P<name>\S.*)", re.IGNORECASE | re.DOTALL)
_BUTTON: Final = re.compile(r'button\s+"(?P<name>.+)"', re.IGNORECASE | re.DOTALL)


def label_text(text: str, most: int = MOST_LETTERS) -> str:
    """The text as one line of visible letters, without the brackets of tags, of bounded length."""
    line = one_line(text).translate(_TAGS)
    return line if len(line) <= most else line[: most - 1] + "…"


def label_for(request: str, trigger_type: str, trigger_target: str) -> str:
    """What an entry is called whose recorder did not say: as the formats this grew from call it.

    ``app: X`` is "Open X app", ``button "Y"`` is 'Click "Y"', else the first 50 characters of the request.
    """
    said = label_text(request, 10_000) or label_text(trigger_target, 1000)
    if (app := _APP.fullmatch(said)) is not None:
        return label_text(f"Open {app['name']} app")
    if (button := _BUTTON.fullmatch(said)) is not None:
        return label_text(f'Click "{button["name"]}"')
    if not request.strip() and said:
        if trigger_type == "app_click":
            return label_text(f"Open {said} app")
        if trigger_type == "button_click":
            return label_text(f'Click "{said}"')
    if not said:
        return "What was done once"
    return said if len(said) <= _QUOTED else f"{said[:_QUOTED].rstrip()}..."
