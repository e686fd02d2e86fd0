"""One table of key names: what every provider, toolkit and recording calls a key, and the one name it has here.

Canonical names are lower-case words (``page_down``, ``f5``, ``kp_enter``) or the one character that the key types.
Sources: X11's ``keysymdef.h`` (xdotool, Anthropic), OpenAI's and Gemini's computer tools, pyautogui's ``KEY_NAMES``
(Qwen), pynput's ``Key`` (recordings), the DOM's ``key`` and ``code`` values, and the spellings of ``schema.json``.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Dialect = Literal["x11", "pyautogui"]
"""The spellings that Vaider itself writes: X keysym names, and pyautogui's."""

_SHOWN = 40
_PREFIXES = ("key.", "keyboardkey.")


class _Row(NamedTuple):
    x11: str
    pyautogui: str | None
    others: tuple[str, ...]


def _row(x11: str, pyautogui: str | None = None, others: str = "") -> _Row:
    return _Row(x11, pyautogui, tuple(others.split()))


# canonical name: its keysym, pyautogui's name, and what else it is called. Case, blanks, "_" and "-" do not count.
_NAMED: Final[dict[str, _Row]] = {
    "enter": _row("Return", "enter", "return ret newline linefeed carriage_return cr"),
    "tab": _row("Tab", "tab", "tabulator"),
    "escape": _row("Escape", "esc", "escape"),
    "backspace": _row("BackSpace", "backspace", "back bksp backspc"),
    "delete": _row("Delete", "delete", "del forward_delete"),
    "space": _row("space", "space", "spacebar space_bar blank"),
    "up": _row("Up", "up", "arrow_up up_arrow uparrow cursor_up"),
    "down": _row("Down", "down", "arrow_down down_arrow cursor_down"),
    "left": _row("Left", "left", "arrow_left left_arrow cursor_left"),
    "right": _row("Right", "right", "arrow_right right_arrow cursor_right"),
    "home": _row("Home", "home", "begin_line"),
    "end": _row("End", "end"),
    "page_up": _row("Page_Up", "pageup", "pgup prior pg_up"),
    "page_down": _row("Page_Down", "pagedown", "pgdn next pgdown pg_dn"),
    "insert": _row("Insert", "insert", "ins"),
    "shift": _row("Shift_L", "shift", "shiftleft left_shift lshift"),
    "shift_right": _row("Shift_R", "shiftright", "right_shift rshift"),
    "ctrl": _row("Control_L", "ctrl", "control ctrl_l ctrlleft controlleft left_ctrl left_control lctrl lcontrol ctl"),
    "ctrl_right": _row("Control_R", "ctrlright", "ctrl_r controlright right_ctrl right_control rctrl rcontrol"),
    "alt": _row("Alt_L", "alt", "altleft left_alt lalt option opt option_l optionleft left_option"),
    "alt_right": _row("Alt_R", "altright", "right_alt ralt option_r optionright right_option"),
    "alt_gr": _row("ISO_Level3_Shift", None, "altgraph altgr mode_switch"),
    "meta": _row(
        "Super_L",
        "winleft",
        "meta_l metaleft left_meta super superleft left_super lsuper lmeta win lwin left_win windows leftwindows"
        " windowskey winkey windowsleft cmd command cmd_l cmdleft commandleft left_cmd left_command os osleft"
        " gui lgui logo",
    ),
    "meta_right": _row(
        "Super_R",
        "winright",
        "meta_r metaright right_meta superright right_super rsuper rmeta rwin right_win windowsright cmd_r cmdright"
        " commandright right_cmd right_command osright rgui",
    ),
    "hyper": _row("Hyper_L", None, "hyper_r"),
    "caps_lock": _row("Caps_Lock", "capslock", "caps"),
    "num_lock": _row("Num_Lock", "numlock"),
    "scroll_lock": _row("Scroll_Lock", "scrolllock"),
    "menu": _row("Menu", "apps", "context_menu app application menu_key"),
    "print_screen": _row("Print", "printscreen", "prtsc prtscr prntscrn prtscn snapshot sys_req"),
    "pause": _row("Pause", "pause"),
    "break": _row("Break", None, "ctrl_break cancel_break"),
    "help": _row("Help", "help"),
    "select": _row("Select", "select"),
    "execute": _row("Execute", "execute"),
    "clear": _row("Clear", "clear"),
    "cancel": _row("Cancel"),
    "undo": _row("Undo"),
    "redo": _row("Redo"),
    "find": _row("Find"),
    "compose": _row("Multi_key"),
    "back_tab": _row("ISO_Left_Tab", None, "backtab"),
    "kp_enter": _row("KP_Enter", None, "numpad_enter num_enter keypad_enter"),
    "kp_add": _row("KP_Add", "add", "numpad_add numpad_plus num_add num_plus keypad_plus kp_plus"),
    "kp_subtract": _row(
        "KP_Subtract", "subtract", "numpad_subtract numpad_minus num_subtract num_minus keypad_minus kp_minus"
    ),
    "kp_multiply": _row("KP_Multiply", "multiply", "numpad_multiply num_multiply keypad_multiply"),
    "kp_divide": _row("KP_Divide", "divide", "numpad_divide num_divide keypad_divide"),
    "kp_decimal": _row("KP_Decimal", "decimal", "numpad_decimal num_decimal keypad_decimal"),
    "kp_separator": _row("KP_Separator", "separator", "numpad_comma"),
    "kp_equal": _row("KP_Equal", None, "numpad_equal num_equal keypad_equal"),
    "kp_home": _row("KP_Home"),
    "kp_end": _row("KP_End"),
    "kp_page_up": _row("KP_Page_Up", None, "kp_prior"),
    "kp_page_down": _row("KP_Page_Down", None, "kp_next"),
    "kp_up": _row("KP_Up"),
    "kp_down": _row("KP_Down"),
    "kp_left": _row("KP_Left"),
    "kp_right": _row("KP_Right"),
    "kp_begin": _row("KP_Begin"),
    "kp_insert": _row("KP_Insert"),
    "kp_delete": _row("KP_Delete"),
    "volume_up": _row("XF86AudioRaiseVolume", "volumeup", "audio_volume_up media_volume_up"),
    "volume_down": _row("XF86AudioLowerVolume", "volumedown", "audio_volume_down media_volume_down"),
    "volume_mute": _row("XF86AudioMute", "volumemute", "audio_volume_mute media_volume_mute mute"),
    "media_play_pause": _row("XF86AudioPlay", "playpause", "play_pause media_play"),
    "media_stop": _row("XF86AudioStop", "stop", "media_track_stop"),
    "media_next": _row("XF86AudioNext", "nexttrack", "media_track_next next_track"),
    "media_previous": _row("XF86AudioPrev", "prevtrack", "media_track_previous previous_track media_prev"),
    "browser_back": _row("XF86Back", "browserback"),
    "browser_forward": _row("XF86Forward", "browserforward"),
    "browser_refresh": _row("XF86Refresh", "browserrefresh", "xf86reload"),
    "browser_stop": _row("XF86Stop", "browserstop"),
    "browser_search": _row("XF86Search", "browsersearch"),
    "browser_favorites": _row("XF86Favorites", "browserfavorites"),
    "browser_home": _row("XF86HomePage", "browserhome"),
    "launch_mail": _row("XF86Mail", "launchmail"),
    "brightness_up": _row("XF86MonBrightnessUp"),
    "brightness_down": _row("XF86MonBrightnessDown"),
    "sleep": _row("XF86Sleep", "sleep"),
    **{f"f{n}": _row(f"F{n}", f"f{n}") for n in range(1, 25)},
    **{f"kp_{n}": _row(f"KP_{n}", f"num{n}", f"numpad_{n} keypad_{n}") for n in range(10)},
}


