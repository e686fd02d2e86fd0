"""Changes of one line that belong together: letters typed one after another."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import lies_in, overlap, same_row
from adapters.video.text.lines import address_of, alike, digits, strip_spaces
from adapters.video.text.matching import Match
from core.text import SHELL_PROMPTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_PAUSE_MS: Final = 3000
_STEP: Final = 12
_STEP_MS: Final = 300
"""A word at most comes in that time, from a person or from a model that answers."""
_READING_MS: Final = 600
_READ_MS: Final = 400
"""What somebody typed and left standing for so long was meant."""
_WRAP_MS: Final = 1000
_NAME_GAP: Final = 6
"""Heights between a field's name and what is typed beside it."""
_AT_ONCE_MS: Final = 130
_COVERED_MS: Final = 6000
"""A notice goes by itself sooner."""
_PIECES: Final = 2
_FASTEST: Final = 60
"""Letters a second."""
_LETTERS: Final = 3
_LINES: Final = 3
_LEGIBLE: Final = 0.85
"""What was typed in others' recordings was read with 0.92 or more; two lines that ran together with less."""
PROMPTS: Final = (*SHELL_PROMPTS, ":")
"""How a line ends that a program wrote to be typed behind."""
_ON_SIDE: Final = 2
"""Pixels from the side of a field, within which a text begins that was read with it."""
_SIDES: Final = "L[|Il("
"""What the left side of a field is read as, in front of what stands in it."""


