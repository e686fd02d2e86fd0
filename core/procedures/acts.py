"""Acts of the user, and their groups: by pauses, by windows that are left for good, by finished results."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["click", "type", "choose", "key", "scroll", "drag", "copy", "paste", "open", "run", "switch", "seen"]


@dataclass(frozen=True, slots=True)
class Act:
    """Times are milliseconds of the video."""

    t_ms: int
    until_ms: int
    kind: Kind
    said: str
    """A past-tense sentence without a full stop and without its result."""
    target: str = ""
    """The text on what was clicked, or the name of a field."""
    value: str = ""
    """The typed or chosen value, unless it is hidden."""
    result: str = ""
    """A text on the screen that resulted from it."""
    result_ms: int = 0
    confirms: bool = False
    """Whether the result says that something is done."""
    application: str = ""
    title: str = ""
    """Of the window in which it was done."""
    inferred: bool = False
    at: tuple[int, int] | None = None
    """The pixel of the click."""

    @property
    def ends_ms(self) -> int:
        """When what came of it was seen."""
        return max(self.until_ms, self.result_ms if self.result else 0)


PAUSE_MS: Final = 120_000
_TRIP_MS: Final = 60_000
"""Who is back from another application within that time was there for the sake of the first."""
_TRIP_ACTS: Final = 12
_REST_MS: Final = 20_000
"""After something is done with, who rests so long goes on to something else."""
_PASTE_ACTS: Final = 6
_RECENT: Final = 3
"""The last of so many acts to be seen to its end is the last thing that went on."""
_SETTLES_MS: Final = 2500
_QUIET_MS: Final = 8000
_TRAILING: Final = re.compile(
    r"\W*(?:ok|okay|close|done|undo|cancel|dismiss|got it|back|finish|continue|no thanks|not now|later|x|\u00d7|view"
    r"|schlie\u00dfen|fertig|zur\u00fcck|fermer|retour|cerrar|sulje|st\u00e4ng)\b.*",
    re.IGNORECASE,
)
"""On what is clicked after something is done with, and still belongs to it."""
_MOST_ACTS: Final = 80
_WAYS: Final = frozenset({"open", "switch", "scroll"})
"""They lead to where something is done."""
_LOCAL: Final = re.compile(r"localhost|\d+(?:\.\d+){3}")
"""Where all programs of one machine are at home."""
_MADE: Final = frozenset({"type", "choose", "paste"})


def group_acts(acts: Sequence[Act]) -> list[list[Act]]:
    """The acts of each activity, in order; every act is in exactly one."""
    groups: list[list[Act]] = []
    for at, act in enumerate(acts):
        if not groups or _is_cut(groups[-1], acts, at):
            groups.append([])
        groups[-1].append(act)
    return [part for group in _with_lone_ones(groups) for part in _in_parts(group)]


def _is_cut(group: Sequence[Act], acts: Sequence[Act], at: int) -> bool:
    """Whether something else begins: after a pause, after what is done with, where an application is left for good."""
    last, act = group[-1], acts[at]
    if act.t_ms - max(each.ends_ms for each in group[-_RECENT:]) >= PAUSE_MS or _is_over(group, act):
        return True
    home = next((each.application for each in group if each.application), "")
    if act.application in {last.application, home} or not act.application or not last.application:
        return False
    return not (_returns(acts, at, home) or _carries(acts, at))


def _returns(acts: Sequence[Act], at: int, home: str) -> bool:
    """Whether the application in which it began is in front again soon."""
    start, has_form = acts[at].t_ms, False
    for act in acts[at : at + _TRIP_ACTS + 1]:
        if act.t_ms - start > _TRIP_MS:
            return False
        if act.application == home:
            return True
        if has_form and act.kind == "click" and act.result:
            # Who fills in a form there and sends it is there for its own sake.
            return False
        has_form = has_form or act.kind in _MADE
    return False


def _carries(acts: Sequence[Act], at: int) -> bool:
    """Whether something was copied before and is pasted now, or what was typed there is typed here."""
    copied = any(act.kind == "copy" for act in acts[max(0, at - _PASTE_ACTS) : at])
    return copied and any(act.kind == "paste" for act in acts[at : at + _PASTE_ACTS])


def _is_over(before: Sequence[Act], act: Act) -> bool:
    """Whether what was done until now is done with, and what comes is something else."""
    if act.kind == "open" and any(each.kind not in _WAYS for each in before):
        return not _is_same_site(before, act)
    closing = next((at for at in range(len(before) - 1, -1, -1) if before[at].confirms), None)
    if closing is None or any(each.kind in _MADE or each.kind == "open" for each in before[closing + 1 :]):
        return False
    return not (act.kind == "click" and _TRAILING.fullmatch(act.target)) and _is_new(before, closing, act)


def _is_new(before: Sequence[Act], closing: int, act: Act) -> bool:
    """Whether what comes after the act that closed is something else."""
    ended = before[closing]
    rest = act.t_ms - max(each.ends_ms for each in before[-_RECENT:])
    has_form = any(each.kind in _MADE for each in before[: closing + 1])
    if act.kind == "seen":
        is_page = act.said.startswith("The screen changed") and rest >= _SETTLES_MS
        return (has_form and (is_page or rest >= _QUIET_MS)) or rest >= _REST_MS
    if rest < _REST_MS and _is_alike(before, ended, act):
        return False
    if has_form:
        return act.kind not in {"scroll", "key"} or rest >= _REST_MS
    return rest >= _REST_MS or act.kind in {"open", "switch", "run"} or act.kind in _MADE


def _is_alike(before: Sequence[Act], ended: Act, act: Act) -> bool:
    """Whether it goes on in the same way: the same with the next one, another command, another message."""
    if act.kind == ended.kind == "run":
        return act.application == ended.application
    fields = [each.target for each in before if each.kind in _MADE]
    if ended.kind == "key" and act.kind == "type":
        return set(fields) == {act.target}
    return act.kind == ended.kind == "click" and act.target == ended.target and not fields


def _is_same_site(before: Sequence[Act], act: Act) -> bool:
    """Whether a page was opened on the site on which something was going on."""
    host = _host(act.target)
    if not host or _LOCAL.fullmatch(host):
        return False
    last = next((each for each in reversed(before) if each.kind == "open" and each.target), None)
    return last is not None and _host(last.target) == host and not any(each.confirms for each in before)


def _host(address: str) -> str:
    return address.partition("://")[2 if "://" in address else 0].partition("/")[0].partition(":")[0].casefold()


def _with_lone_ones(groups: Sequence[list[Act]]) -> list[list[Act]]:
    """With those that are nothing but a way to another window, or a look around, at what they lead to."""
    found: list[list[Act]] = []
    for group in groups:
        if found and (_leads_on(found[-1], group) or _looks_around(found[-1], group)):
            found[-1] = [*found[-1], *group]
        else:
            found.append(group)
    return found


def _leads_on(acts: Sequence[Act], following: Sequence[Act]) -> bool:
    is_way = all(act.kind in _WAYS for act in acts)
    is_soon = following[0].t_ms - acts[-1].ends_ms < _REST_MS
    return is_way and is_soon and following[0].application == acts[-1].application


def _looks_around(acts: Sequence[Act], following: Sequence[Act]) -> bool:
    return all(act.kind == "scroll" for act in following) and following[0].t_ms - acts[-1].ends_ms < PAUSE_MS


def _in_parts(acts: Sequence[Act]) -> list[list[Act]]:
    """Of a long one pieces, cut where there was the longest rest: what comes later moves no cut."""
    found: list[list[Act]] = []
    rest = list(acts)
    while len(rest) > _MOST_ACTS:
        cut = max(range(_MOST_ACTS // 2, _MOST_ACTS), key=lambda at: rest[at].t_ms - rest[at - 1].ends_ms)
        found.append(rest[:cut])
        rest = rest[cut:]
    return [*found, rest] if rest else found
