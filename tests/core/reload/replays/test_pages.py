import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reload.replays.reading import address_in, same_address
from core.screens import Box, TextLine, Window

BROWSER = Window(
    id=1,
    title="Harbour Post - Chromium",
    application="Chromium",
    pid=7,
    box=Box(x=100, y=50, width=900, height=600),
    focused=True,
)


def line(text: str, *, y: int = 60, x: int = 80, score: float = 0.95) -> TextLine:
    return TextLine(text=text, box=Box(x=100 + x, y=50 + y, width=8 * len(text), height=16), score=score)


def shown(*lines: TextLine, window: Window = BROWSER) -> str:
    return address_in(lines, window)


@pytest.mark.parametrize(
    ("read", "address"),
    [
        ("127.0.0.1:8000/form.html", "127.0.0.1:8000/form.html"),
        ("http://127.0.0.1:8000/form.html", "127.0.0.1:8000/form.html"),
        ("http://127.0.0.1:80/form.html", "127.0.0.1/form.html"),
        ("localhost:3456", "localhost:3456"),
        ("https://www.Example.com/Order/7/", "example.com/Order/7"),
        ("example.com", "example.com"),
        ("xn--bcher-kva.example/shop", "xn--bcher-kva.example/shop"),
        ("bücher.example/shop", "bücher.example/shop"),
        ("[::1]:8080/a", "[::1]:8080/a"),
        ("devbox:8080/a", "devbox:8080/a"),
        ("Not secure example.com/pay", "example.com/pay"),
        ("△ Not secure | example.com/pay ☆", "example.com/pay"),
        ("① example.com/pay *", "example.com/pay"),
        ("O 127.0.0.1:8000/form.html", "127.0.0.1:8000/form.html"),
        ("File /home/ada/form.html", "file:///home/ada/form.html"),
        ("① File | /home/ada/form.html", "file:///home/ada/form.html"),
        ("file:///home/ada/form.html#top", "file:///home/ada/form.html"),
        ("chrome://settings/passwords", "chrome://settings/passwords"),
        ("about:blank", "about:blank"),
        ("shop.example/pay?id=7&utm_source=mail&q=alice", "shop.example/pay?id=7"),
        ("shop.example/pay?utm_source=mail", "shop.example/pay"),
    ],
)
def test_the_address_is_told_as_it_is_compared(read: str, address: str) -> None:
    assert shown(line("Harbour Post x +", y=20), line(read)) == address


@pytest.mark.parametrize(
    "read",
    [
        "",
        "Search Google or type a URL",
        "Harbour Post - Chromium",
        "form.html",
        "see example.com/pay for more",
        "example.com/a…",
        "3.5 kg",
        "999",
        "ada@example.com",
        "File",
    ],
)
def test_what_is_no_address_is_none(read: str) -> None:
    assert not shown(line(read))


def test_two_different_addresses_are_none() -> None:
    assert not shown(line("bank.example/pay", y=20), line("evil.example/pay"))
    assert shown(line("bank.example/pay", y=20), line("bank.example/pay")) == "bank.example/pay"


def test_an_address_in_the_page_is_none() -> None:
    assert not shown(line("bank.example/pay", y=200))


def test_another_windows_address_is_none() -> None:
    assert not shown(line("bank.example/pay", x=950))


def test_what_was_hardly_read_is_none() -> None:
    assert not shown(line("bank.example/pay", score=0.3))


def test_only_browsers_have_an_address() -> None:
    terminal = BROWSER.model_copy(update={"application": "XTerm"})
    assert not shown(line("bank.example/pay"), window=terminal)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.example/pay", "b.example/pay"),
        ("a.example/pay", "a.example.b.example/pay"),
        ("a.example:81/pay", "a.example:82/pay"),
        ("a.example/orders/7", "a.example/orders/8"),
        ("a.example/pay?id=7", "a.example/pay?id=8"),
        ("a.example/pay?id=7", "a.example/pay"),
        ("", "a.example"),
        ("", ""),
    ],
)
def test_other_pages_are_not_the_same(one: str, other: str) -> None:
    assert not same_address(one, other)
    assert not same_address(other, one)


def test_a_slash_at_the_end_makes_no_other_page() -> None:
    assert same_address("a.example/", "a.example")
    assert same_address("a.example/pay/", "a.example/pay")


@given(st.text(max_size=80))
def test_whatever_is_read_is_an_address_of_its_own_or_none(text: str) -> None:
    found = shown(line(text))
    assert not found or shown(line(found)) == found
