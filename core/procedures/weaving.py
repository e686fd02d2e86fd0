"""Acts and the windows between them as one sequence, without what clutters it."""

from __future__ import annotations

import bisect
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from core.procedures.acts import Act

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.procedures.windows import Window, Windows

_FIRST_MS: Final = 1500
"""What has the focus so early was there when the recording began."""
_PASSING_MS: Final = 3000
"""A window in which nothing is done, and which is left so soon, was passed on the way to another."""
_LED_MS: Final = 1500
_RAISES_MS: Final = 300
"""A click raises the window in which it is done, and belongs to it."""
_LEADING: Final = re.compile(r"(?:alt|meta|super|ctrl\+alt)\b.*", re.IGNORECASE)
"""Keys that lead to other windows."""


def woven(acts: Sequence[Act], windows: Windows) -> list[Act]:
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
