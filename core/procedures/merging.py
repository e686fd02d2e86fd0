"""Merges acts: what was typed and then sent with Enter, and the windows that were used between two acts."""

import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from core.demonstration.screen_texts import ScreenTexts, Seen
from core.plans.phrasing import marks
from core.procedures.acts import Act
from core.procedures.scene import Window, Windows, looks_secret
from core.procedures.sentences import shortened
from core.secrets import is_secret_name
from core.window_kinds import is_browser, is_terminal

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


def merge_sends(acts: Sequence[Act], texts: ScreenTexts, windows: Windows, hides: Callable[[str], bool]) -> list[Act]:
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


_FIRST_MS: Final = 1500
"""What has the focus so early was there when the recording began."""
_PASSING_MS: Final = 3000
"""A window in which nothing is done, and which is left so soon, was passed on the way to another."""
_LED_MS: Final = 1500
_RAISES_MS: Final = 300
"""A click raises the window in which it is done, and belongs to it."""
_LEADING: Final = re.compile(r"(?:alt|meta|super|ctrl\+alt)\b.*", re.IGNORECASE)
"""Keys that lead to other windows."""


def merge_window_switches(acts: Sequence[Act], windows: Windows) -> list[Act]:
    """All that was done, in order."""
    acts = sorted(acts, key=lambda act: act.t_ms)
    together = sorted([*acts, *_switches(windows, acts)], key=lambda act: (act.t_ms, act.kind != "switch"))
    return _joined(_led(together))


def _switches(windows: Windows, acts: Sequence[Act]) -> list[Act]:
    """Where another application came to the front and stayed."""
    shown = [window for window in windows.all if window.application]
    found: list[Act] = []
    known: set[str] = set()
    current = ""
    for at, window in enumerate(shown):
        end = shown[at + 1].t_ms if at + 1 < len(shown) else None
        is_first = not known
        if window.application == current:
            continue
        is_passing = end is not None and end - window.t_ms < _PASSING_MS and not _used(window, end, acts)
        if is_passing and not is_first:
            continue
        if current and not (is_first and window.t_ms <= _FIRST_MS):
            verb = "Switched to" if window.application in known else "Opened"
            raising = _between(acts, window.t_ms - _RAISES_MS, window.t_ms)
            t_ms = next((act.t_ms for act in raising if act.application == window.application), window.t_ms)
            said, title = f"{verb} {window.place}", window.title
            found.append(Act(t_ms, window.t_ms, "switch", said, application=window.application, title=title))
        known.add(window.application)
        current = window.application
    return found


def _used(window: Window, end: int, acts: Sequence[Act]) -> bool:
    return any(act.application == window.application for act in _between(acts, window.t_ms, end))


def _between(acts: Sequence[Act], start: int, end: int) -> Sequence[Act]:
    """Those that began then; they are in order."""
    first = bisect.bisect_left(acts, start, key=lambda act: act.t_ms)
    return acts[first : bisect.bisect_left(acts, end, key=lambda act: act.t_ms)]


def _led(acts: Sequence[Act]) -> list[Act]:
    """Without the keys, and the clicks on nothing that was read, which led to another window."""
    found: list[Act] = []
    for act in acts:
        led = act
        while act.kind == "switch" and found and _leads(found[-1], act):
            led = replace(led, t_ms=found.pop().t_ms)
        found.append(led)
    return found


def _leads(act: Act, switch: Act) -> bool:
    if switch.t_ms - act.until_ms > _LED_MS:
        return False
    if act.kind == "key":
        return _LEADING.fullmatch(act.value) is not None
    return act.kind == "click" and not act.target and not act.result


def _joined(acts: Sequence[Act]) -> list[Act]:
    """With what was done again and again as one act."""
    found: list[Act] = []
    counts: list[int] = []
    for act in acts:
        last = found[-1] if found else None
        joined = _join(last, act, counts[-1] + 1) if last is not None else None
        if joined is not None:
            found[-1] = joined
            counts[-1] += 1
        elif not (act.kind == "key" and act.value in {"tab", "shift+tab"}):
            found.append(act)
            counts.append(1)
    return found


def _join(one: Act, other: Act, times: int) -> Act | None:
    """Two acts as one; ``None`` if they are two."""
    if (one.kind, one.application) != (other.kind, other.application) or one.inferred != other.inferred:
        return None
    until = max(one.until_ms, other.until_ms)
    if one.kind == "scroll":
        both = dict.fromkeys([*one.value.split(" and "), *other.value.split(" and ")])
        value = " and ".join(both)
        return replace(one, until_ms=until, said=f"Scrolled {value}", value=value)
    if one.kind == "click" and _is_again(one, other):
        said = f"{_once(one.said)} {'twice' if times == 2 else f'{times} times'}"  # noqa: PLR2004 - what "twice" means
        results = {"result": other.result, "result_ms": other.result_ms, "confirms": other.confirms}
        return replace(one, until_ms=until, said=said, **results)
    is_one_field = one.target == other.target and (one.target or one.said == other.said == "Typed something")
    if one.kind == "type" and is_one_field:
        return replace(other, t_ms=one.t_ms, until_ms=until)
    if one.kind == "switch" and one.said == other.said:
        return one
    return None


def _is_again(one: Act, other: Act) -> bool:
    return (
        bool(one.target)
        and one.target == other.target
        and _once(one.said) == other.said
        and (not one.result or one.result == other.result)
    )


def _once(said: str) -> str:
    return re.sub(r" (?:twice|\d+ times)\Z", "", said)
