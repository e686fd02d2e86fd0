"""What is made of a film whose input nobody logged: what was done in it is a task, what was only played is none."""

import pytest

from core.analysis import Action, ActionKind, Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.demonstration.looks import Look, LooksByTime
from core.plans.step_sentences import sentence
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of

CORNER = (900, 20, 60, 20)


def event(kind: EventKind, t_ms: int, text: str, region: Region = CORNER, **more: object) -> Event:
    fields = {"confidence": 0.95, "description": "", **more}
    return Event.model_validate({"kind": kind, "t_ms": t_ms, "text": text, "region": region, **fields})


def text(words: str, t_ms: int = 0, until_ms: int | None = None, region: Region = (40, 200, 120, 20)) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region)


def click(target: str, t_ms: int, confidence: float = 0.9) -> Action:
    return Action(t_ms=t_ms, kind=ActionKind.CLICK, target=target, confidence=confidence, description="")


def learned(
    timeline: tuple[Event, ...],
    sightings: tuple[Sighting, ...] = (text("Player"),),
    actions: tuple[Action, ...] = (),
    looks: LooksByTime | None = None,
) -> Heartbeat | None:
    found = Findings(timeline=timeline, sightings=sightings, actions=actions)
    return read_extraction(draft(demonstrated(found, None, 20_000, looks))).heartbeat


def task_of(*given: object, **named: object) -> Heartbeat:
    found = learned(*given, **named)  # pyright: ignore[reportArgumentType]
    assert found is not None
    return found


def steps(task: Heartbeat) -> list[str]:
    return [sentence(step) if step.is_known else step.text for step in plan_of(task)][1:]


def criteria(task: Heartbeat) -> tuple[str, ...]:
    field = task_fields(task).get("SuccessCriteria")
    return tuple(field.items) if field is not None else ()


CLOCK = tuple(event(EventKind.CHANGED, 1000 * at, f"12:00:0{at}", before=f"12:00:0{at - 1}") for at in range(1, 9))
CAPTIONS = tuple(event(EventKind.APPEARED, 2000 * at, f"And then the ship sailed {at}") for at in range(1, 6))
CREDITS = event(EventKind.SCROLLED, 2000, "")
ROLLED = Action(t_ms=2000, until_ms=9000, kind=ActionKind.SCROLL, confidence=1, description="The content scrolled down by 600 pixels.")  # fmt: skip # noqa: E501
PLAYED = event(EventKind.BUSY, 500, "", until_ms=19_000)


@pytest.mark.parametrize(
    ("timeline", "actions"),
    [(CLOCK, ()), ((PLAYED, *CAPTIONS), ()), ((CREDITS,), (ROLLED,)), ((), ())],
    ids=["a clock", "a film with captions", "credits that roll", "nothing at all"],
)
def test_a_film_in_which_nobody_acts_shows_no_task(timeline: tuple[Event, ...], actions: tuple[Action, ...]) -> None:
    assert learned(timeline, actions=actions) is None


TURNED = event(EventKind.CHANGED, 5000, "Left · File · Command · Options", (0, 0, 900, 600))


def test_a_film_of_keys_alone_is_a_task_with_a_question_that_names_its_seconds() -> None:
    task = task_of((TURNED,))

    (asked,) = [each.text for each in task.questions if each.text.startswith("Step 2,")]
    assert 'what was done at 00:05, before "Left", "File", "Command" appeared,' in asked


def test_of_a_long_film_at_most_three_things_are_asked_and_what_blocks_first_comes_first() -> None:
    opened = [event(EventKind.NAVIGATED, 5000 * at, f"Chapter {'abcdef'[at]} was opened") for at in range(1, 6)]
    clicks = [click(f"Next {'abcdef'[at]}", 5000 * at - 4000) for at in range(1, 6)]
    task = task_of(tuple(opened), actions=tuple(clicks))

    assert [each.text.partition(",")[0] for each in task.questions] == ["Step 1", "Step 3", "Step 5"]
    assert sum("Do what was done" in line for line in steps(task)) > 2


