"""The pages of the comparison benchmark: what a person does there, and the changes that are planted, by application."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

OUT: Final = Path(__file__).parents[1] / "out" / "compare"
NPM: Final = OUT / "npm" / "node_modules"
OWN: Final = Path(__file__).parent / "shop.html"


@dataclass(frozen=True)
class Change:
    """One planted change: its name, and any of the kinds and words that name it."""

    name: str
    kinds: Sequence[str]
    words: Sequence[str] = ()
    """One of these must be in a sentence of the kind; none where what was planted has no words."""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Scene:
    """One application."""

    name: str
    play: Callable[[Page, Callable[[float], None], Mapping[str, str]], None]
    changes: Sequence[Change]
    takes: int = 4
    """How often the same is recorded without a change."""


def banner(page: Page, options: Mapping[str, str]) -> None:
    """What differs from run to run on pages that have nothing of the kind themselves."""
    page.evaluate(
        """words => { const bar = document.createElement("div"); bar.textContent = words
        bar.style = "position:fixed;left:0;bottom:0;z-index:9999;background:#fff;color:#222;font:16px sans;padding:4px"
        document.body.append(bar) }""",
        f"Session {options['date']}",
    )


def flash(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """An error that stands for a moment."""
    if "flash" in options:
        page.evaluate(
            """() => { const bar = document.createElement("div"); bar.textContent = "Connection lost, trying again"
            bar.style = "position:fixed;left:30%;top:40%;z-index:9999;background:#b3261e;color:#fff;font:20px sans"
            document.body.append(bar); setTimeout(() => bar.remove(), 500) }"""
        )
        wait(0.8)


def plant(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """A script of the change, in the page, when that has drawn itself: it may draw over it, or a recording lack it."""
    if script := options.get("script"):
        wait(0.3)
        page.evaluate(script)


def shop(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """An order is placed."""
    names = ("date", "id", "after", "text", "colour", "quiet", "page")
    query = "&".join(f"{key}={value.replace('#', '%23')}" for key, value in options.items() if key in names)
    page.goto(f"{OWN.as_uri()}?{query}")
    wait(1.2)
    fields = [("#name", "Ada Lovelace"), ("#town", "Leeds")]
    for selector, text in reversed(fields) if "swap" in options else fields:
        page.fill(selector, text)
        wait(1)
    flash(page, wait, options)
    page.click("#save")
    wait(4.5)


def admin(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """Three pages of a dashboard are visited."""
    root = NPM / "startbootstrap-sb-admin-2"
    steps = ["buttons.html", "cards.html", "utilities-border.html"]
    if "swap" in options:
        steps = [steps[1], steps[0], steps[2]]
    if "page" in options:
        steps[1] = "404.html"
    for number, step in enumerate(steps):
        if number == 1:
            wait(float(options.get("late", "0")))
        page.goto((root / step).as_uri())
        page.add_style_tag(content="*{transition:none!important;animation:none!important}")
        banner(page, options)
        if number == 1:
            plant(page, wait, options)
        wait(1.8)
        if number == 1:
            flash(page, wait, options)


def wiki(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """A wiki's tabs are opened."""
    page.goto((OUT / "wiki" / "index.html").as_uri())
    page.wait_for_selector("text=GettingStarted")
    banner(page, options)
    wait(1.5)
    tabs = ["Tools", "Recent", "More"]
    if "swap" in options:
        tabs = ["Recent", "Tools", "More"]
    if "page" in options:
        tabs[1] = "Open"
    for number, tab in enumerate(tabs):
        if number == 1:
            wait(float(options.get("late", "0")))
        page.click(f"button[role=tab]:text-is('{tab}'), .tc-tab-buttons button:text-is('{tab}')")
        if number == 1:
            plant(page, wait, options)
        wait(1.6)
        if number == 1:
            flash(page, wait, options)


def swagger(page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
    """Operations of an interface are opened and closed."""
    page.goto((OUT / "swagger.html").as_uri())
    page.wait_for_selector(".opblock")
    page.add_style_tag(content="*{transition:none!important;animation:none!important}")
    banner(page, options)
    wait(1.5)
    opened = [".opblock-get", ".opblock-post", ".opblock-delete"]
    if "swap" in options:
        opened = [opened[1], opened[0], opened[2]]
    if "page" in options:
        opened[1] = ".opblock-put"
    for number, selector in enumerate(opened):
        if number == 1:
            wait(float(options.get("late", "0")))
        page.click(f"{selector} .opblock-summary-control")
        wait(0.3)
        if number == 1:
            plant(page, wait, options)
        wait(1.4)
        page.click(f"{selector} .opblock-summary-control")
        wait(0.8)
        if number == 1:
            flash(page, wait, options)


def _scripted(name: str, script: str, *words: str) -> Change:
    return Change(name, ("changed", "new", "gone"), words, {"script": script})


def _common(order: Sequence[str], page: Sequence[str]) -> Sequence[Change]:
    return (
        Change("slower", ("slower",), (), {"late": "1.3"}),
        Change("order", ("order",), order, {"swap": "1"}),
        Change("another page", ("new", "gone", "changed"), page, {"page": "1"}),
        Change("flash of an error", ("new",), ("Connection lost",), {"flash": "1"}),
    )


_OF: Final = "document.querySelector"
SCENES: Final = {
    scene.name: scene
    for scene in (
        Scene(
            "shop",
            shop,
            (
                Change("text", ("changed",), ("rejected",), {"text": "Sorry, your order is rejected"}),
                Change("colour of a state", ("changed",), ("Accepted",), {"colour": "#e58f8f"}),
                Change("missing toast", ("gone",), ("Mail was sent",), {"quiet": "1"}),
                Change("slower", ("slower",), (), {"after": "2100"}),
                Change("order", ("order",), ("Ada Lovelace", "Leeds"), {"swap": "1"}),
                Change("another page", ("new", "gone", "changed"), ("site can", "refused"), {"page": "https://localhost:1/"}),
                Change("flash of an error", ("new",), ("Connection lost",), {"flash": "1"}),
            ),
        ),
        Scene(
            "swagger-ui",
            swagger,
            (
                _scripted("text", f"{_OF}('.title').firstChild.textContent='Pet shop'", "Pet shop"),
                _scripted(
                    "colour of a state", f"{_OF}('.opblock-get .opblock-summary-method').style.background='#a33'", "GET"
                ),
                *_common(("/pets", "/orders", "/clinics", "/visits", "Parameters"), ("/visits", "put")),
            ),
        ),
        Scene(
            "tiddlywiki",
            wiki,
            (
                _scripted("text", f"{_OF}('.tc-site-subtitle').textContent='a broken notebook'", "broken"),
                _scripted("colour of a state", f"{_OF}('.tc-site-title').style.background='#a33'", "TiddlyWiki"),
                *_common(("Tools", "Recent", "control panel"), ("GettingStarted", "Open", "close all")),
            ),
        ),
        Scene(
            "sb-admin-2",
            admin,
            (
                _scripted("text", f"{_OF}('h1').textContent='Basket'", "Basket"),
                _scripted("colour of a state", f"{_OF}('.badge-counter').style.background='#0a0'", "3+", "at 7"),
                *_common(("Buttons", "Cards", "Border"), ("404", "Not Found", "Cards")),
            ),
        ),
    )
}  # fmt: skip
