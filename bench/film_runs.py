"""From a film alone to a run with other values: web applications of ``bench/world``, judged by what they then hold.

A task is learned from the film; what is asked is answered as it is proposed, and by what was done (the session's truth)
where nothing is proposed or an answer did not help. It is tried with the values of the film until nothing is asked any
more, then run once with others. Each time the application is new. ``bench/world/install`` installs them.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.film_wishes import WISHES
from bench.list_choices import choice_in_list, entry_chosen
from bench.table import Table
from bench.world.hands import free_port, started
from bench.world.session import all_sessions
from bench.world.truth import OUT, clicked_words
from bench.world.web import await_answer
from core.errors import VaiderError
from core.plans.phrasing import ORDINALS, marks
from core.runs.run import RunOutcome, RunRequest
from core.tasks.answers import answered
from core.tasks.moments import plan_steps, proposed_answers
from core.tasks.parameters import given_by_name, parametrised
from core.tasks.plan import asked_value, plan_of
from storage.tasks.tasks import TaskFolders
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.runs.replaying import Replays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.film_wishes import Wish
    from bench.world.session import Session
    from bench.world.truth import Action, Stay, Truth
    from core.runs.run import Run
    from core.tasks.heartbeat import Heartbeat
    from core.tasks.questions import Question

_TRIES: Final = 6
_NEAR_MS: Final = 1000
"""A question tells whole seconds."""
_LOCAL: Final = re.compile(r"//localhost:(\d+)")
_SPAN: Final = re.compile(r"\b(?:at|from) (\d{2}):(\d{2})(?: to (\d{2}):(\d{2}))?")
_WHICH: Final = re.compile(r"_(\d)$")
"""The second value that is hidden under one name, and so on."""
_ASIDE: Final = 4
_KEYS: Final = {"Return": "Enter"}
RIGHT, WRONG, NOT_TOLD, STOPPED = "right", "told as done though wrong", "right, but not told", "stopped"


@dataclass
class Ended:
    """What became of one film."""

    result: str = STOPPED
    reason: str = ""
    asked: int = 0
    """Questions of learning."""
    asked_later: int = 0
    """Questions of trying."""
    given: int = 0
    """Answers that were not proposed."""


def run_film(truth: Truth, task: Heartbeat | None) -> Ended:
    """Answer, try and run what was learned from one film; it has a wish."""
    found, wish = Ended(), WISHES[truth.session]
    if task is None:
        found.reason = "nothing was learned"
        return found
    person = _Person(truth, all_sessions()[truth.session], task, _port_of(task), found)
    with tempfile.TemporaryDirectory(prefix="vaider-films-") as scratch:
        replays = Replays(Path(scratch))
        tasks = TaskFolders(Path(scratch) / "data" / "tasks")
        stored = tasks.add(task, by="bench", why="learned").id
        try:
            found.asked = len(task.open_questions)
            person.answer_all(tasks, stored, task.open_questions)
            for _ in range(_TRIES):
                tried, _ = _carry_out(replays, tasks, stored, person, wish, {})
                if not tried.asked:
                    break
                found.asked_later += len(tried.asked)
                person.answer_all(tasks, stored, tried.asked)
            ended, made = _carry_out(replays, tasks, stored, person, wish, wish.values)
            is_right = made == wish.wanted
            if ended.outcome is RunOutcome.SUCCEEDED:
                found.result = RIGHT if is_right else WRONG
            else:
                found.result = NOT_TOLD if is_right else STOPPED
            found.reason = "" if found.result == RIGHT else f"{ended.outcome}: {ended.reason} It has {made!r}."
        except (VaiderError, OSError, RuntimeError) as stopped:
            found.reason = str(stopped)
        finally:
            keep = OUT / "films"
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{truth.session}.md").write_text(tasks.load(stored).heartbeat.text, encoding="utf-8")
            replays.close()
    return found


def _port_of(task: Heartbeat) -> int:
    """Where the film shows that the application was: a person's own is there the next time as well."""
    known = _LOCAL.search(" ".join(line.text for line in plan_of(task)))
    return int(known[1]) if known is not None else free_port()


def _carry_out(  # noqa: PLR0917 - the parts of one run
    replays: Replays, tasks: TaskFolders, stored: str, person: _Person, wish: Wish, others: Mapping[str, str]
) -> tuple[Run, Any]:
    """Run it where the application is new; what it has then."""
    session = person.session
    if others and wish.prepare:
        session = session.model_copy(update={"prepare": f"{session.prepare}\n{wish.prepare}"})
    with started(session, os.environ, person.port) as (folder, _):
        await_answer(person.address)
        parameters = parametrised(tasks.load(stored).heartbeat).parameters
        given = {each.name: others[each.example or ""] for each in parameters if (each.example or "") in others}
        missing = [each for each in parameters if each.example is None]
        given |= {each.name: person.secret(each.name, wish if others else None) for each in missing}
        unknown = set(others.values()) - set(given.values())
        if unknown:
            raise RuntimeError(f"it has no parameter for {', '.join(sorted(unknown))}")
        width, height = (min(size, most) for size, most in zip(session.look.size, (1600, 1000), strict=True))
        request = RunRequest(
            task=stored,
            params=given_by_name(parameters, given),
            display="private",
            provider="local",
            size=f"{width}x{height}",
        )
        ended = replays.replay.run(replays.replay.admit(request), FakeContext())
        return ended, wish.state(folder, person.address.removesuffix(session.open))


