"""Takes back what only the reader changed: a pointer over a text, a codec, half of a fade, a clock."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import overlap, same_row
from adapters.video.text.lines import address_of, alike, digits, similarity, strip_spaces, without_numbers
from adapters.video.text.matching import Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_SETTLED_MS: Final = 500
"""What was read while something moved there counts if it was still there after so long."""
_GLIMPSE_MS: Final = 300
_LEGIBLE: Final = 0.9
"""What is read with less, and only for a moment, was still coming or already going."""
_QUOTED: Final = 0.93
"""Of lines of strangers' applications that were read with less, two of three were not what stood there."""
_DETOUR_MS: Final = 2500
_GAP_MS: Final = 700
"""A text that comes back after less did not go: it was covered, or not found."""
_GARBLED: Final = 0.6
_STROKES: Final = tuple("1lI|[")
"""What a pointer over text is read as."""
_SAME: Final = 0.75
_SURE: Final = 0.97
_LETTERS: Final = 5
_FLEETING: Final = 4
"""More texts in a row that stood for less than half a second each cannot be read one by one."""
_CUT: Final = 3
_TYPED_MS: Final = 1000
"""Letters that were just typed are taken away again sooner."""
_SHARE: Final = 0.3
_FEW: Final = 2
_ALONE: Final = 6
"""A statement of more lines is about a page or a panel."""
_WORD: Final = 3
_TIMER: Final = re.compile(r"\d+([.,]\d+)? ?ms")
"""How long something took so far, as a test runner counts."""
_WORDS: Final = 2.5
_NUMBER: Final = re.compile(r"\d+")
_CLOCK_STEPS: Final = 3
_CLOCK_RATES: Final = (1 / 60, 1, 10, 100, 1000)
"""What clocks count in a second: minutes, seconds and parts of them."""
_OFF: Final = 0.15


@dataclass(slots=True, eq=False)
class _Change:
    """One text at one place that went, came, or took the place of another in a draft."""

    draft: Draft
    old: Line | None
    new: Line | None

    def withdraw(self) -> None:
        """Take it out of its draft."""
        found = self.draft.match
        found.changed = [pair for pair in found.changed if pair != (self.old, self.new)]
        found.added = [line for line in found.added if self.old is not None or line is not self.new]
        found.removed = [line for line in found.removed if self.new is not None or line is not self.old]


def without_rereadings(drafts: Sequence[Draft]) -> None:
    """Leave out of the drafts, in order of time, what no program did."""
    _without_half_states(drafts)
    for draft in drafts:
        draft.match.without_false()
    same: dict[int, Line] = {}
    for draft in drafts:
        _say_same(draft, same)
        for old, new in list(draft.match.changed):
            if _is_cut_in_word(old, new):
                new.text, new.score = old.text, old.score
            if _is_reread(old, new) or _was_overlooked(old, new, draft.box):
                _Change(draft, old, new).withdraw()
                same[id(new)] = _joined(old, new)
    _without_detours(drafts)
    for draft, pair in _clock_pairs(drafts):
        draft.match.changed.remove(pair)
    _without_fleeting(drafts)
    for draft in drafts:
        draft.match.without_false()
        draft.match.changed = [(old, new) for old, new in draft.match.changed if not alike(old.text, new.text)]


def readable(found: Match) -> Match:
    """What can be quoted: not what was read with doubt, only moved, or is a sign alone, as a picture on a button."""
    lines = [*found.leaving, *found.coming]
    doubtful = {id(line) for line in lines if _is_doubtful(line) or _is_sign(line, alone=len(lines) <= _ALONE)}
    # As wide as before and not read for certain, it is the same line under a pointer or in another light.
    doubtful |= {id(line) for pair in found.changed if _is_misread(*pair) for line in pair}
    doubtful |= _moved(found)
    # What counts at one place was read twice.
    doubtful -= {id(line) for pair in found.changed if _is_count(*pair) for line in pair}
    doubtful |= {id(line) for line in lines if _is_drawn(line.text) or _TIMER.fullmatch(line.text)}
    pairs = [pair for pair in found.changed if not doubtful & {id(line) for line in pair}]
    added = [line for line in found.coming if id(line) not in doubtful and all(line is not new for _, new in pairs)]
    removed = [line for line in found.leaving if id(line) not in doubtful and all(line is not old for old, _ in pairs)]
    return Match(kept=found.kept, moved=found.moved, changed=pairs, added=added, removed=removed)


