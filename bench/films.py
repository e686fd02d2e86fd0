"""What is learned from a film alone: sessions of ``bench/world``, whose input stays hidden from the learner.

A step is told exactly when what was done, to what, and with which value are those of the input at that time. A click
into a field, and Tab to it, is told by what is typed there, one that opens a list by what is chosen there, and Tab in a
terminal by the line that it completed; a turn of the wheel that moved nothing cannot be seen. A step that fits no input
is invented. The criterion is right when each text that it quotes came after the last input and stood to the end.
"""

from __future__ import annotations

import re
import time
import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from adapters.models.learning.local import LocalExtractor
from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.film_runs import Ended, run_film, table
from bench.film_wishes import WISHES
from bench.kept_analyses import KeptAnalyser, KeptLook
from bench.learning import MAX_BYTES, MAX_PIXELS, MAX_SECONDS
from bench.list_choices import choice_in_list, entry_chosen
from bench.table import Table
from bench.world.scene import APART, plain
from bench.world.truth import HERE, IN_FIELD, Half, Truth, clicked_words, sessions
from core.demonstration.filmed_choices import is_choice
from core.demonstration.screen_texts import is_masked
from core.expectations.matching import ANY_NUMBER
from core.plans.phrasing import ORDINALS, first_quotation, quoted
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of
from core.tasks.questions import QuestionState
from tests.fakes.jobs.contexts import FakeContext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.world.truth import Action, Stay
    from core.steps import Step
    from core.tasks.heartbeat import Heartbeat

_IN_TIME_MS: Final = 1500
"""Evidence is told to the second."""
_ALIKE: Final = 92.0
_END_MS: Final = 300
_GONE: Final = "no longer shown"
_SPAN: Final = re.compile(r"- \[(\d+):(\d+)-(\d+):(\d+)\] Step (\d+)")
_CLICKS: Final = {"click": "CLICK", "choose": "CLICK", "double": "DOUBLE_CLICK", "right": "RIGHT_CLICK"}
_VERBS: Final = frozenset({*_CLICKS, "type", "press", "scroll"})
_OPENS: Final = ("OPEN_URL", "OPEN_APP")
_STEM: Final = "\t"
"""Behind what Tab completed."""
_KEY: Final = re.compile(r"\s*\[[\w-]{1,12}\]$")
"""The key that a page names behind what it does: "Save [s]"."""
_ICON: Final = re.compile(r'the (?:([a-z ]+) )?icon (?:in the row|to the right|to the left) of "([^"]+)"')
_ICON_SEEN: Final = re.compile(r"icon (\d+)/(\d+): (.+)")
"""Which icon it is, of how many in the row of which text, from the left."""
_KEYS: Final = {"return": "enter", "kp_enter": "enter"}


@dataclass(frozen=True)
class Deed:
    """One thing that was done, by the input."""

    t_ms: int
    until_ms: int
    kind: str
    words: str
    is_needed: bool = True
    """Whether a step has to tell it: a click before letters may only give a field the focus, or open a dialog."""
    whole: str = ""
    """What the field held then, where letters went behind others."""
    is_icon: bool = False
    """Whether no words stand where it was clicked."""


@dataclass
class Score:
    """Of one film, or of several together."""

    told: int = 0
    of: int = 0
    invented: int = 0
    asked: int = 0
    refused: int = 0
    right: int = 0
    ends: int = 0
    """Films in which a text came after the last input and stood to the end: of the others no criterion can be right."""
    films: int = 0
    seconds: float = 0.0

    def add(self, other: Score) -> None:
        """Count it in."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of the table."""
        return (
            f"{self.told} of {self.of} ({self.told / max(self.of, 1):.0%})",
            str(self.invented),
            f"{self.asked / max(self.films, 1):.1f}".removesuffix(".0"),
            f"{self.refused} of {self.films}",
            f"{self.right} of {self.ends}",
            f"{self.seconds / max(self.films, 1):.1f}" if self.seconds else "not measured",
        )


