import functools
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from adapters.carried_data import carried_file
from adapters.embeddings import StaticWords
from core.errors import Internal

WORDS = StaticWords()
TEXT = st.lists(st.text(min_size=1, max_size=90), max_size=6)


@pytest.mark.parametrize(
    ("word", "other"), [("remove", "delete"), ("buy", "purchase"), ("silence", "quiet"), ("Picture", "photo")]
)
def test_words_that_mean_nearly_the_same_are_near(word: str, other: str) -> None:
    near = WORDS.near(word)
    assert other in dict(near)
    assert word.lower() not in dict(near)
    assert [likeness for _, likeness in near] == sorted((likeness for _, likeness in near), reverse=True)
    assert all(-1 <= likeness <= 1 for _, likeness in near)


@pytest.mark.parametrize("word", ["kubernetes", "分辨率", "", "\ud800", "a" * 5000])
def test_nothing_is_near_to_a_word_that_is_not_known(word: str) -> None:
    assert list(WORDS.near(word)) == []


def test_a_text_is_as_near_as_its_words_mean_what_is_asked_for() -> None:
    asked = {"silence": 1.0, "channel": 0.5}
    muted, paid, unsaid = WORDS.alike(asked, [["quiet", "channel"], ["paid", "rent"], []])
    assert muted > 0.6
    assert paid < 0.3
    assert unsaid == 0
    assert WORDS.alike(asked, [["channel", "silence", "silence"]])[0] == pytest.approx(1, abs=1e-3)


def test_what_tells_more_counts_more() -> None:
    texts = [["silence"], ["channel"]]
    (loud, quiet) = (WORDS.alike({"silence": one, "channel": other}, texts) for one, other in ((1, 0.1), (0.1, 1)))
    assert loud[0] > loud[1]
    assert quiet[1] > quiet[0]


@given(TEXT, st.lists(TEXT, max_size=3))
@settings(max_examples=60, deadline=None)
def test_any_text_may_be_a_word(asked: list[str], texts: list[list[str]]) -> None:
    found = WORDS.alike(dict.fromkeys(asked, 1.0), texts)
    assert len(found) == len(texts)
    assert all(-1.001 <= each <= 1.001 for each in found)


@pytest.mark.nightly
def test_more_words_than_are_kept_at_hand_are_compared_all_the_same() -> None:
    many = [[f"word{place}" for place in range(begin, begin + 9000)] for begin in (0, 9000, 18_000)]
    for text in many:
        assert WORDS.alike({"quiet": 1.0}, [text, ["silence"]])[1] > 0.5
    assert len(WORDS.alike({"quiet": 1.0}, many)) == len(many)


@pytest.mark.nightly
@given(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=24))
@settings(max_examples=150, deadline=None)
def test_words_are_taken_apart_as_the_model_was_taught(word: str) -> None:
    assert list(WORDS.pieces(word)) == tokenizer().encode(word, add_special_tokens=False).ids


@functools.cache
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(carried_file("wordllama", "l2_supercat_tokenizer_config.json")))


def test_a_missing_package_is_told_with_what_to_do() -> None:
    with pytest.raises(Internal, match="install Vaider again"):
        StaticWords("no-such-package")


def test_none_of_the_packages_code_runs_for_it_may_ask_the_network() -> None:
    program = (
        "import sys; from adapters.embeddings import StaticWords; StaticWords().near('buy');"
        "foreign = {'wordllama', 'tokenizers', 'safetensors', 'requests', 'huggingface_hub'};"
        "sys.exit(', '.join(foreign & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
