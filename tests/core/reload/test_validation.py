from typing import Any

import pytest

from core.errors import InvalidRequest
from core.reload.validation import read_actions


def test_posted_actions_are_told_apart_and_stay_as_they_are() -> None:
    desktop: list[dict[str, Any]] = [{"action": "open_app", "name": "xterm", "arguments": ["-e", "top"]}]
    assert read_actions(desktop) == ("desktop", tuple(desktop))
    assert read_actions([{"type": "window.create", "title": "Notes"}])[0] == "foreign"
    for wrong in ({"type": "x", "at": float("nan")}, {"type": "x", "at": object()}, {"type": "x", "of": "\ud800"}):
        with pytest.raises(InvalidRequest, match="Action 0 holds"):
            read_actions([wrong])