def run(*, quick: bool = False, held_out: bool = False) -> list[Table]:
    """Learn from every film of one half; when it has to be quick, from kept analyses, and nothing is run."""
    half: Half = "held_out" if held_out else "build"
    analyser = KeptAnalyser(
        LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS), reuses=quick
    )
    inspector = VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)
    extractor = LocalExtractor(analyser, KeptLook(reuses=quick))
    rows: list[tuple[str, ...]] = []
    totals: dict[str, Score] = {}
    runs: dict[str, Ended] = {}
    for truth, path in sessions(half):
        if not any(_deeds(truth)):
            continue
        began = time.monotonic()
        reply = extractor.extract(inspector.inspect(path), None, FakeContext())
        seconds = time.monotonic() - began
        task = read_extraction(reply.text).heartbeat
        score = scored(truth, task)
        score.seconds = 0.0 if quick else seconds
        totals.setdefault(truth.setting, Score()).add(score)
        rows.append((f"{truth.session} ({truth.setting})", *score.cells))
        if truth.session in WISHES and not quick:
            runs[truth.session] = run_film(truth, task)
    rows += [(f"all, {kind}", *score.cells) for kind, score in totals.items()]
    title = f"Films learned without their input, {'held out' if held_out else 'built with'}"
    columns = ("film", "steps told exactly", "invented", "questions a film", "refused", "success right", "seconds")
    return [Table(title, columns, rows), *([table(runs, held_out=held_out)] if runs else [])]


def scored(truth: Truth, task: Heartbeat | None) -> Score:
    """Compare a task with what was done; ``None`` if the film was refused."""
    score = compared(list(_deeds(truth)), task)
    score.right = int(task is not None and _has_right_end(truth, task))
    score.ends = int(bool(_ending(truth)))
    return score


def compared(deeds: list[Deed], task: Heartbeat | None) -> Score:
    """How many of the deeds a task tells, and how many steps are none of them; without its criterion."""
    if task is None:
        return Score(of=sum(each.is_needed for each in deeds), refused=1, films=1)
    spans = _spans(task)
    left = list(deeds)
    invented = 0
    for step in plan_of(task):
        if not step.is_known or step.action_type in _OPENS:
            continue
        span = spans.get(step.i)
        found = next((each for each in left if span is not None and _is(step, span, each)), None)
        if found is not None:
            left.remove(found)
            opened = deeds[max(0, deeds.index(found) - 1)]
            if is_choice(step) and opened.kind == "CLICK" and opened in left:
                # Who chooses in a list that has a name opens it, too.
                left.remove(opened)
                deeds.remove(opened)
        else:
            invented += 1
    needed, missed = (sum(each.is_needed for each in some) for some in (deeds, left))
    return Score(
        told=needed - missed,
        of=needed,
        invented=invented,
        asked=sum(each.state is QuestionState.OPEN for each in task.questions),
        films=1,
    )


def _deeds(truth: Truth) -> Iterator[Deed]:
    verbs = _verbs(truth.session)
    are_known = len(verbs) == len(truth.actions)
    chosen = _choices(truth)
    for at, action in enumerate(truth.actions):
        following = truth.actions[at + 1] if at + 1 < len(truth.actions) else None
        verb = verbs[at] if are_known else action.kind
        until = action.until_ms or action.t_ms
        if at in chosen:
            yield from chosen[at]
            continue
        if (verb == "click" or action.moves_focus) and truth.kind != "terminal" and _types_next(truth, at):
            # What is typed into a field tells both.
            if verb == "click":
                yield Deed(action.t_ms, until, "CLICK", _words(truth, action), is_needed=False)
            continue
        if verb == "scroll" and not _moves_content(truth, action):
            continue
        if at and verb == "press" and _completes(truth, at):
            continue
        if verb in _CLICKS:
            yield Deed(action.t_ms, until, _CLICKS[verb], _words(truth, action), is_icon=_is_wordless(truth, action))
        elif verb == "scroll":
            yield Deed(action.t_ms, until, "SCROLL", "up" if action.value.startswith("-") else "down")
        else:
            stem = _STEM if following is not None and _completes(truth, at + 1) else ""
            kind = "TYPE" if verb == "type" else "KEYPRESS"
            yield Deed(action.t_ms, until, kind, action.value + stem, whole=_whole(truth, at))