def _is_misread(old: Line, new: Line) -> bool:
    """Whether the later reading is in doubt, and both begin and end at one place."""
    one, other = old.box, new.came_at
    ends = abs(one[0] - other[0]), abs(one[0] + one[2] - other[0] - other[2])
    return _is_doubtful(new) and not _is_doubtful(old) and same_row(one, other) and max(ends) <= one[3] // 2


def _is_doubtful(line: Line) -> bool:
    return line.score < (_SURE if _lasted_ms(line) < _GLIMPSE_MS else _QUOTED)


def _lasted_ms(line: Line) -> int:
    """How long it stood; what stands to the end has settled."""
    return _SETTLED_MS if line.until_ms is None else line.until_ms - line.t_ms


def _is_count(old: Line, new: Line) -> bool:
    one, other = (without_numbers(line.text) for line in (old, new))
    return one == other and old.text != new.text


def _is_sign(line: Line, *, alone: bool) -> bool:
    """Whether it is one letter or sign by itself; a number may be a count, but is an icon more often on a page."""
    return len(line.text) == 1 and not (alone and line.text.isdecimal())


def _is_drawn(text: str) -> bool:
    """Whether most of it is signs: icons in a row, a rule drawn by dashes, a bar of a terminal."""
    signs = strip_spaces(text)
    return len(signs) >= _WORD and _WORDS * sum(map(str.isalnum, signs)) < len(signs)


def _moved(found: Match) -> set[int]:
    """Ids of the lines that say the same before and after, and only stand elsewhere.

    None where a value may have been chosen, and where most did so: then rows were sorted, which is what happened.
    """
    if len(found.coming) <= 1:
        return set()
    before = Counter(_words(line) for line in found.leaving)
    after = Counter(_words(line) for line in found.coming)
    same = {words for words in before if len(words) >= _WORD and before[words] == after[words]}
    if 2 * sum(after[words] for words in same) > sum(after[words] for words in after if len(words) >= _WORD):
        return set()
    return {id(line) for line in (*found.leaving, *found.coming) if _words(line) in same}


def _words(line: Line) -> str:
    return strip_spaces(line.text)


def _say_same(draft: Draft, same: Mapping[int, Line]) -> None:
    """Put the first of several readings of one text in the place of the others."""
    found = draft.match
    found.changed = [(same.get(id(old), old), same.get(id(new), new)) for old, new in found.changed]
    found.removed = [same.get(id(line), line) for line in found.removed]
    found.kept = [(same.get(id(old), old), new) for old, new in found.kept]


def _clock_pairs(drafts: Sequence[Draft]) -> list[tuple[Draft, tuple[Line, Line]]]:
    """Changes of numbers alone that went on as fast as time does, at least three times."""
    runs: dict[int, list[tuple[Draft, tuple[Line, Line]]]] = {}
    whole: list[list[tuple[Draft, tuple[Line, Line]]]] = []
    for draft in drafts:
        for old, new in draft.match.changed:
            if without_numbers(old.text) != without_numbers(new.text):
                continue
            run = runs.pop(id(old), [])
            if not run:
                whole.append(run)
            run.append((draft, (old, new)))
            runs[id(new)] = run
    return [one for run in whole if _is_clock(run) for one in run]


def _is_clock(run: Sequence[tuple[Draft, tuple[Line, Line]]]) -> bool:
    if len(run) < _CLOCK_STEPS:
        return False
    values = np.array([_value(run[0][1][0].text), *(_value(new.text) for _, (_, new) in run)])
    times = np.array([draft.t_ms for draft, _ in run]) / 1000
    steps = np.diff(values)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    rate = abs(values[-1] - values[1]) / max(times[-1] - times[0], 1e-3)
    return any(abs(rate / usual - 1) <= _OFF for usual in _CLOCK_RATES)