def _words_of(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Keysym names of characters, in the order of their code points; letters and digits are called by themselves.
_ASCII_NAMES: Final = _words_of(
    "exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma minus"
    " period slash colon semicolon less equal greater question at bracketleft backslash bracketright asciicircum"
    " underscore grave braceleft bar braceright asciitilde"
)
_ASCII_CHARACTERS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LATIN_NAMES: Final = _words_of(
    "nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright ordfeminine guillemotleft"
    " notsign hyphen registered macron degree plusminus twosuperior threesuperior acute mu paragraph periodcentered"
    " cedilla onesuperior masculine guillemotright onequarter onehalf threequarters questiondown Agrave Aacute"
    " Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis Igrave Iacute Icircumflex"
    " Idiaeresis ETH Ntilde Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash Ugrave Uacute Ucircumflex"
    " Udiaeresis Yacute THORN ssharp agrave aacute acircumflex atilde adiaeresis aring ae ccedilla egrave eacute"
    " ecircumflex ediaeresis igrave iacute icircumflex idiaeresis eth ntilde ograve oacute ocircumflex otilde"
    " odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn ydiaeresis"
)
# Other names of characters: the DOM's codes, and words that people write because "+" joins keys.
_CHARACTER_WORDS: Final = {
    "quote": "'", "backquote": "`", "dash": "-", "hyphen": "-", "equals": "=", "dot": ".", "pipe": "|",
    "tilde": "~", "caret": "^", "bracketleft": "[", "leftbracket": "[", "bracketright": "]", "rightbracket": "]",
    "hash": "#", "backtick": "`", "quoteleft": "`", "quoteright": "'", "comma": ",", "plus": "+", "minus": "-",
    "fullstop": ".", "forwardslash": "/", "exclamationmark": "!", "questionmark": "?", "euro": "€", "eurosign": "€",
}  # fmt: skip
_CONTROL: Final = {
    "\n": "enter", "\r": "enter", "\t": "tab", "\x1b": "escape", "\b": "backspace", "\x7f": "delete", " ": "space",
}  # fmt: skip

MODIFIERS: Final = frozenset(
    {"shift", "shift_right", "ctrl", "ctrl_right", "alt", "alt_right", "alt_gr", "meta", "meta_right", "hyper"}
)
"""The keys that change what others do while they are held."""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _words() -> dict[str, str]:
    table = {_plain(name): canonical for canonical, row in _NAMED.items() for name in (canonical, row.x11, *row.others)}
    table |= {_plain(row.pyautogui): canonical for canonical, row in _NAMED.items() if row.pyautogui}
    characters = dict(zip(_ASCII_NAMES, _ASCII_CHARACTERS, strict=True)) | _CHARACTER_WORDS
    return {_plain(name): character for name, character in characters.items()} | table


_WORDS: Final = _words()
# "multiply" and "hyphen" are more often meant as keys of the keyboard than as the signs that X11 calls so.
_LATIN: Final = {name: chr(0xA0 + offset) for offset, name in enumerate(_LATIN_NAMES) if name not in _WORDS}
_NAME_OF: Final = {
    **dict(zip(_ASCII_CHARACTERS, _ASCII_NAMES, strict=True)),
    **{character: name for name, character in _LATIN.items()},
}


def canonical_names() -> Sequence[str]:
    """Every canonical name that is a word; besides these, any one character that can be seen is a name."""
    return tuple(_NAMED)


def parse_key(name: str) -> str:
    """The canonical name of one key, however its author spells it; case counts in single characters alone.

    Raises ``ValueError`` with a sentence that quotes the name and the nearest one that is known.
    """
    if len(name) == 1:
        return _character(name)
    bare = name.strip()
    for prefix in _PREFIXES:
        if bare.lower().startswith(prefix):
            bare = bare[len(prefix) :]
    if len(bare) == 1:
        return _character(bare)
    if len(bare) == 3 and bare[0] == bare[2] and bare[0] in "'\"":  # noqa: PLR2004 - a quoted character, as pynput writes it
        return _character(bare[1])
    found = _LATIN.get(bare) or (None if bare.endswith("-") else _WORDS.get(_plain(bare)))
    if found is not None:
        return found
    by_code = re.fullmatch(r"(?:key([a-z])|digit([0-9])|u\+?([0-9a-f]{4,6}))", bare, re.IGNORECASE)
    if by_code is None:
        raise ValueError(_unknown(name))
    letter, digit, code = by_code.groups()
    if code is None:
        return letter.lower() if letter else digit
    if int(code, 16) > 0x10FFFF:  # noqa: PLR2004 - the last code point
        raise ValueError(_unknown(name))
    return _character(chr(int(code, 16)))


def _character(character: str) -> str:
    if character in _CONTROL:
        return _CONTROL[character]
    if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        raise ValueError(f"There is no key for the character U+{ord(character):04X}; name a key such as enter or a.")
    return character


def _unknown(name: str) -> str:
    if not name.strip():
        return "A key has no name; name one such as enter or ctrl+s."
    shown = name if len(name) <= _SHOWN else name[:_SHOWN] + "…"
    near = difflib.get_close_matches(_plain(name[:_SHOWN]), _WORDS, n=1, cutoff=0.5)
    hint = f"did you mean {_WORDS[near[0]]}?" if near else "name one such as enter, page_down, f5 or a, joined by +."
    return f"There is no key {shown!r}; {hint}"


@lru_cache(maxsize=256)
def parse_keys(text: str) -> tuple[str, ...]:
    """The keys of a chord such as ``ctrl+s``, ``CMD+SPACE``, ``ctrl-alt-delete`` or ``ctrl++``, in their order.

    A key that is named twice counts once. Raises ``ValueError`` as ``parse_key`` does.
    """
    return _chord(text, "+-")


def parse_chord(names: Iterable[str]) -> tuple[str, ...]:
    """The keys of a chord given as a list whose items are keys, or chords themselves; else as ``parse_keys``."""
    keys = tuple(dict.fromkeys(key for name in names for key in parse_keys(name)))
    if not keys:
        raise ValueError(_unknown(""))
    return keys


def _chord(text: str, joints: str) -> tuple[str, ...]:
    try:
        return (parse_key(text),)
    except ValueError:
        if not joints or joints[0] not in text:
            if len(joints) > 1:
                return _chord(text, joints[1:])
            raise
    joint = joints[0]
    # The blanks that people write around a joint, and no others: a no-break space is a character to type.
    text = text.strip(" \t\r\n")
    # The last of two joints in a row, and one that stands alone, is the key of that character.
    ends_in_joint = text.endswith(joint * 2)
    parts = text[: -2 if ends_in_joint else None].split(joint)
    keys = [key for part in parts for key in _chord(part, joints[1:])]
    return tuple(dict.fromkeys([*keys, joint] if ends_in_joint else keys))


def spell(canonical: str, dialect: Dialect) -> str:
    """What a dialect calls the key of that canonical name; a character without a name is itself, or ``U20AC`` in X11.

    Raises ``ValueError`` for a name that is not canonical, or for a key that the dialect has no name for.
    """
    row = _NAMED.get(canonical)
    if row is not None:
        name = row.x11 if dialect == "x11" else row.pyautogui
        if name is None:
            raise ValueError(f"{dialect} has no name for the key {canonical}; use another key.")
        return name
    if len(canonical) != 1 or _character(canonical) != canonical:
        raise ValueError(_unknown(canonical))
    if dialect == "pyautogui" or (canonical.isascii() and canonical.isalnum()):
        return canonical
    return _NAME_OF.get(canonical) or f"U{ord(canonical):04X}"