def _choices(truth: Truth) -> dict[int, tuple[Deed, ...]]:
    """What is done in list boxes of the system, for each of the actions in them: the choice tells the click, too."""
    found: dict[int, tuple[Deed, ...]] = {}
    for at, opened in enumerate(truth.actions):
        end = choice_in_list(truth, at)
        if at in found or end < 0:
            continue
        last = truth.actions[end]
        found |= dict.fromkeys(range(at, end), ())
        found[at] = (
            Deed(opened.t_ms, opened.until_ms or opened.t_ms, "CLICK", _words(truth, opened), is_needed=False),
        )
        found[end] = (Deed(last.t_ms, last.until_ms or last.t_ms, "CLICK", entry_chosen(truth, end)),)
    return found


def _whole(truth: Truth, at: int) -> str:
    """What a field held that was clicked, at whose end letters were typed; empty for any other."""
    clicked, key = truth.actions[at - 2 : at] if at > 1 else (None, None)
    is_behind = clicked is not None and key is not None and (clicked.kind, key.value) == ("click", "End")
    return clicked.target + truth.actions[at].value if is_behind and clicked is not None else ""


def _words(truth: Truth, action: Action) -> str:
    return (clicked_words(truth, action).splitlines() or [""])[-1]


def _is_wordless(truth: Truth, action: Action) -> bool:
    """Whether no text stands at the point: a page tells a name of an icon that its picture does not show."""
    if action.point is None:
        return False
    (x, y), there = action.point, (stay for stay in truth.texts if stay.text and stay.stands(action.t_ms))
    boxes = (stay.at(action.t_ms) for stay in there)
    return not any(0 <= x - left <= wide and 0 <= y - top <= high for left, top, wide, high in boxes)


def _moves_content(truth: Truth, action: Action) -> bool:
    """Whether anything moved under the wheel."""
    return any(0 <= shift.t_ms - action.t_ms <= _IN_TIME_MS for shift in truth.shifts)


def _types_next(truth: Truth, at: int) -> bool:
    """Whether letters go next where it led: Tab behind a click leads elsewhere."""
    is_click = not truth.actions[at].moves_focus
    later = (
        each for each in truth.actions[at + 1 :] if not (each.moves_focus and (each.value in IN_FIELD or not is_click))
    )
    following = next(later, None)
    return following is not None and following.kind == "type"


def _completes(truth: Truth, at: int) -> bool:
    """Whether Tab completed what was typed in a terminal: then nobody who reads the line knows of it."""
    before = truth.actions[at - 1]
    return truth.kind == "terminal" and truth.actions[at].value == "Tab" and before.kind == "type"


def _verbs(session: str) -> list[str]:
    """What was done, in the words of the session's script: truth calls every kind of click one."""
    for path in sorted((HERE / "sessions").glob("*.toml")):
        script = tomllib.loads(path.read_text("utf-8")).get(session)
        if script is not None:
            words = (line.split(maxsplit=1)[0] for line in str(script["steps"]).splitlines() if line.strip())
            return [word for word in words if word in _VERBS]
    return []


def _spans(task: Heartbeat) -> dict[int, tuple[int, int]]:
    """When each step was seen, by its place in the plan."""
    field = task_fields(task).get("Evidence")
    found = (_SPAN.match(line if line.startswith("- ") else f"- {line}") for line in (field.items if field else ()))
    return {
        int(each[5]) - 1: ((int(each[1]) * 60 + int(each[2])) * 1000, (int(each[3]) * 60 + int(each[4])) * 1000 + 999)
        for each in found
        if each is not None
    }


