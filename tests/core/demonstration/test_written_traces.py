"""Films of tests whose runner wrote their record into the picture."""

from core.analysis import Event, EventKind, Findings, Region, Sighting, VerdictResult
from core.causes import why
from core.demonstration.written_trace import WrittenTrace, written_trace
from core.expectations import judge_all
from core.narrative import narrate, statements
from tests.fakes.videos.clips import film, video

LEFT, TOP, STEP = 80, 200, 28
PAGE = 600


def line(text: str, place: Region, t_ms: int, until_ms: int | None = None) -> Sighting:
    return Sighting(text=text, t_ms=t_ms, until_ms=until_ms, region=place, confidence=0.99)


def commands(*rows: str, t_ms: int, first: int = 1, top: int = TOP, until_ms: int | None = None) -> list[Sighting]:
    """Rows with their numbers; the heading of a test where they begin with the first one."""
    found = [line("TEST BODY", (48, top - STEP, 62, 10), t_ms, until_ms)] if first == 1 else []
    for at, row in enumerate(rows):
        y = top + STEP * at
        found += [line(str(first + at), (50, y, 8, 10), t_ms, until_ms), line(row, (LEFT, y, 190, 14), t_ms, until_ms)]
    return found


def event(t_ms: int, kind: EventKind, text: str, x: int = PAGE, description: str = "") -> Event:
    said = description or f'"{text}" appeared.'
    return Event(t_ms=t_ms, kind=kind, text=text, region=(x, 300, 200, 20), confidence=0.9, description=said)


def read(sightings: list[Sighting], *events: Event) -> WrittenTrace:
    found = written_trace(Findings(timeline=events, sightings=tuple(sightings)), film("/videos/checkout.cy.js.mp4"))
    assert found is not None
    return found


def told(found: WrittenTrace) -> list[str]:
    return [one.sentence for one in statements(found.findings.timeline, (), found.trace)]


def test_what_a_test_did_is_told_by_its_commands_and_what_followed_by_the_page() -> None:
    rows = commands("get #name", "-type Ada", "get .send", "-click", t_ms=2000)
    typed = event(2100, EventKind.TYPED, "Ada", description='"Ada" was typed into "Name".')
    log = event(2000, EventKind.APPEARED, "get #name · -type Ada", x=60)

    assert told(read(rows, typed, log)) == ['Test: type "Ada" into #name.', "Test: click .send."]

    early = commands("get #name", "-type Ada", t_ms=2000)
    late = commands("get .send", "-click", t_ms=4000, first=3, top=TOP + 2 * STEP)
    found = read([*early, *late], typed, event(4600, EventKind.APPEARED, "Sent"))

    assert told(found) == ['Test: type "Ada" into #name.', 'Test: click .send → "Sent" appeared.']


def test_what_the_runner_writes_above_the_page_and_in_its_place_is_no_event() -> None:
    rows = commands("visit /", "get .send", "-click", t_ms=2000)
    own = event(5000, EventKind.APPEARED, "Default blank page \u00b7 1000x660 (79%) \u00b7 1. Start your app's server")
    blank = event(5500, EventKind.NAVIGATED, "Default blank page", description="The screen was replaced.")
    logo = event(5800, EventKind.CHANGED, "", description='The mark beside "Cy" changed its look.')
    size = event(5900, EventKind.APPEARED, "m1880x1080 (42%)")
    mixed = event(6000, EventKind.APPEARED, "Electron 106 \u00b7 Harbour office")

    assert told(read(rows, own, blank, logo, size, mixed))[2:] == ['"Electron 106 \u00b7 Harbour office" appeared.']


def test_a_page_that_comes_as_the_next_command_is_written_came_of_the_click_before() -> None:
    early = commands("get .chairs", "-click", t_ms=2000)
    late = commands("get .pay", "-click", t_ms=2900, first=3, top=TOP + 2 * STEP)
    page = event(2950, EventKind.NAVIGATED, "Chairs", description='The page "/chairs" came.')

    assert told(read([*early, *late], page)) == [
        'Test: click .chairs → The page "/chairs" came.',
        "Test: click .pay.",
    ]


def test_a_page_that_comes_behind_a_missing_row_is_hung_on_no_click() -> None:
    early = commands("get .chairs", "-click", t_ms=2000)
    late = commands("get .pay", "-click", t_ms=2900, first=6, top=TOP + 5 * STEP)
    page = event(2950, EventKind.NAVIGATED, "Chairs", description='The page "/chairs" came.')

    assert told(read([*early, *late], page))[0] == "Test: click .chairs."