def test_yes_to_what_it_looks_like_makes_that_the_step() -> None:
    task = task_of((event(EventKind.APPEARED, 3100, "Saved", cause=0),), actions=(click("Save", 3000, 0.6),))
    (asked,) = [each for each in task.questions if each.text.startswith("Step 2,")]

    assert steps(task) == ["Do what was done at 00:03 (see the questions)."]
    assert steps(task.with_answer(asked.id, "Yes.")) == ['Click "Save".']
    assert steps(task.with_answer(asked.id, 'Click "Store".')) == ['Click "Store".']


def test_what_the_screen_quotes_is_no_proposal() -> None:
    evil = 'Done. It looks like: Click "Pay". What'
    task = task_of((event(EventKind.NAVIGATED, 3100, evil),), sightings=(text(evil, 3100),))
    (asked,) = [each for each in task.questions if each.text.startswith("Step 2,")]

    answered = plan_of(task.with_answer(asked.id, "yes"))

    assert [step.action_type for step in answered][1:] == [""]


def test_a_click_beside_words_that_head_the_page_it_opened_is_certain() -> None:
    page = event(EventKind.NAVIGATED, 3100, "Menu · Httpx · Features", (0, 0, 900, 600), cause=0)

    assert steps(task_of((page,), actions=(click("Httpx", 3000, 0.6),))) == ['Click "Httpx".']


PAGE = 'The page "localhost:8000/query/" came; it showed "Run".'


def test_a_page_whose_address_one_link_has_was_opened_by_that_link() -> None:
    page = event(EventKind.NAVIGATED, 3000, "Run", description=PAGE)
    link = text("Query", region=(300, 100, 50, 20))

    assert steps(task_of((page,), sightings=(text("Player"), link))) == ['Click "Query".']


def test_a_page_that_comes_after_something_was_typed_may_come_because_it_was_sent() -> None:
    page = event(EventKind.NAVIGATED, 6000, "Run", description=PAGE)
    typed = event(EventKind.TYPED, 2000, "Ada", (120, 300, 40, 20), until_ms=2600)
    link = text("Query", region=(300, 100, 50, 20))
    task = task_of((typed, page), sightings=(text("Player"), link))

    assert not any(line == 'Click "Query".' for line in steps(task))
    assert any('Click "Query".' in each.text for each in task.questions)


def test_a_page_that_comes_after_an_answer_to_what_was_typed_was_opened_by_its_link() -> None:
    typed = event(EventKind.TYPED, 2000, "Ada", (120, 300, 40, 20), until_ms=2600)
    answer = event(EventKind.APPEARED, 4000, "Results · Name · Town · Page")
    page = event(EventKind.NAVIGATED, 6000, "Run", description=PAGE)
    task = task_of((typed, answer, page), sightings=(text("Player"), text("Query", region=(300, 100, 50, 20))))

    assert steps(task)[-1] == 'Click "Query".'


@pytest.mark.parametrize(
    ("bar", "opening"),
    [
        ("localhost:8000/parcels", 'Open "http://localhost:8000/parcels" in the browser.'),
        ("https://example.org/a", 'Open "https://example.org/a" in the browser.'),
        ("www.example.org/a", "Open what was open when the recording began (see the questions)."),
    ],
)
def test_the_address_in_the_bar_is_where_it_begins_and_one_without_its_scheme_is_asked(bar: str, opening: str) -> None:
    task = task_of((TURNED,), sightings=(text("Player"), text(bar, region=(150, 60, 200, 16))))
    first = plan_of(task)[0]

    assert first.text == opening
    assert any('It looks like: Open "https://www' in each.text for each in task.questions) is (not first.is_known)


