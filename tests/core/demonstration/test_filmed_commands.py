"""Commands that a film shows: behind a prompt, or in the last row of an editor."""

import pytest

from core.analysis import EventKind
from core.demonstration.looks import Look
from core.tasks.heartbeat import Heartbeat
from tests.core.demonstration.film_helpers import TURNED, criteria, event, steps, task_of, text

PROMPT, LINE = (20, 50, 91, 14), (20, 50, 201, 17)


def shell(line: str, look: str, *, ends: bool = True) -> Heartbeat:
    typed = event(EventKind.TYPED, 2000, line, LINE, until_ms=3000, before="bash-5.2#", confidence=0.99)
    seen = (
        text("bash-5.2#", 0, 2000, PROMPT), text(line, 3000, None, LINE),
        text("On branch master", 3500, None, (20, 70, 160, 14)),
        text("bash-5.2#", 3500, None, (20, 90, 91, 14)),
    )  # fmt: skip
    return task_of((typed,), sightings=seen, looks={2000: Look(line=look, ends=ends)})


def test_a_command_that_two_readings_agree_on_is_typed_and_entered() -> None:
    assert steps(shell("bash-5.2# git status", "bash-5.2# git status")) == ['Type "git status".', "Press Enter."]


@pytest.mark.parametrize(
    ("look", "ends"), [("bash-5.2# git status", False), ("bash-5.2# git statu5", True), ("", True)]
)
def test_a_command_of_which_one_letter_is_not_certain_is_asked(look: str, ends: bool) -> None:
    task = shell("bash-5.2# git status", look, ends=ends)

    assert steps(task) == ["Do what was done from 00:02 to 00:03 (see the questions)."]
    assert any('It looks like: Type "git status". Press Enter.' in each.text for each in task.questions)


def test_a_prompt_that_came_with_what_was_typed_behind_it_is_known_from_the_lines_before() -> None:
    second = (20, 110, 150, 17)
    typed = (
        event(EventKind.TYPED, 2000, "bash-5.2# git status", LINE, until_ms=3000, before="bash-5.2#", confidence=0.99),
        event(EventKind.TYPED, 5000, "bash-5.2# cat notes", second, until_ms=6000, confidence=0.99),
    )
    seen = (
        text("bash-5.2#", 0, 2000, PROMPT), text("bash-5.2# git status", 3000, None, LINE),
        text("On branch master", 3500, None, (20, 70, 160, 14)),
        text("bash-5.2# cat notes", 6000, None, second), text("Ring twice", 6500, None, (20, 130, 100, 14)),
    )  # fmt: skip
    looks = {2000: Look(line="bash-5.2# git status", ends=True), 5000: Look(line="bash-5.2# cat notes", ends=True)}
    task = task_of(typed, sightings=seen, looks=looks)

    assert not any("bash" in line for line in steps(task))


@pytest.mark.parametrize("stood_ms", [1000, 3500])
def test_what_a_program_asks_for_is_no_part_of_the_answer_that_is_read_with_it(stood_ms: int) -> None:
    lines = {110: "Adding a transaction to it.", 130: "Use the tab key to complete.", 150: "Description: Piano tuner"}
    typed = event(EventKind.TYPED, 2000, lines[150], (27, 150, 264, 17), until_ms=3000, confidence=0.99)
    seen = [text(line, 3000 if y == 150 else 0, None, (27, y, 11 * len(line), 15)) for y, line in lines.items()]
    seen += [text("Account 1:", 3500, None, (27, 170, 110, 14))]
    seen += [text("Description:", stood_ms, 2000 if stood_ms < 2000 else None, (27, 150, 132, 14))]
    found = steps(task_of((typed,), tuple(seen), looks={2000: Look(line=lines[150], ends=True)}))

    assert (found == ['Type "Piano tuner".', "Press Enter."]) is (stood_ms < 2000)


def test_a_short_command_that_came_whole_behind_its_prompt_is_typed_and_entered() -> None:
    came = event(EventKind.APPEARED, 2000, "ls", (123, 73, 31, 22))
    seen = (
        text("bash-5.2#", region=(23, 77, 91, 14)),
        text("ls", 2000, region=(123, 77, 20, 14)),
        text("README.md", 2600, region=(23, 97, 90, 14)),
    )
    looks = {2000: Look(line="bash-5.2# ls", ends=True)}

    assert steps(task_of((came, TURNED), seen, looks=looks))[:2] == ['Type "ls".', "Press Enter."]
    assert 'Type "ls".' not in steps(task_of((came, TURNED), seen[1:], looks=looks))


@pytest.mark.parametrize(("row", "is_entered"), [(593, True), (300, False)])
def test_what_is_typed_in_the_last_row_of_an_editor_is_entered(row: int, is_entered: bool) -> None:
    typed = event(EventKind.TYPED, 2000, ":set list", (20, row, 95, 20), until_ms=3200, confidence=1)
    seen = (text("High water at nine.", region=(20, 560, 180, 20)), text(":set list", 2000, region=(20, row, 95, 20)))

    assert ("Press Enter." in steps(task_of((typed, TURNED), seen))) is is_entered