@dataclass
class _Person:
    """Who made the film: agrees to what is proposed once, then says what was done."""

    truth: Truth
    session: Session
    task: Heartbeat
    """As it was learned."""
    port: int
    found: Ended
    seen: set[str] = field(default_factory=set[str])

    @property
    def address(self) -> str:
        """Of the first page."""
        return f"http://localhost:{self.port}{self.session.open}"

    def secret(self, name: str, wish: Wish | None) -> str:
        """A value that the film hides: that of the film, or of the wish."""
        known = name.casefold()
        if wish is not None:
            return wish.secrets.get(known) or next((wish.secrets[part] for part in wish.secrets if part in known), "")
        part = next((each for each in WISHES[self.truth.session].secrets if each in known), "")
        clicks = zip(self.truth.actions, self.truth.actions[1:], strict=False)
        typed = [typed.value for click, typed in clicks if typed.kind == "type" and part in self._name(click)]
        which = _WHICH.search(known)
        return typed[int(which[1]) - 1 if which is not None else 0] if part and typed else ""

    def _name(self, clicked: Action) -> str:
        return self._label(clicked).casefold() if clicked.kind == "click" else ""

    def answer_all(self, tasks: TaskFolders, task: str, questions: Sequence[Question]) -> None:
        """Answer each, where there is an answer."""
        for question in questions:
            proposed = [each for each in proposed_answers(question.text) if each != "skip"]
            is_agreed = bool(proposed) and question.id not in self.seen
            said = self._chosen(question.text, proposed) if is_agreed else self._known(question.text)
            self.found.given += not is_agreed
            self.seen.add(question.id)
            if said:
                tasks.change(
                    task,
                    lambda now, question=question, said=said: answered(now, question.id, said),
                    by="bench",
                    why="answered",
                )

    def _chosen(self, question: str, proposed: Sequence[str]) -> str:
        """Of several proposals the one that was done then; else the first."""
        done = self._known(question) if len(proposed) > 1 else ""
        return done if done in proposed else proposed[0]

    def _known(self, question: str) -> str:
        """What was done then, or what came in the end; of a step that could not be done what is missing before it."""
        if question.startswith("Step 1,"):
            return self.address
        if "SuccessCriteria" in question or "success criteria" in question or "shows in the end" in question:
            return self._end()
        span = _SPAN.search(question)
        if span is None:
            return self._before(question) or ("skip" if question.startswith("Step ") else "")
        since = (int(span[1]) * 60 + int(span[2])) * 1000 - _NEAR_MS
        until = (int(span[3] or span[1]) * 60 + int(span[4] or span[2])) * 1000 + 2 * _NEAR_MS
        if asked_value(question):
            typed = (each for each in self.truth.actions if each.kind == "type" and since <= each.t_ms <= until)
            return " ".join(each.value for each in typed)
        return " ".join(self._sentences(since, until)) or "skip"

    def _before(self, question: str) -> str:
        """What no step tells between one that could not be done and the one before it, then that step."""
        steps = plan_steps(self.task)
        at = next((at for at, step in enumerate(steps) if at and step.t_ms and step.text in question), None)
        if at is None:
            return ""
        since = steps[at - 1].until_ms or 0
        missing = list(self._sentences(since + _NEAR_MS, steps[at].t_ms or 0))
        return " ".join([*missing, steps[at].text]) if missing else ""

    def _sentences(self, since: int, until: int) -> Iterator[str]:
        actions, chosen_to = self.truth.actions, -1
        for at, action in enumerate(actions):
            if not since <= action.t_ms <= until:
                continue
            following = actions[at + 1].kind if at + 1 < len(actions) else ""
            is_field = action.kind == "click" and (following == "type" or _selects(actions, at + 1))
            name = marks(action.target.splitlines()[0]) if action.target else None
            if at <= chosen_to:
                continue
            chosen_to = choice_in_list(self.truth, at)
            if chosen_to > at:
                value, label = _apart(entry_chosen(self.truth, chosen_to), self._nearest(action))
                if not self._is_known(value, actions[chosen_to].t_ms):
                    yield f"Choose {marks(value)} in the {marks(label)} dropdown."
                continue
            words = action.value if action.kind == "type" else action.target.splitlines()[0] if action.target else ""
            is_known = action.kind != "press" and bool(words) and self._is_known(words, action.t_ms)
            if is_field or _selects(actions, at) or is_known:
                continue
            if action.kind in {"click", "choose"} and name:
                box = marks(clicked_words(self.truth, action))
                yield f"Click the {box} check box." if box != name else f"Click {self._which(action)}{name}."
            elif action.kind == "type":
                clicked = next((one for one in reversed(actions[max(0, at - 2) : at]) if one.kind == "click"), None)
                label = self._label(clicked, action) if clicked is not None else ""
                target = marks(label) if label else None
                yield f"Type {marks(action.value)}{f' into the {target} field' if target else ''}."
            elif action.kind == "press":
                yield from (f"Press {_KEYS.get(key, key)}." for key in action.value.split())

    def _which(self, clicked: Action) -> str:
        """The number of what was clicked among equal texts, in the order in which one reads; empty for the only one."""
        words = clicked.target.splitlines()[0]
        places = [one.at(clicked.t_ms) for one in self.truth.texts if one.text == words and one.stands(clicked.t_ms)]
        if clicked.point is None or not 1 < len(places) <= len(ORDINALS):
            return ""
        x, y = clicked.point
        places.sort(key=lambda place: (place[1], place[0]))
        nearest = min(
            range(len(places)),
            key=lambda at: abs(x - places[at][0] - places[at][2] / 2) + abs(y - places[at][1] - places[at][3] / 2),
        )
        return f"the {ORDINALS[nearest]} "

    def _is_known(self, value: str, t_ms: int) -> bool:
        """Report whether a learned step types or chooses this already: who is asked says what is missing."""
        said = marks(value)
        return said is not None and any(
            said in step.text and step.t_ms - _NEAR_MS <= t_ms <= (step.until_ms or step.t_ms) + _NEAR_MS
            for step in plan_steps(self.task)
            if step.t_ms is not None
        )

    def _label(self, clicked: Action, typed: Action | None = None) -> str:
        """What names a field: its own words where they are some, else the text nearest above or left of it."""
        own = clicked.target.splitlines()[0] if clicked.target else ""
        if any(sign.isalpha() for sign in own) or clicked.point is None:
            return own
        held = self._held(typed) if typed is not None else None
        if typed is None or held is None:
            return self._nearest(clicked)
        label = held.text.removesuffix(typed.value).strip()
        x, y, _, height = held.box
        return label or self._nearest(clicked.model_copy(update={"point": (x, y + height // 2)}))

    def _held(self, typed: Action) -> Stay | None:
        """Where what was typed came to stand, which begins at the left of its field; maybe with its label."""
        end = (typed.until_ms or typed.t_ms) + _NEAR_MS
        came = (one for one in self.truth.texts if typed.t_ms <= one.t_ms <= end and one.text.endswith(typed.value))
        return next(came, None)

    def _nearest(self, clicked: Action) -> str:
        """The text nearest to it; a field is clicked in its middle, so that its label may begin far to the left."""
        x, y = clicked.point or (0, 0)
        near = [
            (abs(y - top - height / 2) + max(0, x - left - width) / _ASIDE, one.text)
            for one in self.truth.texts
            if one.stands(clicked.t_ms)
            for left, top, width, height in [one.at(clicked.t_ms)]
            if top <= y and left <= x and any(sign.isalpha() for sign in one.text)
        ]
        return min(near, default=(0, ""))[1]

    def _end(self) -> str:
        """The longest text that came after all was done, and stayed."""
        last = max(each.t_ms for each in self.truth.actions)
        new = [one.text for one in self.truth.texts if one.t_ms >= last and one.until_ms is None]
        return marks(max(new, key=len, default="")) or ""


def _apart(chosen: str, listed: str) -> tuple[str, str]:
    """What was chosen, and what names its list, where a page tells both with their label as one line."""
    new, old = chosen.split(), listed.split()
    same = next((at for at, (one, other) in enumerate(zip(new, old, strict=False)) if one != other), 0)
    return (" ".join(new[same:]), " ".join(new[:same])) if same else (chosen, listed)


def _selects(actions: Sequence[Action], at: int) -> bool:
    return at < len(actions) and actions[at].kind == "press" and actions[at].value == "ctrl+a"


def table(found: Mapping[str, Ended], *, held_out: bool) -> Table:
    """A row for each film."""
    rows = [
        (name, each.result, str(each.asked), str(each.asked_later), str(each.given)) for name, each in found.items()
    ]
    results = [each.result for each in found.values()]
    said = f"{results.count(RIGHT)} of {len(results)} {RIGHT}, {results.count(WRONG)} {WRONG}"
    asked, later, given = (
        str(sum(int(getattr(each, name)) for each in found.values())) for name in ("asked", "asked_later", "given")
    )
    rows.append(("all", said, asked, later, given))
    note = "\n".join(f"- {name}: {each.reason}" for name, each in found.items() if each.reason)
    title = f"Films learned alone, then run with other values, {'held out' if held_out else 'built with'}"
    columns = ("film", "run with other values", "questions", "questions when tried", "answers not proposed")
    return Table(title, columns, rows, note)