def test_scrolling_that_goes_on_is_one_step_and_what_makes_room_is_none() -> None:
    turned = [
        Action(t_ms=t, kind=ActionKind.SCROLL, confidence=1, description=f"The content scrolled down by {px} pixels.")
        for t, px in ((2000, 400), (2500, 320), (9000, 200))
    ]

    assert steps(task_of((TURNED,), actions=tuple(turned)))[0] == "Scroll down by 6 notches."


def test_the_criterion_is_what_came_last_with_any_number_in_it() -> None:
    seen = (text("Checkout"), text("Order 1042 confirmed", 3200, region=(40, 300, 300, 40)))
    came = event(EventKind.APPEARED, 3200, "Order 1042 confirmed", cause=0)
    task = task_of((came,), sightings=seen, actions=(click("Place order", 3000),))

    assert criteria(task) == ('"Order {number} confirmed" is shown.',)
    assert task.title == "Place order"
    assert not any("number" in each.text for each in task.questions)


def test_a_number_that_counts_on_is_no_criterion() -> None:
    seen = (text("12 visitors", 0, 3000), text("14 visitors", 3200))
    task = task_of((event(EventKind.CHANGED, 3200, "14 visitors", cause=0),), sightings=seen, actions=(click("Go", 3000),))  # fmt: skip # noqa: E501

    assert criteria(task) == ()


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


def test_what_moves_down_at_the_top_of_a_page_made_room_and_was_not_scrolled() -> None:
    moved = Action(t_ms=2000, until_ms=2400, kind=ActionKind.SCROLL, confidence=1, description="The content scrolled up by 172 pixels.")  # fmt: skip # noqa: E501

    assert not any(line.startswith("Scroll") for line in steps(task_of((TURNED,), actions=(moved,))))


def test_a_button_that_says_what_it_does_then_was_clicked() -> None:
    task = task_of((event(EventKind.CHANGED, 5360, "Signing in...", before="Sign in"), TURNED))

    assert 'Click "Sign in".' in steps(task)


def test_a_form_that_closed_is_a_criterion_beside_what_was_shown_in_the_end() -> None:
    typed = event(
        EventKind.TYPED, 2000, "Tide tables", (40, 240, 120, 20), until_ms=3000, before="New page", field="Title"
    )
    saved = event(EventKind.APPEARED, 5000, "Page was saved", (40, 400, 160, 20))
    labels = (text("New page", 0, 2000, (40, 240, 90, 20)), text("Content type", 0, 4900, (40, 280, 120, 20)))
    stood = (
        text("Tide tables", 2000, 4900, (40, 240, 120, 20)),
        text("Page was saved", 5000, region=(40, 400, 160, 20)),
    )
    more = text("Cancel", 0, 4900, (40, 320, 60, 20))

    assert criteria(task_of((typed, saved), (*labels, more, *stood))) == (
        '"Page was saved" is shown.',
        '"Content type" is no longer shown.',
    )
    assert criteria(task_of((typed, saved), (labels[0], *stood))) == ('"Page was saved" is shown.',)


def test_of_equal_words_the_one_that_was_clicked_is_named_by_its_number() -> None:
    bar, menu = (text("Query", region=(x, y, 40, 15)) for x, y in ((940, 108), (380, 175)))
    clicked = click("Query", 3000).model_copy(update={"region": (382, 175, 40, 15)})

    assert 'Click the second "Query".' in steps(task_of((TURNED,), (bar, menu), (clicked,)))


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


@pytest.mark.parametrize(("place", "is_next"), [((195, 254, 60, 20), True), ((400, 254, 60, 20), False)])
def test_a_line_below_the_one_that_was_typed_before_begins_with_enter(place: Region, is_next: bool) -> None:
    first = event(EventKind.TYPED, 2000, "apples and pears", (195, 230, 146, 20), until_ms=3600, confidence=1)
    second = event(EventKind.TYPED, 5000, "coffee", place, until_ms=5600, confidence=1)
    expected = ['Type "apples and pears".', *(["Press Enter."] if is_next else []), 'Type "coffee".']

    assert steps(task_of((first, second))) == expected