def test_a_second_reading_that_a_later_line_agrees_with_is_the_command() -> None:
    task = shell("bash-5.2# git log I head", "bash-5.2# git log | head")
    assert not any("git log |" in line for line in steps(task))

    typed = event(EventKind.TYPED, 2000, "git log I head", LINE, until_ms=3000, confidence=0.99)
    seen = (
        text("bash-5.2#", 0, None, PROMPT),
        text("bash-5.2# git log | head", 3000, None, (20, 50, 241, 17)),
        text("keel: built", 3500, None, (20, 70, 110, 14)),
    )
    typed = typed.model_copy(update={"region": (121, 50, 140, 17)})
    task = task_of((typed,), sightings=seen, looks={2000: Look(line="bash-5.2# git log | head", ends=True)})

    assert steps(task)[:2] == ['Type "git log | head".', "Press Enter."]


def test_a_dot_behind_a_command_is_known_by_the_look_alone() -> None:
    task = shell("bash-5.2# git status", "bash-5.2# git status .")

    assert steps(task) == ['Type "git status .".', "Press Enter."]


def test_what_a_command_wrote_is_the_criterion_and_not_what_it_moved() -> None:
    moved = text("return a + b", 3500, None, (20, 20, 110, 14))
    typed = event(
        EventKind.TYPED, 2000, "bash-5.2# git status", LINE, until_ms=3000, before="bash-5.2#", confidence=0.99
    )
    seen = (
        text("bash-5.2#", 0, 2000, PROMPT), text("bash-5.2# git status", 3000, None, LINE), moved,
        text("On branch master", 3500, None, (20, 70, 160, 14)), text("bash-5.2#", 3500, None, (20, 90, 91, 14)),
    )  # fmt: skip
    looks = {2000: Look(line="bash-5.2# git status", ends=True)}

    assert criteria(task_of((typed,), seen, looks=looks)) == ('"On branch master" is shown.',)


def test_a_debugger_has_a_prompt_too() -> None:
    line, place = "(gdb) print total", (45, 500, 153, 18)
    typed = event(EventKind.TYPED, 2000, line, place, until_ms=3000, before="(gdb)", confidence=0.99)
    seen = (
        text("(gdb)", 0, 2000, (45, 500, 45, 18)), text(line, 3000, None, place),
        text("(gdb)", 3500, None, (45, 540, 45, 18)), text("$1 = 1560", 3500, None, (45, 520, 81, 18)),
    )  # fmt: skip
    looks = {2000: Look(line=line, ends=True)}

    assert steps(task_of((typed,), seen, looks=looks)) == ['Type "print total".', "Press Enter."]


def test_how_wide_a_letter_is_is_known_by_the_lines_where_a_caret_widens_the_prompt() -> None:
    lines = {
        50: "bash-5.2# task 2 done",
        70: "Completed 1 task.",
        90: "Two of them are left.",
        110: "It is 50% complete.",
    }
    seen = [text(line, 3000 if y == 50 else 3500, None, (20, y, 11 * len(line), 15)) for y, line in lines.items()]
    seen += [text("bash-5.2#", at, until, (20, y, 132, 24)) for at, until, y in ((0, 2000, 50), (3500, None, 130))]
    typed = event(
        EventKind.TYPED, 2000, lines[50], (20, 50, 231, 15), until_ms=3000, before="bash-5.2#", confidence=0.99
    )

    found = steps(task_of((typed,), tuple(seen), looks={2000: Look(line=lines[50], ends=True)}))

    assert found == ['Type "task 2 done".', "Press Enter."]


def test_a_letter_that_was_read_with_its_prompt_belongs_to_the_command() -> None:
    first, second = "bash-5.2# git status", "bash-5.2# task list"
    typed = (
        event(EventKind.TYPED, 2000, first, LINE, until_ms=3000, before="bash-5.2#", confidence=0.99),
        event(EventKind.TYPED, 5000, second, (20, 110, 190, 17), until_ms=6000, before="bash-5.2# t", confidence=0.99),
    )
    looks = {2000: Look(line=first, ends=True), 5000: Look(line=second, ends=True)}
    seen = (text(first, 3000, None, LINE), text("On branch master", 3500, None, (20, 70, 160, 14)))

    assert not any("bash" in line for line in steps(task_of(typed, seen, looks=looks)))


def test_what_is_read_apart_from_the_begin_of_its_command_is_a_part_of_it() -> None:
    row, prompt = (20, 110, 25, 17), "~/bakery >"
    typed = (
        event(EventKind.TYPED, 2000, f"{prompt} ls", LINE, until_ms=3000, before=prompt, confidence=0.99),
        event(EventKind.TYPED, 5000, "recipes orders", (60, 110, 150, 17), until_ms=6000, confidence=0.99),
    )
    seen = (
        text(prompt, 0, 2000, PROMPT), text(f"{prompt} ls", 3000, None, LINE),
        text("bread.txt", 3500, None, (20, 70, 160, 14)),
        # The first sign of a prompt is read as another.
        text("-/bakery > ls", 4900, None, row), text("recipes orders", 6000, None, (60, 110, 150, 17)),
        text("week.txt", 6500, None, (20, 130, 100, 14)),
    )  # fmt: skip
    task = task_of(typed, sightings=seen, looks={5000: Look(line=f"{prompt} ls recipes orders", ends=True)})

    assert 'Type "recipes orders".' not in steps(task)
    assert any("ls recipes orders" in said for said in (*steps(task), *(each.text for each in task.questions)))