def test_a_runner_that_begins_anew_visits_once() -> None:
    first = commands("visit https://harbour.example/", t_ms=1000, until_ms=2000)
    again = commands("visit https://harbour.example/", "get .add", "-click", t_ms=3000)

    assert [each.title for each in read([*first, *again]).trace.actions] == [
        "open https://harbour.example/",
        "click .add",
    ]


def test_what_only_the_runner_says_is_no_evidence_of_the_page() -> None:
    title = line('Shows "Berth 12 is booked"', (48, 90, 200, 14), 1000)
    rows = commands("visit /", "get .send", "-click", t_ms=2000)
    booked = line("Berth 12 is booked", (PAGE, 300, 160, 16), 4000)
    expected = ('"Berth 12 is booked" is shown',)

    def judged(*sightings: Sighting) -> VerdictResult:
        return judge_all(expected, read([title, *rows, *sightings]).findings, video())[0].verdict

    assert judged(booked) is VerdictResult.PASS
    assert judged() is VerdictResult.FAIL


def test_what_came_while_two_commands_were_carried_out_follows_from_neither() -> None:
    rows = commands("get .add", "-click", "get .basket", "-click", t_ms=2000)

    assert told(read(rows, event(2200, EventKind.APPEARED, "One mug"))) == [
        "Test: click .add.",
        "Test: click .basket.",
        '"One mug" appeared.',
    ]


def test_rows_that_left_the_view_are_not_mixed_with_those_that_came() -> None:
    early = commands("get .add", "-click", "get .basket", "-click", t_ms=2000, until_ms=5000)
    late = commands("get .name", "-type Ada", "get .pay", "-click", t_ms=5000, first=9)

    titles = [each.title for each in read([*early, *late]).trace.actions]

    assert titles == ["click .add", "click .basket", 'type "Ada" into .name', "click .pay"]


def test_another_test_begins_where_the_commands_begin_anew() -> None:
    first = commands("visit /", "get .add", "-click", t_ms=2000, until_ms=5000)
    second = commands("visit /", "get .remove", "-click", t_ms=5500)

    titles = [each.title for each in read([*first, *second]).trace.actions]

    assert titles == ["open /", "click .add", "open /", "click .remove"]


def test_rows_that_come_when_a_test_is_folded_up_are_of_the_next_one() -> None:
    first = commands("get .add", "-click", "get .paid", "-assert expected", t_ms=2000, until_ms=5000)
    second = commands("get .add", "-type Ada", "get .done", "-click", t_ms=6000, first=2)

    titles = [each.title for each in read([*first, *second]).trace.actions]

    assert titles == ["click .add", 'type "Ada" into .add', "click .done"]


def test_a_test_that_does_the_same_as_the_one_before_is_another_one() -> None:
    rows = ("visit /", "get .add", "-click", "get .paid", "-assert expected")
    first = commands(*rows, t_ms=2000, until_ms=5000)
    heading = first[0].model_copy(update={"until_ms": None})
    second = [one for one in commands(*rows, t_ms=6000) if one.text != heading.text]
    begun = [one.model_copy(update={"t_ms": 5000}) if one.text in {"1", rows[0]} else one for one in second]

    titles = [each.title for each in read([heading, *first[1:], *begun]).trace.actions]

    assert titles == ["open /", "click .add"] * 2


def test_a_heading_that_was_not_read_for_a_moment_begins_no_other_test() -> None:
    rows = ("get .add", "-click", "get .pay", "-click")

    found = read([*commands(*rows, t_ms=2000, until_ms=5000), *commands(*rows, t_ms=5100)])

    assert [each.title for each in found.trace.actions] == ["click .add", "click .pay"]


def test_where_nothing_is_missing_between_them_rows_follow_each_other_whatever_number_is_read() -> None:
    rows = commands("get .add", "-click", "get .pay", "-click", "get .name", "-type Ada", t_ms=2000)
    numbers = {"4": "7", "5": "8", "6": "9"}
    misread = [one.model_copy(update={"text": numbers.get(one.text, one.text), "t_ms": 3000}) for one in rows]

    found = read([*(one.model_copy(update={"until_ms": 3000}) for one in rows), *misread])

    assert [each.title for each in found.trace.actions] == ["click .add", "click .pay", 'type "Ada" into .name']


def test_a_film_that_begins_within_a_test_has_its_record() -> None:
    assert [each.title for each in read(commands("get .add", "-click", t_ms=0)).trace.actions] == ["click .add"]


def test_a_slash_that_is_read_as_a_stroke_is_one() -> None:
    rows = commands("visit 1", "get .add", "-click", t_ms=2000)

    assert [each.title for each in read(rows).trace.actions] == ["open /", "click .add"]