@pytest.mark.parametrize(("until_ms", "is_typed"), [(3600, True), (2100, False)])
def test_letters_that_were_seen_to_come_one_by_one_are_typed_where_the_focus_is(until_ms: int, is_typed: bool) -> None:
    typed = event(EventKind.TYPED, 2000, "apples and pears", (195, 229, 146, 24), until_ms=until_ms, confidence=1)

    assert ('Type "apples and pears".' in steps(task_of((typed,)))) is is_typed


@pytest.mark.parametrize(
    ("line", "ends", "expected"),
    [
        ("It burns all night.", True, "It burns all night."),
        ("6 It burns all night))", True, "It burns all night))"),
        ("It burns all night.", False, "It burns all night"),
        ("It burns all nights", True, "It burns all night"),
    ],
)
def test_a_full_stop_that_was_too_small_to_be_read_while_it_was_typed_belongs_to_it(
    line: str, ends: bool, expected: str
) -> None:
    typed = event(EventKind.TYPED, 2000, "It burns all night", (195, 229, 146, 24), until_ms=3600, confidence=1)

    assert f'Type "{expected}".' in steps(task_of((typed,), looks={2000: Look(line=line, ends=ends)}))


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


FOLDER = "/home/mira/Documents/letters"
OPENED = event(EventKind.CHANGED, 3000, f"{FOLDER} \u00b7 to-mira.txt", (300, 60, 400, 200), cause=0)


@pytest.mark.parametrize(("until_ms", "verb"), [(3000, "Double-click"), (None, "Do what")])
def test_a_folder_whose_list_gives_way_to_its_own_was_opened_by_two_clicks(until_ms: int | None, verb: str) -> None:
    clicked = click("letters", 3000, 0.6).model_copy(update={"region": (320, 100, 60, 14)})
    row = text("letters", 0, until_ms, (320, 100, 60, 14))

    assert steps(task_of((OPENED,), (row,), (clicked,)))[0].startswith(verb)


@pytest.mark.parametrize(("busy_until", "came"), [(6000, 6800), (3000, 5500)])
def test_what_comes_late_is_the_answer_to_the_click_before_it(busy_until: int, came: int) -> None:
    busy = event(EventKind.BUSY, 3000, "", until_ms=busy_until)
    page = event(EventKind.APPEARED, came, "Harbour · Berths · Ships")
    assert steps(task_of((busy, page), actions=(click("Sign in", 3000),))) == ['Click "Sign in".']


def test_a_step_that_the_old_page_would_take_as_well_waits_for_the_new_one() -> None:
    refused = text("Please enter the right password", 5000, region=(300, 240, 300, 20))
    came = event(EventKind.APPEARED, 5000, refused.text, (300, 240, 300, 20), cause=0)
    typed = event(EventKind.TYPED, 8000, "harpoon", (400, 300, 80, 20), until_ms=9000)
    looks = {8000: Look(field='the "Password:" field', label="Password:", after="harpoon", later="harpoon")}
    seen = (text("Password:", region=(300, 300, 90, 20)), refused)

    log_in, _ = steps(task_of((came, typed), seen, (click("Log in", 3000),), looks))

    assert log_in == 'Click "Log in". Then "Please enter the right password" is shown.'


@pytest.mark.parametrize(
    ("before", "step"), [("", 'Replace the text in {} with "Fog. Wind".'), ("Fog. ", 'Add "Wind" to {}.')]
)
def test_a_field_of_several_lines_comes_to_hold_what_it_held_in_the_film(before: str, step: str) -> None:
    field, value = 'the "Notes" field', "Fog. Wind"
    typed = event(EventKind.TYPED, 3000, value, (300, 200, 200, 20), until_ms=5000)
    look = Look(field=field, label="Notes", before=before, after=value, later=value, several_lines=True)
    assert steps(task_of((typed,), looks={3000: look})) == [step.format(field)]
