"""What of a posted sequence is a value, and may be another one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reload.build_entry import build_posted_draft
from core.reload.entry import Slot, SlotKind, label_for, label_text
from core.reload.offers import Posted
from core.reload.templates import filled_in


def slots(request: str, *actions: dict[str, Any], vocabulary: Any = "foreign") -> dict[str, Slot]:
    posted = Posted(trigger_type="user_message", request=request, actions=actions, succeeded=True)
    return {slot.name: slot for slot in build_posted_draft(posted, vocabulary, actions).slots}


def test_what_was_said_is_a_value_by_the_name_of_its_key() -> None:
    found = slots("remind alice of lunch", {"type": "add", "to": "alice", "about": "lunch"})
    assert {name: (slot.value, slot.rebinds) for name, slot in found.items()} == {
        "to": ("alice", True),
        "about": ("lunch", True),
    }


@pytest.mark.parametrize(
    ("request_", "actions"),
    [
        ("show alice", [{"type": "show", "title": "alice", "data": "five notes"}]),
        ("pay alice", [{"type": "pay", "to": "alice", "amount": 50}]),
        ("ask alice whether alice comes", [{"type": "ask", "to": "alice"}]),
        ("open window alice", [{"type": "window.focus", "windowId": "alice"}]),
        ("seat 2", [{"type": "book", "seats": "2"}]),
    ],
    ids=["shown besides", "a number besides", "said twice", "an id", "too short"],
)
def test_what_may_have_come_of_the_value_keeps_it_from_being_another(
    request_: str, actions: list[dict[str, Any]]
) -> None:
    assert [slot.rebinds for slot in slots(request_, *actions).values()] == [False]


def test_where_it_stands_is_no_value_besides() -> None:
    shown = {"type": "show", "title": "alice", "bounds": {"x": 1, "y": 2, "w": 3, "h": 4}, "renderer": "text"}
    assert slots("show alice", shown)["title"].rebinds


def test_what_holds_another_value_is_no_value_of_its_own() -> None:
    found = slots("lunch with alice", {"type": "add", "title": "lunch with alice"}, {"type": "call", "to": "alice"})
    assert [*found] == ["to"]


def test_kinds_are_never_values() -> None:
    assert not slots("show the text window", {"type": "window", "renderer": "text", "operation": {"op": "show"}})


def test_of_desktop_actions_only_what_was_typed_once_may_be_another() -> None:
    click = {"action": "left_click", "at": {"x": 1, "y": 2}}
    typed = {"action": "type", "text": "alice"}
    assert slots("write to alice", click, typed, vocabulary="desktop")["text"].rebinds
    assert not slots("write to alice", typed, click, typed, vocabulary="desktop")["text"].rebinds
    assert not slots("open gimp", {"action": "open_app", "name": "gimp"}, vocabulary="desktop")["name"].rebinds


@pytest.mark.parametrize("key", ["password", "apiKey", "token", "PIN", "passphrase"])
def test_a_secret_leaves_no_trace(key: str) -> None:
    action = {"type": "login", key: "open sesame", "hint": "open sesame"}
    posted = Posted(
        trigger_type="user_message",
        request="log in with open sesame",
        actions=(action,),
        summary="open sesame it was",
        succeeded=True,
    )
    draft = build_posted_draft(posted, "foreign", [action])
    assert "sesame" not in draft.model_dump_json()
    assert [slot.kind for slot in draft.slots] == [SlotKind.SECRET]


TEXTS = st.text(st.sampled_from("ab $.{}\\"), max_size=8)


@given(
    request_=TEXTS,
    actions=st.lists(st.dictionaries(st.sampled_from(["to", "about", "windowId"]), TEXTS), min_size=1, max_size=3),
)
def test_with_its_own_values_it_is_what_was_posted(request_: str, actions: list[dict[str, str]]) -> None:
    posted = Posted(trigger_type="user_message", request=request_, actions=tuple(actions), succeeded=True)
    draft = build_posted_draft(posted, "foreign", actions)

    assert [filled_in(cached.action, draft.values()) for cached in draft.actions] == actions
    assert draft.requests[0].filled(draft.values()) == request_


@pytest.mark.parametrize(
    ("request_", "trigger", "target", "label"),
    [
        ("app: Storage", "app_click", "storage", "Open Storage app"),
        ('button "Save"', "button_click", "", 'Click "Save"'),
        ("", "app_click", "Storage", "Open Storage app"),
        ("", "button_click", "Save", 'Click "Save"'),
        ("", "form_submit", "address", "address"),
        ("x" * 51, "user_message", "", "x" * 50 + "..."),
        ("x" * 50, "user_message", "", "x" * 50),
        ("", "user_message", "", "What was done once"),
    ],
)
def test_labels_are_as_they_always_were(request_: str, trigger: str, target: str, label: str) -> None:
    assert label_for(request_, trigger, target) == label


@given(st.text(max_size=400))
def test_a_label_is_one_short_line_without_tags(text: str) -> None:
    line = label_text(text)
    assert len(line) <= 200
    assert not set(line) & set("<>\n\r\t\u202e\u200b\x00")
