from collections.abc import Mapping

import pytest

from core.reload.entry import CachedAction, Draft, Fingerprint, Origin, Slot
from core.reload.matching.keys import keys_of, question_keys, words_of_request
from core.reload.matching.similarity import window_state_hash
from core.reload.offers import Question
from core.reload.templates import Template
from tests.fakes.reload_requests import SAME

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
    assert question_keys(question(" Send  it to Alice. ")).exact == keys.exact
    assert question_keys(question("Send it to Bob")).exact != keys.exact
    assert question_keys(question("Send it to alice")).exact != keys.exact


def test_without_a_trigger_a_question_is_what_a_user_says() -> None:
    keys = keys_of(draft("Open it"))
    assert question_keys(question("Open it")).gate == keys.gate
    assert question_keys(Question(trigger_type="user_message", request="Open it")).gate == keys.gate
    assert question_keys(Question(trigger_type="app_click", request="Open it")).gate != keys.gate
    assert question_keys(Question(trigger_target="mail", request="Open it")).gate != keys.gate


def test_windows_let_through_only_where_a_client_told_them() -> None:
    seen = Fingerprint(window_state_hash=window_state_hash(WINDOWS))
    told = keys_of(draft("Open it", fingerprint=seen))
    own = keys_of(draft("Open it", fingerprint=seen, origin=Origin(kind="task", name="job-1")))
    assert question_keys(Question(request="Open it", window_state=WINDOWS)).gate == told.gate
    assert question_keys(Question(request="Open it", window_state=[])).gate != told.gate
    assert question_keys(question("Open it")).gate == own.gate != told.gate


def test_values_and_numbers_need_not_recur_and_other_words_do() -> None:
    (needed,) = keys_of(draft("Please show the report for 12 people to Alice", {"who": "Alice"})).words
    assert needed == {"open", "report", "people"}


def test_every_wording_has_its_own_words() -> None:
    several = draft("Open it", requests=(Template.of("Show mail", {}), Template.of("Close mail", {})))
    assert keys_of(several).words == (frozenset({"open", "email"}), frozenset({"close", "email"}))


@pytest.mark.parametrize(("recorded", "values", "asked", "changed"), SAME)
def test_a_paraphrase_holds_the_words_that_are_needed(
    recorded: str, values: dict[str, str], asked: str, changed: dict[str, str]
) -> None:
    (needed,) = keys_of(draft(recorded, values)).words
    assert needed <= words_of_request(asked), changed
