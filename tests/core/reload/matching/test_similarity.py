import hashlib

from hypothesis import given
from hypothesis import strategies as st

from core.reload.entry import Fingerprint
from core.reload.matching.similarity import jaccard, ngrams, similarity, window_state_hash
from core.screens import Box, Window

texts = st.lists(st.sampled_from(("open", "the", "march", "report", "an", "archive")), max_size=8).map(" ".join)
fingerprints = st.builds(
    Fingerprint,
    trigger_target=st.sampled_from(("", "storage")),
    context_ngrams=texts.map(ngrams),
    window_state_hash=st.sampled_from(("", "0123456789abcdef")),
)


def window(title: str, window_id: int = 1) -> Window:
    return Window(
        id=window_id, title=title, application="Editor", pid=1, box=Box(x=0, y=0, width=9, height=9), focused=False
    )


def test_two_and_three_words_that_follow_one_another_count_and_short_ones_do_not() -> None:
    assert ngrams("User clicked on Storage app") == (
        "user clicked",
        "clicked storage",
        "storage app",
        "user clicked storage",
        "clicked storage app",
    )
    assert ngrams("a is of") == ()


def test_the_share_of_what_both_have_is_measured() -> None:
    assert jaccard(("a", "b"), ("b", "c")) == 1 / 3
    assert jaccard((), ()) == 0


def test_half_is_the_trigger_three_tenths_the_words_and_a_fifth_the_windows() -> None:
    one = Fingerprint(trigger_target="storage", context_ngrams=("a b", "b c"), window_state_hash="0" * 16)
    assert similarity(one, one) == 1
    assert similarity(one, one.model_copy(update={"trigger_target": "mail"})) == 0.5
    assert similarity(one, one.model_copy(update={"context_ngrams": ("a b", "x y")})) == 0.5 + 0.3 / 3 + 0.2
    assert similarity(one, one.model_copy(update={"window_state_hash": ""})) == 0.8


def test_windows_that_nobody_told_are_the_same() -> None:
    assert similarity(Fingerprint(), Fingerprint()) == 0.7


@given(fingerprints, fingerprints)
def test_similarity_is_mutual_and_between_0_and_1(one: Fingerprint, other: Fingerprint) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1


def test_a_client_s_windows_count_by_id_and_renderer_in_any_order() -> None:
    one = {"id": "w1", "renderer": "markdown", "title": "Notes"}
    other = {"id": "w2", "renderer": "table"}
    expected = hashlib.sha256(b"w1:markdown|w2:table").hexdigest()[:16]
    assert window_state_hash([one, other]) == window_state_hash([other, one | {"title": "Else"}]) == expected
    assert window_state_hash([one]) != expected


def test_any_other_account_of_windows_counts_as_a_whole() -> None:
    assert window_state_hash({"a": 1, "b": 2}) == window_state_hash({"b": 2, "a": 1})
    assert window_state_hash({"a": 1}) != window_state_hash({"a": 2})
    assert window_state_hash(["w1"]) != window_state_hash(["w2"])
    assert window_state_hash(None) == ""
    assert window_state_hash([]) != ""


def test_windows_of_the_desktop_count_by_application_and_title() -> None:
    assert window_state_hash((window("a", 1), window("b", 2))) == window_state_hash((window("b", 3), window("a", 4)))
    assert window_state_hash((window("a"),)) != window_state_hash((window("b"),))
