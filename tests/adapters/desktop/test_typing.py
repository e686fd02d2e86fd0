"""Text as it arrives in programs: exactly what was asked for, on any layout."""

import os
import random
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from adapters.desktop.x11.hands import X11Hands
from core.actions import Click, Key, Type
from core.errors import ActionFailed, TakenOver
from core.screens import Point
from tests.clock import until
from tests.fakes.desktops.x_programs import Listening, Pad, Sent, await_focus, never, pad, terminal
from tests.fakes.desktops.x_user import x_display

pytestmark = pytest.mark.screen

ASCII = "".join(map(chr, range(32, 127)))
WORLD = "äöü ß ẞ É Â Ñ ŵ α Ω ς ж Я ї 日本語 한글 עברית ไทย € “„” – … ½ e\u0301 😀👍🏽"  # noqa: RUF001 - as it is meant
LONG = "".join(f"Line {number}: the quick brown fox, 50 € <&> \\ {{}} [{number % 7}]\n" for number in range(220))
LAYOUTS = ["us", "de", "fr", "ru", "us -variant intl", "us,ru"]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


@pytest.fixture(scope="module")
def hands(display: str) -> Iterator[X11Hands]:
    made = X11Hands(display, Sent())
    yield made
    made.close()


@contextmanager
def layout(display: str, name: str) -> Generator[None]:
    """Another keyboard layout, until the end of the block."""

    def put(*arguments: str) -> None:
        subprocess.run(["setxkbmap", "-option", "", *arguments], env={**os.environ, "DISPLAY": display}, check=True)

    put(*name.split())
    try:
        yield
    finally:
        put("us")


def mixed(seed: int) -> list[str]:
    """Texts of ASCII, Latin, Greek, Cyrillic, Chinese and pictures."""
    chance = random.Random(seed)
    characters = ASCII + WORLD.replace("\u0301", "").replace("🏽", "") + "".join(map(chr, range(0xA1, 0x17F)))
    characters = characters.replace("\xad", "")
    return ["".join(chance.choices(characters, k=chance.randint(1, 40))) for _ in range(8)]


@pytest.fixture(scope="module")
def tk(display: str) -> Iterator[Pad]:
    with pad(display) as program:
        yield program


def typed_in_tk(hands: X11Hands, program: Pad, text: str, field: str = "page") -> str:
    program.ask("clear")
    program.ask(f"select {field}")
    hands.perform(Type(text=text), never)
    got = ""

    def there() -> bool:
        nonlocal got
        got = program.ask(field)
        return len(got) >= len(text.replace("\r\n", "\n"))

    try:
        until(there, 3)
    except AssertionError:
        return got
    return got


@pytest.mark.parametrize(
    "text", ["x", ASCII, "a\nb\n\n", "a\r\nb", WORLD, LONG, WORLD * 20, *mixed(1)], ids=lambda t: t[:12]
)
def test_a_native_toolkit_gets_the_text(hands: X11Hands, tk: Pad, text: str) -> None:
    assert typed_in_tk(hands, tk, text) == text.replace("\r\n", "\n")


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_layout_of_the_keyboard_does_not_matter(display: str, hands: X11Hands, tk: Pad, name: str) -> None:
    with layout(display, name):
        for text in (ASCII, WORLD, "äöü Ärger z Z y Y", "Съешь же ещё", "^´`~'\" ê ñ"):  # noqa: RUF001 - as it is meant
            assert typed_in_tk(hands, tk, text, "line") == text


def test_the_group_that_is_switched_to_does_not_matter(display: str, hands: X11Hands, tk: Pad) -> None:
    window = Listening(display, shown=False)
    with layout(display, "us,ru"):
        window.switch_group(1)
        for text in ("Hello, World!", "Привет, мир!"):
            assert typed_in_tk(hands, tk, text, "line") == text
        window.switch_group(0)
    window.close()


def test_caps_lock_does_not_flip_letters_and_stays_on(display: str, hands: X11Hands, tk: Pad) -> None:
    window = Listening(display, shown=False)
    hands.perform(Key(keys=("caps_lock",)), never)
    try:
        assert window.locks() & 2
        assert typed_in_tk(hands, tk, "aBc éÉ") == "aBc éÉ"
        tk.ask("clear")
        hands.perform(Key(keys=("q",)), never)
        until(lambda: tk.ask("page") == "q")
        assert window.locks() & 2
    finally:
        hands.perform(Key(keys=("caps_lock",)), never)
        window.close()