def _value(text: str) -> float:
    """What a clock shows, in its last unit: 75 for 1:15, 1501 for 1501ms."""
    total = 0.0
    for number in _NUMBER.findall(text):
        total = 60 * total + float(number)
    return total


def _without_half_states(drafts: Sequence[Draft]) -> None:
    """What was read while something moved, and was gone at the next look, was no text; but for letters typed on."""
    grown = {id(old) for draft in drafts for old, new in draft.match.changed if _grew(old.text, new.text)}
    for draft in drafts:
        for line in draft.match.coming:
            lasted_ms = _lasted_ms(line)
            doubtful = (lasted_ms < _SETTLED_MS and line.score < _SURE) or len(line.text) <= _FEW
            glimpse = line in draft.match.added and lasted_ms < _GLIMPSE_MS and line.score < _LEGIBLE
            if ((line.moving and doubtful) or glimpse) and id(line) not in grown:
                line.false = True


def _without_fleeting(drafts: Sequence[Draft]) -> None:
    """Of a text that changes faster than it can be read, as the steps of a compiler do, what came first and last."""
    runs: dict[int, list[Line]] = {}
    whole: list[list[Line]] = []
    for draft in drafts:
        for old, new in draft.match.changed:
            run: list[Line] = [] if _grew(old.text, new.text) else runs.pop(id(old), [])
            if not run:
                whole.append(run)
            run.append(new)
            if new.until_ms is not None and new.until_ms - new.t_ms < _SETTLED_MS:
                runs[id(new)] = run
    for run in whole:
        # A number alone that runs is a count.
        if len(run) > _FLEETING and len({without_numbers(line.text) for line in run}) > 1:
            for line in run[:-1]:
                line.false = True


def _grew(old: str, new: str) -> bool:
    one, other = strip_spaces(old), strip_spaces(new)
    return other.startswith(one) or one.startswith(other)


def _is_reread(old: Line, new: Line) -> bool:
    """Whether some letters differ within a text that begins, ends and counts as before."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    if alike(one, other):
        return True
    if min(len(one), len(other)) < _LETTERS or digits(one) != digits(other) or _grew(one, other):
        return False
    if not same_row(old.box, new.came_at) or not _at_one_place(old, new):
        return False
    likeness = similarity(one, other)
    return likeness >= _SAME and (min(old.score, new.score) < _SURE or likeness >= (1 + _SAME) / 2)


def _is_cut_in_word(old: Line, new: Line) -> bool:
    """Whether of a text but some letters at an end are left within a word, as beside a pointer or a menu over it.

    In a field letters are taken away at the end, and what stands where the whole stood was only read otherwise.
    """
    lost, lasted_ms = len(old.text) - len(new.text), _lasted_ms(old)
    if not 0 < lost <= _CUT or len(new.text) < _FEW or lasted_ms < _TYPED_MS or not same_row(old.box, new.came_at):
        return False
    left, right = max(old.box[0], new.came_at[0]), min(old.box[0] + old.box[2], new.came_at[0] + new.came_at[2])
    if 2 * (right - left) < min(old.box[2], new.came_at[2]) or old.box[::2] == new.came_at[::2]:
        return False
    if old.text.endswith(new.text):
        return (old.text[:lost] + new.text[0]).isalpha() and not new.text[0].isupper()
    is_field = old.field_box is not None or new.field_box is not None
    return old.text.startswith(new.text) and (old.text[-lost:] + new.text[-1]).isalpha() and not is_field


def _was_overlooked(old: Line, new: Line, changed: Box) -> bool:
    """Whether what the line says more, before or after what it said, stands where nothing changed: it was read late."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    if len(one) < _LETTERS or not (other.startswith(one) or other.endswith(one)) or not same_row(old.box, new.came_at):
        return False
    left, right = new.came_at[0], new.came_at[0] + new.came_at[2]
    if other.startswith(one):
        left = old.box[0] + old.box[2]
    else:
        right = old.box[0]
    return right > left and not overlap((left, new.came_at[1], right - left, new.came_at[3]), changed)


