"""What each dialect calls a key."""

import string

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.key_names import MODIFIERS, canonical_names, parse_chord, parse_key, parse_keys, spell

CHARACTERS = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters=" ")
WORDS = st.sampled_from(canonical_names())
KEYS = WORDS | CHARACTERS


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("Return", "enter"),
        ("KP_Enter", "kp_enter"),
        ("Prior", "page_up"),
        ("Page_Down", "page_down"),
        ("BackSpace", "backspace"),
        ("ISO_Level3_Shift", "alt_gr"),
        ("XF86AudioRaiseVolume", "volume_up"),
        ("Control_R", "ctrl_right"),
        ("ARROWLEFT", "left"),
        ("ArrowLeft", "left"),
        ("Meta", "meta"),
        ("OS", "meta"),
        ("SUPER", "meta"),
        ("winleft", "meta"),
        ("option", "alt"),
        ("command", "meta"),
        ("cmd", "meta"),
        ("esc", "escape"),
        ("pgdn", "page_down"),
        ("page down", "page_down"),
        ("PAGE-DOWN", "page_down"),
        ("Key.page_down", "page_down"),
        ("Key.cmd_r", "meta_right"),
        ("'a'", "a"),
        ("KeyA", "a"),
        ("Digit7", "7"),
        ("Numpad7", "kp_7"),
        ("num7", "kp_7"),
        ("plus", "+"),
        ("Minus", "-"),
        ("eacute", "é"),
        ("Eacute", "É"),
        ("multiply", "kp_multiply"),
        ("U20AC", "€"),
        ("U+1F600", "😀"),
        ("A", "A"),
        ("a", "a"),
        ("ß", "ß"),
        ("\n", "enter"),
        (" ", "space"),
        ("  enter  ", "enter"),
        ("F12", "f12"),
    ],
)
def test_every_dialect_names_the_same_key(name: str, canonical: str) -> None:
    assert parse_key(name) == canonical


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ctrl+s", ("ctrl", "s")),
        ("CMD+SPACE", ("meta", "space")),
        ("Control+Shift+T", ("ctrl", "shift", "T")),
        ("ctrl-alt-delete", ("ctrl", "alt", "delete")),
        ("Ctrl + Page Down", ("ctrl", "page_down")),
        ("ctrl-shift-page_down", ("ctrl", "shift", "page_down")),
        ("+", ("+",)),
        ("-", ("-",)),
        ("ctrl++", ("ctrl", "+")),
        ("ctrl+-", ("ctrl", "-")),
        ("ctrl--", ("ctrl", "-")),
        ("ctrl+plus", ("ctrl", "+")),
        ("shift+KP_Add", ("shift", "kp_add")),
        ("Page-Down", ("page_down",)),
        ("ctrl+ctrl+c", ("ctrl", "c")),
        ("cmd+é", ("meta", "é")),
        ("Return", ("enter",)),
        ("\t", ("tab",)),
    ],
)
def test_a_chord_is_read_in_any_dialect(text: str, keys: tuple[str, ...]) -> None:
    assert parse_keys(text) == keys


def test_a_chord_given_as_a_list_is_the_chord_of_its_items() -> None:
    assert parse_chord(["CTRL", "Shift+ARROWLEFT"]) == ("ctrl", "shift", "left")
    with pytest.raises(ValueError, match="no name"):
        parse_chord([])


@pytest.mark.parametrize(
    "text", ["", "  ", "ctrl+", "+s", "ctrl+entre", "ctrl-", "ctrl+++", "\x00", "ctrl+\ud800", "U+110000"]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="key"):
        parse_keys(text)


def test_a_refusal_quotes_the_name_and_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"'Retrun'.*enter"):
        parse_key("Retrun")
    with pytest.raises(ValueError, match=r"'pagedwn'.*page_down"):
        parse_keys("ctrl+pagedwn")


def test_a_refusal_of_a_book_is_one_short_sentence() -> None:
    with pytest.raises(ValueError, match="no key") as refusal:
        parse_keys("no such key " * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("dialect", ["x11", "pyautogui"])
@given(key=KEYS)
def test_what_we_spell_we_read_back(dialect: str, key: str) -> None:
    try:
        spelled = spell(key, "x11" if dialect == "x11" else "pyautogui")
    except ValueError:
        spelled = None
    if spelled is None:
        assert dialect == "pyautogui"
        assert key in canonical_names()
    else:
        assert parse_key(spelled) == key


def _is_one_key(name: str) -> bool:
    """As ``left-shift`` is, and ``ctrl-break``."""
    try:
        parse_key(name)
    except ValueError:
        return False
    return True


@given(keys=st.lists(WORDS, min_size=1, max_size=6, unique=True), joint=st.sampled_from(["+", " + ", "-"]))
@example(keys=["ctrl", "left", "shift"], joint="-")
def test_a_chord_we_join_we_read_back(keys: list[str], joint: str) -> None:
    assume(joint != "-" or not _is_one_key("-".join(keys)))
    assert parse_keys(joint.join(keys)) == tuple(keys)
    assert parse_keys(joint.join(spell(key, "x11") for key in keys)) == tuple(keys)


@given(keys=st.lists(WORDS, min_size=1, max_size=4, unique=True), last=CHARACTERS)
@example(keys=["enter"], last="\u00a0")
def test_a_chord_that_ends_in_any_character_is_read_back(keys: list[str], last: str) -> None:
    assert parse_keys("+".join([*keys, last])) == (*keys, last)


@given(word=st.sampled_from(canonical_names()), data=st.data())
def test_case_blanks_and_dashes_in_a_name_do_not_count(word: str, data: st.DataObject) -> None:
    if len(word) == 1:
        return
    cut = data.draw(st.integers(1, len(word) - 1))
    known = parse_key(word)
    for spelled in (word.upper(), word.title(), f"{word[:cut]}_{word[cut:]}", f"{word[:cut]}-{word[cut:]}"):
        if spelled in {"ETH", "THORN", "AE"}:
            continue
        assert parse_key(spelled) == known


@given(text=st.text(max_size=30))
def test_any_text_is_read_as_canonical_names_or_refused(text: str) -> None:
    try:
        keys = parse_keys(text)
    except ValueError:
        return
    assert keys
    assert all(parse_key(key) == key for key in keys)


@given(character=CHARACTERS)
def test_a_character_is_itself(character: str) -> None:
    assert parse_key(character) == character


def test_each_ascii_character_has_one_x11_name() -> None:
    names = [spell(character, "x11") for character in string.printable[:94]]
    assert len(set(names)) == 94
    assert spell("{", "x11") == "braceleft"
    assert spell("€", "x11") == "U20AC"


def test_a_modifier_is_a_key() -> None:
    assert set(canonical_names()) >= MODIFIERS