def test_num_lock_does_not_matter_to_the_keypad(hands: X11Hands, tk: Pad) -> None:
    tk.ask("clear")
    tk.ask("select page")
    hands.perform(Key(keys=("kp_7",)), never)
    hands.perform(Key(keys=("num_lock",)), never)
    hands.perform(Key(keys=("kp_8",)), never)
    hands.perform(Type(text="9aA"), never)
    hands.perform(Key(keys=("num_lock",)), never)
    until(lambda: tk.ask("page") == "789aA")


def test_a_window_that_stands_still_gets_the_text_later(hands: X11Hands, tk: Pad) -> None:
    tk.ask("clear")
    tk.ask("select page")
    tk.report("hang 600")
    hands.perform(Type(text="ж日 late"), never)
    tk.answer()
    until(lambda: tk.ask("page") == "ж日 late")


def test_a_terminal_gets_the_text(display: str, hands: X11Hands, tmp_path: Path) -> None:
    file = tmp_path / "typed"
    lines = LONG[: LONG.index("\n", 2000) + 1]
    chinese = "".join(map(chr, random.Random(5).sample(range(0x4E00, 0x9FFF), 60)))
    with terminal(display, file):
        expected = ""
        for text in (ASCII + "\n", WORLD.replace("e\u0301", "") + "\n", lines, f"{chinese}\n{chinese[::-1]}\n"):
            expected += text
            hands.perform(Type(text=text), never)
            length = len(expected)
            until(lambda length=length: len(file.read_text()) >= length)
            assert file.read_text() == expected


@pytest.fixture(scope="module")
def page(display: str, hands: X11Hands) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            headless=False,
            args=["--no-sandbox"],
            env={**os.environ, "DISPLAY": display},
        )
        shown = browser.new_page(no_viewport=True)
        shown.set_content("<textarea id=area rows=12 cols=60 style='position:fixed;left:0;top:0'></textarea>")
        await_focus(display, "chrom")
        left, top = shown.evaluate("[screenX + 60, screenY + outerHeight - innerHeight + 60]")
        clicks = iter(range(20))

        def focused() -> bool:
            # What is clicked before the first picture is shown goes nowhere.
            if next(clicks) % 5 == 0:
                hands.perform(Click(action="left_click", at=Point(x=left, y=top)), never)
            return bool(shown.evaluate("document.activeElement === area && document.hasFocus()"))

        until(focused)
        yield shown
        browser.close()


def typed_in_page(hands: X11Hands, page: Page, text: str) -> str:
    page.evaluate("area.value = ''")
    hands.perform(Type(text=text), never)
    length = len(text.encode("utf-16-le")) // 2
    try:
        page.wait_for_function("length => area.value.length >= length", arg=length, timeout=3000)
    finally:
        got: Any = page.evaluate("area.value")
    return str(got)


@pytest.mark.parametrize("text", [ASCII, WORLD, "a\nb\n", LONG, *mixed(2)], ids=lambda text: text[:12])
def test_a_browser_gets_the_text(hands: X11Hands, page: Page, text: str) -> None:
    assert typed_in_page(hands, page, text) == text


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["de", "ru"])
def test_a_browser_gets_the_text_on_another_layout(display: str, hands: X11Hands, page: Page, name: str) -> None:
    with layout(display, name):
        for text in (ASCII, WORLD, *mixed(3)[:3]):
            assert typed_in_page(hands, page, text) == text


@pytest.mark.nightly
def test_a_shortcut_works_on_a_layout_without_latin_letters(display: str, hands: X11Hands, page: Page) -> None:
    with layout(display, "ru"):
        assert typed_in_page(hands, page, "abc") == "abc"
        hands.perform(Key(keys=("ctrl", "a")), never)
        hands.perform(Key(keys=("ctrl", "x")), never)
        page.wait_for_function("area.value === ''")


@pytest.mark.nightly
def test_the_layout_is_as_it_was_after_typing_what_it_lacks(display: str, hands: X11Hands) -> None:
    window = Listening(display)
    before = window.layout()
    hands.perform(Type(text="日本"), never)
    assert window.layout() == before
    calls = iter(range(1000))

    def stop() -> None:
        if next(calls) > 300:
            raise TakenOver("The user moved the mouse.")

    with pytest.raises(TakenOver):
        hands.perform(Type(text="語日本" * 40), stop)
    assert window.layout() == before
    assert window.keys_down() == []
    window.close()


@pytest.mark.parametrize("text", ["a\x00", "\x1b[A", "\ud800", "bell\x07"])
def test_what_is_no_character_is_refused_before_anything_is_typed(display: str, hands: X11Hands, text: str) -> None:
    window = Listening(display)
    with pytest.raises(ActionFailed, match=r"U\+"):
        hands.perform(Type.model_construct(text=text), never)
    assert [event for event in window.events() if event.kind.startswith("key")] == []
    window.close()