def _at_one_place(old: Line, new: Line) -> bool:
    x, _, width, height = old.box
    left, _, wide, _ = new.came_at
    return max(abs(x - left), abs(x + width - left - wide)) <= height


def _joined(old: Line, new: Line) -> Line:
    """One text of the two: as it was read more surely, from its first moment to its last."""
    if new.score > old.score:
        old.text, old.score = new.text, new.score
    old.move(new.came_at, new.t_ms)
    old.until_ms, old.box, old.false = new.until_ms, new.box, False
    old.been += new.been
    old.moving = old.moving and new.moving
    new.false = True
    return old


def _without_detours(drafts: Sequence[Draft]) -> None:
    """Where a text stands again after a moment, what was read in between was garbled by what passed over it."""
    for at, draft in enumerate(drafts):
        for leaving in [one for one in _changes(draft) if one.old is not None]:
            found = _detour(leaving, drafts[at:])
            if found is not None:
                _take_back(leaving, *found, drafts[at:])


def _detour(leaving: _Change, later: Sequence[Draft]) -> tuple[list[_Change], _Change] | None:
    """What was read in between, and how the text came back; ``None`` where it did not."""
    old, between = leaving.old, list[_Change]()
    for draft in later:
        after_ms = draft.t_ms - leaving.draft.t_ms
        if old is None or after_ms > _DETOUR_MS:
            return None
        for one in _changes(draft):
            new = one.new
            if new is None or new is old or not _overlaps(old, new):
                continue
            if alike(old.text, new.text) and new is not leaving.new:
                return (between, one) if between or after_ms <= _GAP_MS else None
            if not (_is_garbled(old, new) or _has_pointer_ahead(old, new)):
                return None
            between.append(one)
    return None


def _take_back(leaving: _Change, between: Sequence[_Change], back: _Change, drafts: Sequence[Draft]) -> None:
    old, again = leaving.old, back.new
    if old is None or again is None:
        return
    for one in between:
        if one.new is not None:
            one.new.false = True
    for one in {(one.old, one.new): one for one in (leaving, *between, back)}.values():
        one.withdraw()
        if one.new is not None and one.old is not None and one.old is not old and not one.old.false:
            one.draft.match.removed.append(one.old)
    same = {id(again): _joined(old, again)}
    for draft in drafts:
        _say_same(draft, same)


def _is_garbled(old: Line, new: Line) -> bool:
    """Whether the second may be the first with something over it."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    if other.startswith(one) or set(digits(other)) - set(digits(one)):
        return False
    if new.until_ms is None or new.until_ms - new.t_ms > _DETOUR_MS:
        return False
    if abs(len(one) - len(other)) > max(_FEW, _SHARE * len(one)):
        return False
    is_part = one.startswith(other) or one.endswith(other)
    if len(one) > len(other) >= _LETTERS and is_part and not address_of(one):
        # The edge of what is lit around it covers its last letter.
        return True
    if new.score >= _SURE:
        return False
    return similarity(one, other) >= _GARBLED


def _has_pointer_ahead(old: Line, new: Line) -> bool:
    """Whether it is the text behind a stroke that stood there for a moment, as the pointer does that marks a value."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    return other[:1] in _STROKES and other[1:] == one and _lasted_ms(new) <= _GAP_MS


def _overlaps(old: Line, new: Line) -> bool:
    smaller = min(old.box[2] * old.box[3], new.came_at[2] * new.came_at[3])
    return 2 * overlap(old.box, new.came_at) >= smaller and same_row(old.box, new.came_at)


def _changes(draft: Draft) -> Iterator[_Change]:
    found = draft.match
    for old, new in list(found.changed):
        yield _Change(draft, old, new)
    for line in list(found.removed):
        yield _Change(draft, line, None)
    for line in list(found.added):
        yield _Change(draft, None, line)