def _is(step: Step, span: tuple[int, int], deed: Deed) -> bool:
    if span[0] - _IN_TIME_MS > deed.until_ms or deed.t_ms > span[1] + _IN_TIME_MS:
        return False
    if step.action_type == "TYPE":
        is_hidden = bool(step.place) and (not step.doubt or is_masked(step.read))
        # Of a list box a page's truth may read the label with it.
        is_chosen = deed.kind == "CLICK" and f" {plain(deed.words)}".endswith(f" {plain(step.action_value or '')}")
        is_same = step.action_value in {deed.words, deed.whole}
        is_same |= deed.words.endswith(_STEM) and (step.action_value or "").startswith(deed.words[: -len(_STEM)])
        return (deed.kind == "TYPE" and (is_hidden or is_same)) or is_chosen
    if step.action_type != deed.kind:
        return False
    if step.action_type == "SCROLL":
        return step.additional_args.get("direction", "down") == deed.words
    if step.action_type == "KEYPRESS":
        return _key(step.action_value or "") == _key(deed.words)
    icon = _ICON.fullmatch(step.target.primary)
    return _is_icon(icon, deed) if icon is not None else _names(step, deed)


def _names(step: Step, deed: Deed) -> bool:
    words, said = _bare(first_quotation(step.target.primary)), _bare(deed.words)
    return words.startswith(said) if deed.words.endswith(_STEM) else bool(deed.words) and words == said


def _is_icon(said: re.Match[str], deed: Deed) -> bool:
    """Whether it is the icon of that number in that row; of one that nobody has looked at, only that it was one."""
    seen = _ICON_SEEN.fullmatch(deed.words)
    if seen is None:
        return deed.is_icon or not deed.words
    at, of = int(seen[1]), int(seen[2])
    numbers = {"": 1, "last": of, "second to last": of - 1, **{each: n for n, each in enumerate(ORDINALS, 1)}}
    return numbers.get(said[1] or "") == at and _bare(said[2]) in _bare(seen[3])


def _bare(text: str | None) -> str:
    """Without signs that stand apart, the dots behind what opens a dialog, and a colon: a column's arrow is read so."""
    words = _KEY.sub("", text or "")
    return (plain(APART.sub("", words)) or plain(words)).rstrip(".:\u2026 ")


def _key(words: str) -> str:
    return "+".join(_KEYS.get(each, each) for each in words.casefold().split("+"))


def _has_right_end(truth: Truth, task: Heartbeat) -> bool:
    field = task_fields(task).get("SuccessCriteria")
    said = [(quoted(item), item) for item in (field.items if field else ())]
    texts = [text for quote, item in said if quote is not None and _GONE not in item for text in quote.texts]
    gone = [text for quote, item in said if quote is not None and _GONE in item for text in quote.texts]
    ending = _ending(truth)
    if any(plain(text) == plain(stay.text) for text in gone for stay in ending):
        return False
    return bool(texts) and all(
        any(fuzz.partial_ratio(plain(text), _like(text, stay.text)) >= _ALIKE for stay in ending) for text in texts
    )


def _ending(truth: Truth) -> list[Stay]:
    """What came after the last input, and stood to the end."""
    last = max((action.t_ms for action in truth.actions), default=0)
    return [
        stay
        for stay in (*truth.texts, *truth.bars)
        if stay.t_ms >= last - _END_MS and (stay.until_ms or truth.duration_ms) >= truth.duration_ms - _END_MS
    ]


def _like(text: str, stood: str) -> str:
    """What stood there, with ``{number}`` for its numbers if the text has that."""
    return plain(re.sub(r"\d+(?:[.,]\d+)*", ANY_NUMBER, stood) if ANY_NUMBER in text else stood)
