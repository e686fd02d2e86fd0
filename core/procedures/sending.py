"""What was typed and then sent with Enter: an address that opened a page, a command that was run, a choice."""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from core.browsers import is_browser
from core.plans.quotes import marks
from core.procedures.concealment import looks_secret
from core.procedures.sentences import shortened
from core.runs.gate import TERMINALS
from core.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.demonstration.screen_texts import ScreenTexts, Seen
    from core.procedures.acts import Act
    from core.procedures.windows import Windows

_SOON_MS: Final = 3000
_LOADS_MS: Final = 4000
_TOP: Final = 140
"""An address bar stands so high, in pixels."""
_ADDRESSING: Final = frozenset({"ctrl+l", "ctrl+t", "alt+d", "f6", "ctrl+n"})
_SURE: Final = 0.9
_CUT: Final = ("\u00d7", "\u2026", "...", " x", "X")
_ADDRESS: Final = re.compile(
    r"(?<![\w/.])(?:https?://)?(?:localhost|(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:/[^\s\"]*)?(?!\S)",
    re.IGNORECASE,
)
_ASSIGNED: Final = re.compile(
    r"(?:pass(?:word|wd)?|token|secret|key|credentials?)\w*\s*[=:]\s*\S|://[^/\s]+:[^/\s]+@", re.IGNORECASE
)


def sent(acts: Sequence[Act], texts: ScreenTexts, windows: Windows, hides: Callable[[str], bool]) -> list[Act]:
    """The acts, with what was typed and the Enter behind it as one where they are one."""
    found: list[Act] = []
    for act in acts:
        last = found[-1] if found else None
        is_sent = act.kind == "key" and act.value == "enter"
        if last is None or not is_sent or act.t_ms - last.until_ms > _SOON_MS or last.application != act.application:
            found.append(act)
        elif last.kind == "choose" and not act.result:
            continue
        elif last.kind == "type" and is_browser(last.application):
            found += _opened(found, act, texts, windows, hides)
        elif last.kind == "type" and is_terminal(last.application) and last.value:
            found[-1] = _run(last, act)
        else:
            found.append(act)
    return found


def is_terminal(application: str) -> bool:
    """Whether an application's name is that of a terminal."""
    return any(fnmatchcase(application.casefold(), pattern) for pattern in TERMINALS)


def _run(typed: Act, enter: Act) -> Act:
    command = typed.value
    is_secret = looks_secret(command) or _ASSIGNED.search(command) is not None or is_secret_name(typed.target)
    said = "Ran a command that is not told" if is_secret else f"Ran {shortened(command)}"
    return replace(enter, t_ms=typed.t_ms, kind="run", said=said, target="" if is_secret else command, value="")


def _opened(
    before: list[Act], enter: Act, texts: ScreenTexts, windows: Windows, hides: Callable[[str], bool]
) -> list[Act]:
    """The page that was opened, in place of what was typed last and of the key that led to the address bar."""
    typed = before[-1]
    leading = before[-2] if len(before) > 1 else None
    led = leading is not None and leading.kind == "key" and leading.value in _ADDRESSING
    own = _ADDRESS.fullmatch(typed.value)
    if not led and own is None:
        return [enter]
    address = typed.value if own is not None else _shown(texts, typed, enter)
    if address and (hides(address) or marks(address) is None):
        address = ""
    if not address and typed.value:
        before[-1] = replace(typed, said=f"Typed {shortened(typed.value)} into the address bar", target="address bar")
        return [enter]
    before.pop()
    start = typed.t_ms
    if led and leading is not None:
        start = before.pop().t_ms
    window = windows.at(enter.t_ms + _LOADS_MS)
    is_new = window.t_ms >= enter.t_ms and window.application == enter.application and window.title
    title = window.title if is_new and marks(window.title) and not hides(window.title) else ""
    result, result_ms = (title, window.t_ms) if title else (enter.result, enter.result_ms)
    said = f"Opened the page {marks(address)}" if address else "Opened a page"
    return [
        replace(
            enter,
            t_ms=start,
            kind="open",
            said=said,
            target=address,
            value="",
            result=result,
            result_ms=result_ms,
            confirms=False,
        )
    ]


def _shown(texts: ScreenTexts, typed: Act, enter: Act) -> str:
    """The address that an address bar shows: as it stands when the page is there, or else as it was typed."""
    end = enter.t_ms + _LOADS_MS
    after = _addresses(texts, enter.t_ms, end)
    # What is proposed goes away with the key; a tab that says it as well cuts it off.
    standing = [address for one, address in after if one.until_ms is None or one.until_ms >= end]
    if standing:
        return max(standing, key=len)
    before = _addresses(texts, typed.t_ms, enter.t_ms)
    # What is proposed stands below the bar.
    top = min((one.box[1] for one, _ in before), default=0)
    return next((address for one, address in reversed(before) if one.box[1] - top <= one.box[3]), "")


def _addresses(texts: ScreenTexts, since_ms: int, until_ms: int) -> list[tuple[Seen, str]]:
    came = (one for one in texts.came(since_ms, until_ms) if one.box[1] < _TOP and one.confidence >= _SURE)
    return [
        (one, found.group()) for one in came if (found := _ADDRESS.search(one.text)) and not one.text.endswith(_CUT)
    ]