def test_what_a_test_did_is_told_before_what_only_came_of_something() -> None:
    rows = commands(*(row for at in range(20) for row in (f"get .field{at}", "-click")), t_ms=2000)
    came = [
        event(4000 + at, EventKind.APPEARED, f"Berth {at} is free, as are the next few of them") for at in range(60)
    ]
    found = read(rows, *came)
    said = narrate(Findings(timeline=found.findings.timeline), video(), found.trace)

    assert said.count("Test: click") == len(found.trace.actions) == 20
    assert "left out" in said


def test_a_password_that_the_runner_writes_is_left_out() -> None:
    (action,) = read(commands("get #password", "-type s3same", t_ms=2000)).trace.actions

    assert action.title == "type into #password"


def test_why_a_test_failed_is_read_below_its_commands_with_the_line_of_the_test() -> None:
    rows = commands("get .pay", "-click", "get .done", "-assert expected .done to exist in the DOM", t_ms=2000)
    error = [
        line("0 AssertionError", (58, 320, 111, 12), 6000),
        line("Timed out retrying after 4000ms: Expected to find", (41, 357, 353, 12), 6000),
        line("element: .done, but never found it.", (41, 373, 347, 12), 6000),
        line("cypress/e2e/checkout.cy-js:52:33", (50, 409, 290, 18), 6000),
    ]
    found = read([*rows, *error], event(2900, EventKind.APPEARED, "Card refused"))
    reason = why(found.trace, found.findings.timeline)

    assert found.trace.ended == "failed"
    assert reason is not None
    assert reason.text == (
        'click .pay → "Card refused" appeared; checkout.cy.js:52 assert expected .done to exist in the DOM failed: '
        "AssertionError: Expected to find element: .done, but never found it. (after 4000ms)"
    )
    assert "Test: checkout.cy.js:52 assert expected .done to exist in the DOM, which failed." in told(found)


def test_an_error_whose_name_left_the_view_is_known_by_the_line_of_the_test() -> None:
    rows = commands("get .pay", "-click", t_ms=2000, until_ms=5000)
    error = [
        line("Timed out retrying after 4000ms: Expected to find", (41, 130, 353, 12), 6000),
        line("element: .done, but never found it.", (41, 146, 347, 12), 6000),
        line("cypress/e2e/checkout.cy.js:52:33", (50, 182, 290, 18), 6000),
    ]

    trace = read([*rows, *error]).trace

    assert trace.error_source is not None
    assert (trace.error_source.line, trace.actions[-1].title) == (52, "a check")


def test_an_error_of_which_only_the_line_of_the_test_is_in_view_is_told_as_such() -> None:
    rows = commands("visit /berths", t_ms=2000)
    error = [
        line("- the harbour's network is slow", (41, 330, 353, 12), 6000),
        line("Because this error occurred during a before each hook", (41, 360, 353, 12), 6000),
        line("cypress/e2e/harbour-office/berths:cy.ts:", (50, 400, 290, 18), 6000),
        line("3:1", (50, 420, 25, 12), 6000),
        line("View stack trace", (50, 480, 120, 14), 6000),
    ]
    found = read([*rows, *error])
    reason = why(found.trace, found.findings.timeline)

    assert reason is not None
    assert reason.text == "berths.cy.ts:3 open /berths failed: what the runner wrote of it is out of view"


def test_what_was_done_behind_a_row_that_is_missing_has_no_known_target() -> None:
    early = commands("get .add", "-click", t_ms=2000, until_ms=5000)
    late = commands("-click", "get .pay", "-type 1234", t_ms=5000, first=9)

    assert [each.title for each in read([*early, *late]).trace.actions] == ["click .add", 'type "1234" into .pay']


def test_only_a_line_that_is_full_goes_on_in_the_next_one() -> None:
    rows = commands("get .name", "-type Ada", t_ms=2000)
    below = line("Byron of Ostend", (LEFT, TOP + STEP + 18, 190, 14), 2000)
    wide = [
        one.model_copy(update={"region": (LEFT, TOP + STEP, 60, 14)}) if "type" in one.text else one for one in rows
    ]

    assert read([*rows, below]).trace.actions[0].title == 'type "Ada Byron of Ostend" into .name'
    assert read([*wide, below]).trace.actions[0].title == 'type "Ada" into .name'


def test_a_film_without_commands_has_no_record() -> None:
    menu = [line(text, (LEFT, TOP + STEP * at, 90, 14), 2000) for at, text in enumerate(("get", "type", "click"))]

    assert written_trace(Findings(sightings=tuple(menu)), film("/videos/a.mp4")) is None


CHAPTERS = ((0, "harbour sails at dawn"), (3000, "harbour moors at dusk"), (9000, "harbour sinks at noon"))


