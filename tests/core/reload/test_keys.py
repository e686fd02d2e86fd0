from collections.abc import Mapping

from core.reload.entry import CachedAction, Draft, Fingerprint, Origin, Slot
from core.reload.entry_keys import exact_key, gate_of, keys_of, window_state_hash
from core.reload.offers import Question
from core.reload.templates import Template

WINDOWS = [{"id": "w1", "renderer": "table"}]


def draft(request: str, values: Mapping[str, str] | None = None, **changes: object) -> Draft:
    values = values or {}
    return Draft(
        fingerprint=Fingerprint(),
        requests=(Template.of(request, values),),
        slots=tuple(Slot(name=name, value=value) for name, value in values.items()),
        actions=(CachedAction(action={}),),
    ).model_copy(update=changes)


def question(request: str) -> Question:
    return Question(request=request)


def test_the_same_words_with_the_same_values_have_the_same_key() -> None:
    keys = keys_of(draft("Send it to Alice", {"who": "Alice"}))
    assert exact_key(question(" Send  it to Alice. ")) in keys.exact
    assert exact_key(question("Send it to Bob")) not in keys.exact
    assert exact_key(question("Send it to alice")) not in keys.exact


def test_without_a_trigger_a_question_is_what_a_user_says() -> None:
    keys = keys_of(draft("Open it"))
    assert gate_of(question("Open it")) == keys.gate
    assert gate_of(Question(trigger_type="user_message", request="Open it")) == keys.gate
    assert gate_of(Question(trigger_type="app_click", request="Open it")) != keys.gate
    assert gate_of(Question(trigger_target="mail", request="Open it")) != keys.gate


def test_windows_let_through_only_where_a_client_told_them() -> None:
    seen = Fingerprint(window_state_hash=window_state_hash(WINDOWS))
    reported = keys_of(draft("Open it", fingerprint=seen))
    own = keys_of(draft("Open it", fingerprint=seen, origin=Origin(kind="task", name="job-1")))
    assert gate_of(Question(request="Open it", window_state=WINDOWS)) == reported.gate
    assert gate_of(Question(request="Open it", window_state=[])) != reported.gate
    assert gate_of(question("Open it")) == own.gate != reported.gate


def test_an_entry_is_found_by_the_words_of_each_wording_and_of_its_values() -> None:
    several = draft(
        "Open it", {"who": "Ada Lovelace"}, requests=(Template.of("Show mail", {}), Template.of("Close it!", {}))
    )
    keys = keys_of(several)
    assert keys.phrasings == (("show", "mail"), ("close", "it"))
    assert keys.values == {"ada", "lovelace"}
