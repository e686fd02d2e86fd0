import hashlib

from core.reload.entry_keys import ngrams, window_state_hash
from core.screens import Box, Window


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