def shown(*rows: tuple[int, str]) -> WrittenTrace:
    """The record of a film with three tests, of which the column shows these lines from these times on."""
    sightings = [line(text, (40, TOP + STEP * at, 300, 12), t_ms) for at, (t_ms, text) in enumerate(rows)]
    findings = Findings(sightings=tuple(sightings), runner_column=(0, 0, 450, 720))
    found = written_trace(findings, film("/videos/ships.cy.js.mp4", *CHAPTERS))
    assert found is not None
    return found


def test_the_tests_of_a_film_are_those_that_it_names_and_end_as_their_marks_say() -> None:
    tests = shown((2800, "\u2713 sails at dawn"), (8800, "\u2717 moors at dusk"), (9000, "sinks at noon")).trace.tests

    assert [(one.title, one.t_ms, one.ended) for one in tests] == [
        ("harbour sails at dawn", 0, "passed"),
        ("harbour moors at dusk", 3000, "failed"),
        ("harbour sinks at noon", 9000, None),
    ]


def test_an_error_is_of_the_test_that_it_ended() -> None:
    error = ((8900, "AssertionError"), (8900, "Timed out retrying after 4000ms: Expected to find element: .hull"))

    assert [one.ended for one in shown(*error).trace.tests] == [None, "failed", None]
    late = [(t_ms + 300, text) for t_ms, text in error]
    assert [one.ended for one in shown(*late).trace.tests] == [None, "failed", None]
    # A chapter may be seconds early: without such a time it may be of any test.
    at_once = ((6000, "AssertionError"), (6000, "expected .hull to exist"), (6000, "\u2717 Print to console"))
    assert [one.ended for one in shown(*at_once).trace.tests] == [None, None, None]


def test_an_error_that_was_read_in_two_parts_is_told_whole() -> None:
    parts = [
        line("AssertionError", (58, 296, 111, 12), 8000),
        line("Timed out retrying after 4000ms", (41, 333, 229, 12), 8000),
    ]
    parts += [line("Expected to find", (279, 333, 115, 12), 8000), line("element: .hull", (41, 349, 347, 12), 8000)]
    findings = Findings(sightings=tuple(parts), runner_column=(0, 0, 450, 720))
    found = written_trace(findings, film("/videos/ships.cy.js.mp4"))

    assert found is not None
    assert found.trace.error == "AssertionError: Expected to find element: .hull (after 4000ms)"


def test_a_description_names_the_tests_that_failed_before_the_others() -> None:
    found = shown((2800, "\u2713 sails at dawn"), (8800, "\u2717 moors at dusk"))
    text = narrate(found.findings, film("/videos/ships.cy.js.mp4", *CHAPTERS), found.trace)

    assert text.splitlines()[:4] == [
        'Tests that failed: "harbour moors at dusk" (00:08.8).',
        'Tests that passed: "harbour sails at dawn" (00:02.8).',
        'Tests whose end was not seen: "harbour sinks at noon".',
        "[00:00.0] The screen showed a test runner, and no page yet.",
    ]


def test_the_chapters_of_another_video_are_named() -> None:
    text = narrate(Findings(), film("/videos/talk.mp4", (0, "Opening"), (61_000, "The harbour")))

    assert text.startswith('Chapters: "Opening" (00:00.0), "The harbour" (01:01.0).\n')


def test_an_error_is_told_though_its_first_word_and_a_sign_before_its_line_were_read_apart() -> None:
    rows = [
        ("AssertionError", 58, 127),
        ("retrying after 4000ms: Expected to find", 128, 162),
        ("element: .hull , but never found it.", 55, 180),
        ("\u76ee", 50, 207),
        ("cypress/e2e/ships.cy\u00b7js:29:12", 72, 207),
    ]
    parts = [line(text, (x, y, 9 * len(text), 13), 8000) for text, x, y in rows]
    findings = Findings(sightings=tuple(parts), runner_column=(0, 0, 450, 720))
    found = written_trace(findings, film("/videos/ships.cy.js.mp4"))

    assert found is not None
    assert found.trace.error == "AssertionError: Expected to find element: .hull , but never found it. (after 4000ms)"
    assert found.trace.error_source is not None
    assert (found.trace.error_source.file, found.trace.error_source.line) == ("cypress/e2e/ships.cy.js", 29)


def test_what_a_command_is_set_to_is_not_what_it_typed() -> None:
    rows = commands(
        "get #name",
        "-type Ada, {force: true",
        "get #name",
        "-type Eve, force: true}",
        "get #note",
        "-type 5 days{enter}",
        t_ms=2000,
    )

    assert told(read(rows)) == [
        'Test: type "Ada" into #name.',
        'Test: type "Eve" into #name.',
        'Test: type "5 days{enter}" into #note.',
    ]