def apart(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, with a line that is being typed taken out of what changes with every letter: a list of results."""
    pairs = [pair for draft in drafts for pair in draft.match.changed]
    growing = {id(line) for old, new in pairs if _has_more(old.text, new.text, _LETTERS) for line in (old, new)}
    when = {id(old): draft.t_ms for draft in drafts for old, _ in draft.match.changed if id(old) in growing}
    result: list[Draft] = []
    for draft in drafts:
        found = draft.match
        typed = [
            (old, new)
            for old, new in found.changed
            if id(new) in growing or (id(old) in growing and _has_more(old.text, new.text, _STEP))
        ]
        typed = [] if _uncovers(found, typed) else typed
        first = [line for line in found.added if when.get(id(line), math.inf) - draft.t_ms <= _READING_MS]
        if draft.scroll or line_of(draft) is not None or not typed + first:
            result.append(draft)
            continue
        result += [replace(draft, match=Match(changed=[pair]), box=pair[1].came_at) for pair in typed]
        result += [replace(draft, match=Match(added=[line]), box=line.came_at) for line in first]
        rest = Match(
            kept=found.kept,
            moved=found.moved,
            changed=[pair for pair in found.changed if pair not in typed],
            added=[line for line in found.added if line not in first],
            removed=found.removed,
        )
        if rest.says_anything:
            result.append(replace(draft, match=rest))
    return result


def _uncovers(found: Match, typed: Sequence[tuple[Line, Line]]) -> bool:
    """Whether other lines got the rest of their words at the same moment: what had cut them all is gone."""
    others = ((strip_spaces(old.text), strip_spaces(new.text)) for old, new in found.changed if (old, new) not in typed)
    return bool(typed) and any(new.endswith(old) and len(new) - len(old) >= _LETTERS for old, new in others)


def _has_more(old: str, new: str, at_most: int) -> bool:
    one, other = strip_spaces(old).casefold(), strip_spaces(new).casefold()
    more = other.removeprefix(one)
    counts = more.isdecimal() and not one.isdecimal()
    return bool(one) and other.startswith(one) and 0 < len(more) <= at_most and not counts


def paragraphs(chains: Sequence[list[Draft]]) -> list[list[list[Draft]]]:
    """The chains, with those together that went on in the line below: a text of several lines."""
    result: list[list[list[Draft]]] = []
    for chain in sorted(chains, key=lambda chain: chain[0].t_ms):
        before = next((one for one in result if _goes_on_below(one[-1], chain)), None)
        if before is None:
            result.append([chain])
        else:
            before.append(chain)
    return result


def _goes_on_below(chain: Sequence[Draft], other: Sequence[Draft]) -> bool:
    first, second = ([draft for draft in part if draft.match.says_anything] for part in (chain, other))
    line, below = line_of(first[-1]), line_of(second[-1])
    if line is None or below is None or not second[0].match.added or _is_named(below, second[0]):
        return False
    # The frame of a field that has the focus may be read with its letters.
    high = min(line.came_at[3], line.box[3], below.box[3])
    down = below.came_at[1] - line.came_at[1]
    left = below.came_at[0] - line.came_at[0] <= 2 * high
    return left and high / 2 < down <= 2 * high and abs(other[0].t_ms - chain[-1].t_ms) <= _WRAP_MS


def _is_named(line: Line, draft: Draft) -> bool:
    """Whether a name with a colon stands left of it, or was read with what stood there: it is a field of its own."""
    x, _, _, height = line.came_at
    return any(
        ":" in one.text and same_row(box, line.came_at) and box[0] + height <= x <= box[0] + box[2] + _NAME_GAP * height
        for one, box in draft.stood
    )


def typings(drafts: Sequence[Draft]) -> list[list[Draft]]:
    """Runs of changes in which one line grew (or was corrected) step by step."""
    chains: list[list[Draft]] = []
    by_line: dict[int, list[Draft]] = {}
    # What began to change before a letter was seen may be seen after it.
    for draft in sorted(drafts, key=lambda draft: (draft.seen_ms, draft.t_ms)):
        line = line_of(draft)
        if line is None:
            continue
        chain: list[Draft] | None = None
        if draft.match.changed:
            old, new = draft.match.changed[0]
            chain = by_line.pop(id(old), None)
            if chain is not None and (
                _stood_whole(chain, draft)
                or _is_another_address(old.text, new.text)
                or _is_same_word(old.text, new.text)
                or (draft.t_ms - chain[-1].t_ms >= _READING_MS and is_same_number(old.text, new.text))
                or not _begin_together(old, new)
                or not _continues(chain[-1], draft, old, new)
            ):
                chain = None
        else:
            chain = _left_at(line, draft.t_ms, by_line)
        if chain is None:
            chain = []
            chains.append(chain)
        chain.append(draft)
        by_line[id(line)] = chain
    parts = [part for chain in chains for part in _with_taken_away(_by_text(chain, drafts)) if _is_typing(part)]
    parts = [part for part in parts if not (_came_with_others(part, drafts) or _is_uncovered(part, drafts))]
    return [part for part in parts if not _grew_with_others(part, parts)]


def _left_at(line: Line, t_ms: int, by_line: dict[int, list[Draft]]) -> list[Draft] | None:
    """The chain that a line goes on which was read as a new one: a letter of it came together with other things."""
    # The newest stand at the end.
    recent = itertools.takewhile(lambda chain: t_ms - chain[-1].t_ms <= _STEP_MS, reversed(by_line.values()))
    for chain in recent:
        last = line_of(chain[-1])
        if last is not None and overlap(last.box, line.came_at) and _has_more(last.text, line.text, _LETTERS):
            return chain
    return None


def _grew_with_others(chain: Sequence[Draft], chains: Sequence[Sequence[Draft]]) -> bool:
    """Whether several lines got some letters more at one moment, and once: what had cut them became wider."""
    at_once = (other for other in chains if len(other) == 1 and abs(other[0].t_ms - chain[0].t_ms) <= _AT_ONCE_MS)
    return len(chain) == 1 and any(other is not chain for other in at_once)


def _is_uncovered(chain: Sequence[Draft], drafts: Sequence[Draft]) -> bool:
    """Whether the same text stood there, in no field, until something covered it: what hid it went step by step."""
    line = line_of(chain[-1])
    if line is None or line.field_box is not None:
        return False
    before = (old for draft in drafts if draft.t_ms < chain[0].t_ms for old in draft.match.leaving)
    return any(
        old.text == line.text and lies_in(old.box, line.box) and 0 < chain[0].t_ms - (old.until_ms or 0) <= _COVERED_MS
        for old in before
    )


def _came_with_others(chain: Sequence[Draft], drafts: Sequence[Draft]) -> bool:
    """Whether more than some letters came together with other text, and grew once: a page that came in two pieces."""
    first = chain[0]
    if len(chain) != _PIECES or len(strip_spaces(_text(first))) <= _LETTERS:
        return False
    if any(_grew(old.text, new.text) for old, new in first.match.changed):
        return False
    at_once = (draft for draft in drafts if abs(draft.t_ms - first.t_ms) <= _AT_ONCE_MS)
    return any(draft is not first and draft.match.coming for draft in at_once)


def _is_another_address(old: str, new: str) -> bool:
    """Whether a whole address gave way to one that a program put there: a person adds a few letters at a time."""
    return bool(address_of(old) and address_of(new)) and not (
        _has_more(old, new, _LETTERS) or _has_more(new, old, _LETTERS)
    )


def _is_same_word(old: str, new: str) -> bool:
    """Whether only its case differs: a heading got its own font."""
    return old != new and strip_spaces(old).casefold() == strip_spaces(new).casefold()


def is_same_number(old: str, new: str) -> bool:
    """Whether a number was written out: as a program does when its field is left."""
    try:
        return float(old) == float(new)
    except ValueError:
        return False


def _with_taken_away(parts: Sequence[list[Draft]]) -> list[list[Draft]]:
    """The parts, each with what was taken away before it was typed: a command that is edited, a field written anew."""
    result: list[list[Draft]] = []
    taken: list[Draft] = []
    for part in parts:
        lengths = [len(strip_spaces(old.text)) for old, _ in part[0].match.changed]
        lengths += [len(strip_spaces(_text(draft))) for draft in part]
        if len(lengths) > 1 and lengths == sorted(lengths, reverse=True):
            taken += part
        else:
            result.append([*taken, *part])
            taken = []
    return [*result, taken] if taken else result


def _by_text(chain: list[Draft], drafts: Sequence[Draft]) -> list[list[Draft]]:
    """The chain cut where a text that had stood for a moment is taken away again: each text was typed by itself.

    So it is where one letter of it is taken away after something else came.
    """
    parts: list[list[Draft]] = [[]]
    for draft, after in itertools.zip_longest(chain, chain[1:]):
        parts[-1].append(draft)
        if after is None or after.t_ms - draft.t_ms < _READ_MS:
            continue
        whole, low = strip_spaces(_text(draft)), strip_spaces(_text(after))
        for later in chain[chain.index(after) + 1 :]:
            if len(strip_spaces(_text(later))) > len(low):
                break
            low = strip_spaces(_text(later))
        taken = len(whole) - len(low)
        if taken >= _LETTERS or (taken > 0 and _is_answered(draft, after, drafts)):
            parts.append([])
    return parts


def _is_answered(draft: Draft, after: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether several lines came between two changes of one, as what a program says to it."""
    between = (one for one in drafts if draft.t_ms < one.t_ms < after.t_ms)
    return sum(len(one.match.coming) for one in between) >= _LINES


def _stood_whole(chain: Sequence[Draft], draft: Draft) -> bool:
    """Whether a text came at once and was typed behind, or over, only after a while: a prompt, a cell to be edited."""
    found, came = chain[0].match, line_of(chain[0])
    if len(chain) > 1 or came is None or len(came.text) <= _LETTERS or draft.t_ms - chain[0].t_ms <= _READING_MS:
        return False
    if found.added:
        return True
    if strip_spaces(came.text).startswith(strip_spaces(found.changed[0][0].text)):
        return False
    return came.text.endswith(PROMPTS) or not strip_spaces(_text(draft)).startswith(strip_spaces(came.text))


def typed_until(chain: Sequence[Draft]) -> int:
    """When the last letter came; a later look at the same text only lost the caret behind it."""
    final = strip_spaces(_text(chain[-1]))
    same = [draft.t_ms for draft in chain if strip_spaces(_text(draft))[: len(final)] == final]
    return min(same, default=chain[-1].t_ms)


def _text(draft: Draft) -> str:
    line = line_of(draft)
    return line.text if line else ""


def line_of(draft: Draft) -> Line | None:
    """The one line that came or changed, if nothing else did."""
    found = draft.match
    if found.removed or len(found.added) + len(found.changed) != 1:
        return None
    return found.added[0] if found.added else found.changed[0][1]


def _begin_together(old: Line, new: Line) -> bool:
    """Whether both begin at one place; what grows to the left comes letter by letter, else it slides in."""
    few = abs(len(strip_spaces(new.text)) - len(strip_spaces(old.text))) <= _LETTERS
    return few or abs(new.came_at[0] - old.came_at[0]) <= 2 * old.box[3]


def _continues(before: Draft, draft: Draft, old: Line, new: Line) -> bool:
    if draft.t_ms - before.t_ms > _PAUSE_MS:
        return False
    one, other = sorted(_without_side(old, new), key=len)
    common = _common_start(one, other)
    # What is typed before an ending, as a name before its kind of file, leaves both sides as they are.
    if common and len(one) > _LETTERS >= len(other) - len(one):
        common += _common_start(one[common:][::-1], other[common:][::-1])
    is_number = len(one) == len(other) and digits(one) != digits(other) and len(digits(one)) == len(digits(other))
    if is_number and (not new.is_value or common < max(1, len(one) - 1)):
        return False
    # Several steps may have been read as one, and an answer that streams in comes by whole words.
    most = _STEP * (1 + max(draft.t_ms - before.t_ms, 0) // _STEP_MS) * (2 if common == len(one) else 1)
    is_other = strip_spaces(old.text) != strip_spaces(new.text)
    return common >= len(one) - 2 and len(other) - len(one) <= most and is_other


def _without_side(old: Line, new: Line) -> tuple[str, str]:
    """The texts of both without the side of their field where only one of them was read with it."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    common = _common_start(one, other)
    if _may_begin_with_side(new) and _common_start(one, other[1:]) > common:
        return one, other[1:]
    if _may_begin_with_side(old) and _common_start(one[1:], other) > common:
        return one[1:], other
    return one, other


def _may_begin_with_side(line: Line) -> bool:
    """Whether its first sign looks like the side of a field, or stands on it."""
    is_there = line.field_box is not None and line.came_at[0] - line.field_box[0] <= _ON_SIDE
    return line.text[:1] in _SIDES or (is_there and line.text[:1].isalpha())


def _grew(text: str, into: str) -> bool:
    return strip_spaces(into).startswith(strip_spaces(text))


def _common_start(one: str, other: str) -> int:
    same = 0
    for a, b in zip(one.casefold(), other.casefold(), strict=False):
        if a != b:
            break
        same += 1
    return same


def _is_unrolled(chain: Sequence[Draft], last: Line) -> bool:
    """Whether it came in no field, faster than anybody types: a notice that slides in is cut at first."""
    letters = len(strip_spaces(last.text)) - len(strip_spaces(_text(chain[0])))
    took_ms = chain[-1].t_ms - chain[0].t_ms
    return last.field_box is None and not last.is_focused and 1000 * letters > _FASTEST * took_ms


def _is_typing(chain: Sequence[Draft]) -> bool:
    if not chain:
        return False
    last = line_of(chain[-1])
    first = chain[0].match.changed[0][0].text if chain[0].match.changed else ""
    if last is None or last.score < _LEGIBLE:
        return False
    if alike(first, last.text) or (address_of(first) and address_of(last.text) and len(chain) <= _LETTERS):
        return False
    # What a program writes comes by long pieces; one step alone is typing when letters were put behind a text.
    texts = [first, *(_text(draft) for draft in chain)]
    steps = [abs(len(strip_spaces(new)) - len(strip_spaces(old))) for old, new in itertools.pairwise(texts)]
    if len(chain) > 1 and _is_unrolled(chain, last):
        return False
    if len(chain) > 1:
        began = len(strip_spaces(texts[1])) <= _STEP or _grew(first, texts[1]) or _grew(texts[1], first)
        began = began and all(_begin_together(*pair) for pair in chain[0].match.changed)
        return began and (len(chain) > _LETTERS or min(steps, default=0) <= _LETTERS)
    one, other = strip_spaces(first), strip_spaces(last.text)
    more = other.removeprefix(one)
    is_letter = last.is_value and len(more) == 1
    counts = ((digits(one) or more.isdecimal()) and not is_letter) or is_same_number(one, other)
    grew = bool(one) and other.startswith(one) and 0 < len(more) <= _LETTERS and not counts
    old = chain[0].match.changed[0][0] if grew else last
    stood = is_letter or chain[0].t_ms - old.t_ms >= _READ_MS
    return grew and stood and abs(last.came_at[0] - old.box[0]) <= last.box[3]
