"""A page that was recorded is changed in every way that might mislead: what is replayed is right, or it stops."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.desktop.eyes import ScreenEyes
from adapters.desktop.eyesight.comparing import decoded
from core.errors import TakenOver
from core.jobs import Stage
from core.runs.gate import GatePolicy
from core.runs.run import RunOutcome
from core.screens import Picture
from tests.canary import files_with
from tests.fakes.desktops.x_user import User, x_display
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.runs.attacked_pages import (
    DELETE,
    GIFT_DESK,
    PERSON,
    SAVE,
    STEPS,
    Attack,
    attacked,
    removal_desk,
    wizard,
)
from tests.fakes.runs.made_workflows import step
from tests.fakes.runs.replaying import PageServer

pytestmark = pytest.mark.screen
RIGHT = {"did": ["save"], "name": PERSON, "gift": True}
OVERLAY = json.dumps(
    '<div style="position: fixed; left: 40px; top: 60px; width: 700px; height: 300px; background: #ffe">'
    "Your session ends soon. <button onclick=\"act('dialog', 'Stayed')\">Stay</button></div>"
)


def when(element: str, event: str, script: str) -> str:
    """The page with a script that runs when that happens."""
    return f"{GIFT_DESK}<script>shown('{element}').addEventListener('{event}', () => {{ {script} }})</script>"


def changed(old: str, new: str) -> str:
    """The page with something else in place of that."""
    assert old in GIFT_DESK
    return GIFT_DESK.replace(old, new)


SWAP = "const a = shown('save'), b = shown('delete'); b.parentNode.insertBefore(b, a)"
HARMLESS = {
    "the same page": GIFT_DESK,
    "moved down": changed('<p id="said">', '<div style="height: 120px"></div><p id="said">'),
    "moved to the right": changed("padding: 32px", "padding: 32px 32px 32px 260px"),
    "something new below": f"{GIFT_DESK}<p>Offer of the day: socks!</p>",
    "a clock below": f"{GIFT_DESK}<p id=t></p><script>setInterval(() => shown('t').textContent = +new Date)</script>",
    "a text that looks like a slot": f"{GIFT_DESK}<p>Write {{person}} and $parts</p>",
    "a mark of what is not saved": when("name", "input", "document.title = '* Gift desk'"),
}
MISLEADING = {
    "a dialog upon the first letter": when(
        "name", "input", f"shown('stay') || document.body.insertAdjacentHTML('beforeend', {OVERLAY})"
    ),
    "a browser's dialog upon the first letter": when("name", "input", "setTimeout(() => alert('Careful'), 0)"),
    "a tick that leaves the page": when("gift", "change", "location = 'other.html'"),
    "ticked already": changed('id="gift"', 'id="gift" checked'),
    "filled in with something else": changed('id="name"', 'id="name" value="Bob Dylan"'),
    "a disabled button": changed('<button id="save"', '<button id="save" disabled'),
    "a disabled check box": changed('id="gift"', 'id="gift" disabled'),
    "buttons swapped": changed(f"{SAVE} {DELETE}", f"{DELETE} {SAVE}"),
    "buttons swapped upon the tick": when("gift", "change", SWAP),
    "another button there": changed(f"{SAVE} {DELETE}", f"{DELETE}</p><p>{SAVE}"),
    "a renamed button": changed(">Save<", ">Drop<"),
    "a renamed field": changed(">Recipient<", ">Sender<"),
    "a renamed check box": changed("Gift wrap", "Gift warp"),
    "a negated check box": changed("Gift wrap", "No gift wrap"),
    "another field of that kind before it": changed(
        '<p><label for="name">', '<p><label>Sender</label> <input type="text"></p><p><label for="name">'
    ),
    "a field that takes fewer letters": changed('id="name"', 'id="name" maxlength="6"'),
    "a field that takes none": changed('id="name"', 'id="name" readonly'),
    "the focus stolen": when("name", "click", "setTimeout(() => shown('gift').focus(), 0)"),
    "the value changed upon the tick": when("gift", "change", "shown('name').value = 'Eda Lovelace'"),
    "the tick taken back": when("gift", "change", "setTimeout(() => { shown('gift').checked = false }, 20)"),
    "another title": changed("<title>Gift desk", "<title>Pay desk"),
}
DRAWN_OTHERWISE = {
    "larger": changed("<style>", "<style>html { zoom: 1.25 }"),
    "smaller": changed("<style>", "<style>html { zoom: 0.8 }"),
    "dark": changed("color: #1b1f24; background: #fff", "color: #eee; background: #16181c; color-scheme: dark"),
    "a narrow field": changed("width: 360px", "width: 90px"),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attack]:
    """The desk, on which a gift was saved once."""
    with attacked(tmp_path_factory.mktemp("desk"), patience=2) as made:
        assert made.record() == RIGHT
        (made.pages / "other.html").write_text(GIFT_DESK.replace("save()", "act('other', '')"), encoding="utf-8")
        yield made


def stops_or_is_right(attack: Attack, right: Any = RIGHT, **request: Any) -> bool:
    """Replay it; whether it was done, and nothing wrong either way."""
    run = attack.replay(**request)
    assert run.reload is not None
    if run.outcome is RunOutcome.SUCCEEDED:
        assert (attack.await_reports(), run.reload.stopped_at) == ([right], None)
        return True
    assert attack.read_reports == []
    assert run.reload.stopped_at is not None
    assert run.reload.reason
    return False


def all_but_one_nightly(pages: Mapping[str, str], daily: str) -> list[Any]:
    """The names of the pages, all but one for the night."""
    return [name if name == daily else pytest.param(name, marks=pytest.mark.nightly) for name in pages]


@pytest.mark.nightly
@pytest.mark.parametrize("page", HARMLESS)
def test_what_does_not_matter_does_not_stop_it(page: str, desk: Attack) -> None:
    desk.show(HARMLESS[page])
    assert stops_or_is_right(desk)


@pytest.mark.parametrize("page", all_but_one_nightly(MISLEADING, "the tick taken back"))
def test_what_would_mislead_stops_it(page: str, desk: Attack) -> None:
    desk.show(MISLEADING[page])
    assert not stops_or_is_right(desk)


@pytest.mark.nightly
@pytest.mark.parametrize("page", DRAWN_OTHERWISE)
def test_what_is_drawn_otherwise_is_found_or_refused(page: str, desk: Attack) -> None:
    desk.show(DRAWN_OTHERWISE[page])
    stops_or_is_right(desk)


ROWS = {
    "the same rows": ("Order 4711", "Order 4712", "Order 4713"),
    "another digit": ("Order 4711", "Order 4772", "Order 4713"),
    "another letter": ("Order 4711", "Order 471Z", "Order 4713"),
    "reordered": ("Order 4712", "Order 4711", "Order 4713"),
    "one more above": ("Order 4710", "Order 4711", "Order 4712", "Order 4713"),
    "one gone above": ("Order 4712", "Order 4713"),
    "it is gone": ("Order 4711", "Order 4713"),
}


@pytest.mark.nightly
def test_the_row_that_was_meant_is_hit_or_none(tmp_path: Path) -> None:
    button, right = step("CLICK", 'the "Remove" button in the row "Order 4712"'), [{"did": ["Order 4712"]}]
    page = removal_desk(*ROWS["the same rows"])
    with attacked(tmp_path / "w", page, [button], '"Removed Order 4712" is shown.', parameters={}, patience=2) as desk:
        assert desk.record()["did"] == ["Order 4712"]
        done: dict[str, bool] = {}
        for name, rows in ROWS.items():
            desk.show(removal_desk(*rows))
            done[name] = stops_or_is_right(desk, right[0] | {"name": None, "gift": None})

    assert done["the same rows"]
    assert not any(done[name] for name in ("another digit", "another letter", "it is gone"))


@pytest.mark.nightly
def test_another_page_of_a_wizard_is_not_passed_though_its_button_is_the_same(tmp_path: Path) -> None:
    following = step("CLICK", 'the "Next" button')
    steps = [
        following | {"post_action": ['"Receiver details" is shown.']},
        following | {"post_action": ['"Finished here" is shown.']},
    ]
    page = wizard("Sender details", "Receiver details")
    outcome = '"Finished here" is shown.'
    with attacked(tmp_path / "w", page, steps, outcome, parameters={}, patience=2) as desk:
        desk.record()
        plain = desk.replay()
        desk.show(wizard("Sender details", "Payment details"))
        run = desk.replay()
        reported = desk.await_reports()

    assert (plain.outcome, plain.reason) == (RunOutcome.SUCCEEDED, "")
    assert [each["did"] for each in reported] == [["Sender details"]]
    assert run.reload is not None
    assert (run.reload.stopped_at, run.reload.reason) == (1, '"Receiver details" has not come.')


# Whether it has to be used: a lone small letter is not read for certain, and is then refused.
VALUES = {
    "Emmy Noether": True,
    "Bo": True,
    "x": False,
    'O\'Neil "Q" <b>': True,
    "Émilie du Châtelet": True,
    "日本 太郎": False,
    "Ada Byron King, Countess of Lovelace, of London": False,
    "Ada\nKing": False,
}


@pytest.mark.nightly
@pytest.mark.parametrize("value", VALUES)
def test_another_value_is_written_as_it_is_or_not_used(value: str, desk: Attack) -> None:
    desk.show(GIFT_DESK)
    assert stops_or_is_right(desk, RIGHT | {"name": value}, values={"person": value}) or not VALUES[value]


@pytest.mark.nightly
def test_a_letter_of_the_label_is_not_taken_for_a_value_that_the_field_did_not_take(desk: Attack) -> None:
    desk.show(MISLEADING["a field that takes none"])
    assert not stops_or_is_right(desk, values={"person": "e"})


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["1920x1080", "1024x768", "800x600"])
def test_on_another_display_size_it_is_right_or_refused(size: str, desk: Attack) -> None:
    desk.show(GIFT_DESK)
    stops_or_is_right(desk, size=size)


@pytest.mark.nightly
def test_a_page_that_takes_three_seconds_is_waited_for(desk: Attack) -> None:
    desk.show(GIFT_DESK)
    desk.server.late = 3
    try:
        assert stops_or_is_right(desk)
    finally:
        desk.server.late = 0


@pytest.mark.nightly
@pytest.mark.parametrize("index", [0, 1, 4])
def test_what_depended_on_a_skipped_action_is_not_done(index: int, desk: Attack) -> None:
    desk.show(GIFT_DESK)
    assert not stops_or_is_right(desk, skip=[index])


@pytest.mark.nightly
def test_a_page_of_another_server_that_looks_the_same_is_refused(desk: Attack) -> None:
    with PageServer(desk.pages) as other:
        for name in ("page.html", "imitation.html"):
            rewrite = f"<script>history.replaceState(0, 0, '/{name}')</script>"
            (desk.pages / "imitation.html").write_text(GIFT_DESK + rewrite, encoding="utf-8")
            desk.show(f"<script>location = '{other.url}/imitation.html'</script>")
            assert not stops_or_is_right(desk)
            assert other.read_reports() is None


@pytest.mark.nightly
def test_the_gate_asks_at_a_replayed_button_that_sends(tmp_path: Path) -> None:
    page, steps = GIFT_DESK.replace(">Save<", ">Transfer<"), [*STEPS[:2], step("CLICK", 'the "Transfer" button')]
    policy = GatePolicy(mode="confirm_risky")
    with attacked(tmp_path / "w", page, steps, patience=2, policy=policy) as desk:

        def asked(agree: bool) -> FakeContext:
            context, approvals = FakeContext(), desk.replays.approvals
            context.on_event(
                Stage.APPROVAL_ASKED,
                lambda result: approvals.answer(context.job_id, result["approval_id"], agree=agree),
            )
            return context

        assert desk.record(asked(agree=True)) == RIGHT
        refused = desk.replay(context=asked(agree=False))
        assert desk.read_reports == []
        agreeing = asked(agree=True)
        agreed = desk.replay(context=agreeing)
        assert desk.await_reports() == [RIGHT]

    assert (refused.outcome, agreed.outcome) == (RunOutcome.FAILED, RunOutcome.SUCCEEDED)
    assert [stage for stage, _ in agreeing.reported].count(Stage.APPROVAL_ASKED) == 1


@pytest.mark.nightly
def test_a_sensitive_value_is_typed_and_kept_nowhere(tmp_path: Path) -> None:
    secret, page = "Zephyr Quillfeather", GIFT_DESK.replace('"Saved for " + shown("name").value', '"It is saved"')
    outcome = '"It is saved" is shown.'
    given = {"person": secret}
    with attacked(tmp_path / "w", page, STEPS, outcome, parameters=given, sensitive=["person"], patience=2) as desk:
        assert desk.record() == RIGHT | {"name": secret}
        run = desk.replay(params={"person": secret})
        assert desk.await_reports() == [RIGHT | {"name": secret}]

    assert run.outcome is RunOutcome.SUCCEEDED
    assert desk.entry is not None
    eyes = ScreenEyes()
    for action in desk.entry.actions:
        pictures = [action.anchor.image] if action.anchor is not None else []
        pictures += [action.effect.image] if action.effect is not None and action.effect.image else []
        for image in pictures:
            assert "quill" not in read_in(image, eyes).casefold()
    eyes.close()
    reported = [path for path in files_with("Quillfeather", tmp_path) if not path.is_relative_to(desk.pages)]
    assert reported == []


def read_in(image: str, eyes: ScreenEyes) -> str:
    """What can be read in a picture that is kept."""
    pixels = decoded(image)
    assert pixels is not None
    height, width = pixels.shape[:2]
    return " ".join(line.text for line in eyes.read(Picture(width, height, pixels.tobytes(), 0.0)))


@pytest.mark.nightly
def test_a_user_who_takes_over_ends_it_and_it_counts_as_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, folder in (("HOME", "home"), ("XDG_CONFIG_HOME", "home/config"), ("XDG_CACHE_HOME", "home/cache")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    with x_display() as display, attacked(tmp_path / "w", patience=2) as desk, closing(User(display)) as user:
        desk.display = display
        assert desk.record() == RIGHT
        again = desk.replay()
        assert (again.outcome, desk.await_reports()) == (RunOutcome.SUCCEEDED, [RIGHT])
        context = FakeContext()
        context.on_event(Stage.PIXEL_ACTION, lambda reported: user.move(7, 5) if is_typing(reported) else None)
        with pytest.raises(TakenOver):
            desk.replay(context=context)
        (kept,) = desk.entries.newest(2)

    assert desk.read_reports == []
    assert (kept.metadata.use_count, kept.metadata.failure_count, kept.quarantined) == (1, 0, "")


def is_typing(reported: dict[str, Any]) -> bool:
    return reported["pixel_action"]["action"] == "type"
