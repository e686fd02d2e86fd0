"""How much of a session's truth a timeline tells: lines that came, grouped by moment and nearness, and actions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from bench.world.ledger import SUDDEN_MS, same_row
from bench.world.scene import ALIKE, IN_TIME_MS, plain
from bench.world.statements import lasted
from bench.world.truth import Stay, Truth
from core.analysis import Action, ActionKind, Event, Findings, Region

STAYS_MS: Final = 500
OPENING_MS: Final = 300
"""What stands so early belongs to the first screen."""
LETTERS: Final = 3
TOGETHER_MS: Final = 250
NEAR_PX: Final = 60
SURE: Final = 90.0
FOCUS_MS: Final = 1500
_CLICKS: Final = {ActionKind.CLICK, ActionKind.RIGHT_CLICK, ActionKind.CHOOSE}


class Told(NamedTuple):
    """How many lines and groups of lines came, and how many of them are told; and how many actions are."""

    lines: int = 0
    lines_told: int = 0
    moments: int = 0
    moments_told: int = 0
    actions: int = 0
    actions_told: int = 0
    actions_invented: int = 0


def told(findings: Findings, truth: Truth) -> Told:
    """Compare a timeline with what came. A click into a field is told by what is typed there as well."""
    came = _lasting(truth)
    spans = _spans(findings.timeline)
    known = {id(stay) for stay in came if _is_told(stay, spans)}
    groups = _grouped(came)
    clicks = [(at, action) for at, action in enumerate(truth.actions) if action.kind in {"click", "choose"}]
    said = [action for action in findings.actions if action.kind in _CLICKS]
    pairs = _pairs([action.t_ms for _, action in clicks], [action.t_ms for action in said])
    found = sum(number in pairs or _gives_focus(at, truth, findings) for number, (at, _) in enumerate(clicks))
    left = [action for number, action in enumerate(said) if number not in pairs.values()]
    left = [action for action in left if not _is_chosen_by_keys(action, truth)]
    return Told(
        lines=len(came),
        lines_told=len(known),
        moments=len(groups),
        moments_told=sum(_share_told(group, known) >= 0.5 for group in groups),
        actions=len(clicks),
        actions_told=found,
        actions_invented=len(left),
    )


def _pairs(done_ms: Sequence[int], said_ms: Sequence[int]) -> dict[int, int]:
    """Which of the times that are said belongs to which that is true, each once, the nearest first; by their places."""
    near = sorted(
        (abs(t_ms - said), place, other)
        for place, t_ms in enumerate(done_ms)
        for other, said in enumerate(said_ms)
        if abs(t_ms - said) <= IN_TIME_MS
    )
    pairs: dict[int, int] = {}
    for _, place, other in near:
        if place not in pairs and other not in pairs.values():
            pairs[place] = other
    return pairs


def _gives_focus(at: int, truth: Truth, findings: Findings) -> bool:
    """Whether a click gave the focus to a field, and the findings have what was typed into it next."""
    following = next((action for action in truth.actions[at + 1 :] if not action.moves_focus), None)
    if following is None or following.kind != "type":
        return False
    typed = (action for action in findings.actions if action.kind is ActionKind.TYPE)
    return any(abs(action.t_ms - following.t_ms) <= FOCUS_MS for action in typed)


def _is_chosen_by_keys(said: Action, truth: Truth) -> bool:
    """Whether a choice from a list was made then by the key that ends it."""
    keys = (action for action in truth.actions if action.kind == "press" and action.value == "Return")
    return said.kind is ActionKind.CHOOSE and any(abs(key.t_ms - said.t_ms) <= IN_TIME_MS for key in keys)


def untold(timeline: Sequence[Event], truth: Truth) -> list[Stay]:
    """The lines that came and are not told."""
    spans = _spans(timeline)
    return [stay for stay in _lasting(truth) if not _is_told(stay, spans)]


def _lasting(truth: Truth) -> list[Stay]:
    """The lines that came and stayed, and were not just the beginning of what was being typed."""
    end = truth.duration_ms
    stays = [
        stay
        for stay in truth.texts
        if stay.t_ms > OPENING_MS
        and (stay.until_ms or end) - stay.t_ms >= STAYS_MS
        and sum(letter.isalpha() for letter in stay.text) >= LETTERS
    ]
    return [stay for stay in stays if not _is_beginning(stay, truth) and not _is_rest(stay, truth)]


def _spans(timeline: Sequence[Event]) -> list[tuple[int, int, str]]:
    """When each text was told; typing also with what stood before it."""
    return [
        (*lasted(event), f"{_whole(event.text)}\n{_whole(event.before)}{_whole(event.text)}")
        for event in timeline
        if event.text
    ]


def _whole(text: str | None) -> str:
    return plain((text or "").replace(" · ", " "))


def _is_beginning(stay: Stay, truth: Truth) -> bool:
    return any(
        stay.until_ms is not None
        and abs(other.t_ms - stay.until_ms) <= SUDDEN_MS
        and other.text.startswith(stay.text)
        and max(abs(other.box[0] - stay.box[0]), abs(other.box[1] - stay.box[1])) <= 3
        for other in truth.texts
    )


def _is_rest(stay: Stay, truth: Truth) -> bool:
    """Whether it is what can be seen of a line that something came to stand over."""
    return stay.cut and any(
        abs(time.t_ms - stay.t_ms) <= IN_TIME_MS and same_row(other.at(stay.t_ms), stay.box)
        for other in truth.texts
        for time in other.covered
    )


def _is_told(stay: Stay, spans: Sequence[tuple[int, int, str]]) -> bool:
    wanted, least = plain(stay.text), ALIKE if stay.cut else SURE
    return any(
        begin - IN_TIME_MS <= stay.t_ms
        and stay.begins[0] <= end + IN_TIME_MS
        and (wanted in text or (len(text) >= len(wanted) and fuzz.partial_ratio(wanted, text) >= least))
        for begin, end, text in spans
    )


def _grouped(stays: Sequence[Stay]) -> list[list[Stay]]:
    groups: list[list[Stay]] = []
    for stay in sorted(stays, key=lambda each: each.t_ms):
        near = [
            group
            for group in groups
            if any(stay.t_ms - other.t_ms <= TOGETHER_MS and _are_near(stay.box, other.box) for other in group)
        ]
        groups = [group for group in groups if group not in near]
        groups.append([*(each for group in near for each in group), stay])
    return groups


def _are_near(first: Region, second: Region) -> bool:
    across = max(first[0], second[0]) - min(first[0] + first[2], second[0] + second[2])
    down = max(first[1], second[1]) - min(first[1] + first[3], second[1] + second[3])
    return across <= NEAR_PX and down <= NEAR_PX


def _share_told(group: Sequence[Stay], known: set[int]) -> float:
    return sum(len(stay.text) for stay in group if id(stay) in known) / sum(len(stay.text) for stay in group)
