"""The half that is held out: three sites that the comparison was not built with, to be looked at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.sites import PINK, SERVED, Site, built, copied

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LIGHTHOUSE: Final = {
    "mkdocs.yml": "site_name: Lighthouse\ntheme: darkly\nmarkdown_extensions: [admonition]\n",
    "docs/index.md": "# Lighthouse\n\nHow the light is kept, by day and by night.\n\n- The lamp\n- The log\n",
    "docs/lamp.md": "# The lamp\n\nThe lamp turns once in twelve seconds.\n\n## Lighting it\n\n"
    "1. Draw the curtains\n2. Wind the clockwork\n3. Light the burner an hour before dusk\n\n"
    "| Part | Kept by |\n|---|---|\n| Lens | Mate |\n| Burner | Keeper |\n",
    "docs/log.md": "# The log\n\nEach watch writes down the wind and the ships.\n\n## Words\n\nPlain words will do.\n",
    "docs/stores.md": "# Stores\n\nOil comes in spring and in autumn.\n\n| Store | Casks |\n|---|---|\n| Oil | Six |\n",
}
_APIARY: Final = {
    "conf.py": 'project = "Apiary"\nhtml_theme = "alabaster"\n',
    "index.rst": "The apiary\n==========\n\nHow bees are kept through the year.\n\n"
    ".. toctree::\n\n   spring\n   summer\n   winter\n",
    "spring.rst": "Spring\n======\n\nThe first flight is on a warm day in March.\n\nFeeding\n-------\n\n"
    "Give them sugar until the willows are in blossom.\n\n* Look for the queen\n* Count the combs\n* Clean the floor\n",
    "summer.rst": "Summer\n======\n\nA swarm leaves before noon.\n\n.. note:: Listen for young queens at night.\n",
    "winter.rst": "Winter\n======\n\nNobody opens a hive in frost.\n\nMice\n----\n\nNarrow the entrance.\n",
    "lost.rst": ":orphan:\n\nNo such page\n============\n\nIt was taken out of the book last year.\n",
}


def _lighthouse(folder: Path, _: Mapping[str, str]) -> None:
    """A manual on dark ground."""
    built(folder, "lighthouse", _LIGHTHOUSE, "mkdocs", "build", "-q", "-d")


def _apiary(folder: Path, _: Mapping[str, str]) -> None:
    """A manual in letters with serifs."""
    built(folder, "apiary", _APIARY, "sphinx-build", "-q", ".")


HELD_OUT: Final = {
    scene.name: scene
    for scene in (
        Site("darkly", _lighthouse, SERVED, ("/", "/lamp/", "/log/", "/stores/"), "/404.html").scene(
            ("lamp", "log", "watch", "Lighting"),
            ("404", "not found", "lamp", "Lighting"),
            {
                "text": ("in twelve seconds=>in thirty seconds", "thirty"),
                "another text": ("Wind the clockwork=>Oil the clockwork", "Oil the clockwork"),
                "text of a heading": ("Lighting it=>Dousing it", "Dousing"),
                "colour of a state": (f"td{PINK}", "Lens", "Mate", "Burner", "Keeper"),
                "missing line": ("ol li:nth-child(1){visibility:hidden}", "curtains"),
            },
        ),
        Site(
            "alabaster",
            _apiary,
            SERVED,
            ("/index.html", "/spring.html", "/summer.html", "/winter.html"),
            "/lost.html",
        ).scene(
            ("Spring", "Summer", "swarm", "flight", "queen"),
            ("No such page", "taken out", "first flight", "Feeding"),
            {
                "text": ("warm day in March=>cold day in March", "cold day"),
                "another text": ("until the willows=>until the cherries", "cherries"),
                "text of a heading": (">Feeding<=>>Fasting<", "Fasting"),
                "colour of a state": (f"div.body p{PINK}", "first flight", "Give them sugar"),
                "missing line": ("div.body li:nth-child(2){visibility:hidden}", "Count the combs"),
            },
        ),
        Site(
            "business-casual",
            partial(copied, "startbootstrap-business-casual/dist", ("",)),
            SERVED,
            ("/index.html", "/products.html", "/store.html"),
            "/about.html",
        ).scene(
            ("Coffees", "Blended", "Come On In", "We're Open"),
            ("Coffees", "Blended"),
            {
                "text": ("Blended to Perfection=>Blended to Distraction", "Distraction"),
                "another text": ("Coffees & Teas=>Coffees & Cakes", "Cakes"),
                "text of a link": (">Products<=>>Produce<", "Produce"),
                "colour of a state": (f".bg-faded{PINK}", "Coffees", "Blended"),
                "missing line": (".section-heading-upper{visibility:hidden}", "Blended"),
            },
        ),
    )
}
