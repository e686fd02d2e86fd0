"""Demonstrations in programs as they are: documents, sheets, terminals, dialogs, and how a program was opened."""

import pytest

from core.accessibility import Role
from core.analysis import Event, EventKind, Findings, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.distinctive import is_plainly_read
from core.demonstration.shown import Demonstration
from core.plans.grammar import read_step
from core.plans.step_sentences import sentence
from core.recording.input_log import Clicked, Focused, InputEvent, InputLog, Pressed, TouchedElement, Typed

_DURATION = 20_000
_END = Pressed(t_ms=900, keys=("ctrl", "end"))
_TAB = Pressed(t_ms=900, keys=("tab",))


def _shown(*events: InputEvent, findings: Findings | None = None) -> Demonstration:
    log = InputLog(width=1280, height=720, events=events)
    return demonstrated(findings or Findings(sightings=()), log, _DURATION)


def _lines(*events: InputEvent) -> list[str]:
    return [sentence(step) for step in _shown(*events).steps[1:]]


def _typed(count: int, element: TouchedElement | None = None, t_ms: int = 1000) -> Typed:
    return Typed(t_ms=t_ms, until_ms=t_ms + 500, count=count, element=element)


def _document(written: str | None, value: str = "", role: Role = Role.TEXTBOX) -> TouchedElement:
    return TouchedElement(role=role, value=value, is_document=True, written=written)


def _window(
    title: str, t_ms: int = 0, application: str = "Mousepad", command: tuple[str, ...] | None = None
) -> Focused:
    return Focused(t_ms=t_ms, application=application, title=title, command=command)


def test_letters_in_a_document_are_those_before_its_caret_and_go_where_the_focus_is() -> None:
    held = _document("Dear Ann,\nBring tea.", "Dear Ann,\nBring tea.\nYours")
    assert _lines(_END, _typed(10, held)) == ["Press Ctrl+End.", 'Type "Bring tea.".']


@pytest.mark.parametrize("role", [Role.BUTTON, Role.LINK, Role.MENU_ITEM])
def test_what_opens_a_field_is_clicked_before_something_is_typed_there(role: Role) -> None:
    opener = Clicked(t_ms=600, x=982, y=268, element=TouchedElement(role=role, name="New note"))
    title = TouchedElement(role=Role.TEXTBOX, name="Title", value="Tides")
    click, typed = _lines(opener, _typed(5, title))
    assert click.startswith('Click the "New note" ')
    assert typed == 'Type "Tides" into the "Title" field.'


def test_what_a_document_holds_is_no_name_of_a_field() -> None:
    lines = _lines(_typed(4, _document("Dear Ann, tea.", "Dear Ann, tea.")))
    assert lines == ['Type "tea.".']


@pytest.mark.parametrize("written", ["84", None, "Dear\nAnn"])
def test_letters_of_which_a_document_shows_something_else_are_asked_for(written: str | None) -> None:
    (step,) = _shown(_typed(5, _document(written))).steps[1:]
    assert (step.place, bool(step.doubt)) == ("Value", True)


def test_tab_between_the_cells_of_a_sheet_is_a_step_of_its_own() -> None:
    sheet = TouchedElement(role=Role.TABLE, name="Sheet Sheet1")
    assert _lines(_TAB, _typed(2, sheet)) == ["Press Tab.", 'Type "{Value}".']


def test_letters_after_a_dialog_came_by_itself_go_where_its_focus_is_though_a_text_stands_beside() -> None:
    read = Sighting(text="Home Folder", t_ms=0, until_ms=None, region=(100, 100, 90, 20))
    new = Event(
        t_ms=1100, until_ms=1500, kind=EventKind.TYPED, text="Invoices", region=(200, 100, 60, 20), confidence=0.98,
        description="",
    )  # fmt: skip
    shown = _shown(
        Pressed(t_ms=900, keys=("ctrl", "a")),
        _typed(8),
        findings=Findings(timeline=(new,), sightings=(read,)),
    )
    assert [sentence(step) for step in shown.steps[1:]] == ["Press Ctrl+A.", 'Type "Invoices".']


def test_a_command_that_was_only_read_is_asked_for() -> None:
    (step,) = _shown(_window("root: ~", application="XTerm"), _typed(2)).steps[1:]
    assert step.place == "Value"
    assert "terminal" in step.doubt


def test_a_program_is_opened_with_the_files_that_it_showed_and_its_window_is_waited_for() -> None:
    opened = _window("notes.txt - Mousepad", command=("mousepad", "/home/ada/notes.txt"))
    first = _shown(opened, _END, _typed(3, _document("tea"))).steps[0]
    said = 'Open the application "mousepad" with "/home/ada/notes.txt". Then "notes.txt - Mousepad" is shown.'
    assert sentence(first) == said
    again = read_step(said)
    assert again is not None
    assert (again.action_value, again.additional_args) == ("mousepad", {"arguments": ["/home/ada/notes.txt"]})


def test_how_a_program_was_opened_is_asked_where_options_were_needed() -> None:
    first = _shown(_window("New member", application="Zenity", command=()), _typed(3, _document("tea"))).steps[0]
    assert not first.is_known
    assert '"Zenity" was open, started with options' in first.doubt


def test_the_name_of_a_saved_file_in_a_window_s_title_shows_success() -> None:
    name = TouchedElement(role=Role.TEXTBOX, name="Name", value="letter.txt", before="notes.txt")
    save = TouchedElement(role=Role.BUTTON, name="Save")
    shown = _shown(
        _window("notes.txt"),
        _typed(10, name),
        Clicked(t_ms=3000, x=10, y=10, element=save),
        _window("letter.txt", 3300),
    )
    assert shown.criteria == ('"letter.txt" is shown.',)
    assert sentence(shown.steps[-1]) == 'Click the "Save" button. Then "letter.txt" is shown.'


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [("Member was saved", True), ("costs 1,200 at 12:30", True), ("*Ur Computer", False), ("XCancel", False),
     ("bin _who,txt", False), ("Info..ion - x", False)],
)  # fmt: skip
def test_a_text_that_an_icon_or_a_slip_of_the_reader_is_in_is_not_expected_again(text: str, is_plain: bool) -> None:
    assert is_plainly_read(text) is is_plain
