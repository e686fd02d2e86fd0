"""Which windows and programs are browsers: by their whole names, because parts of them are in many other names."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = frozenset(
    {
        # Chromium and what is built from it.
        *("chromium", "ungoogled-chromium", "chromium-freeworld", "chrome", "google-chrome", "chrome-for-testing"),
        *("google-chrome-for-testing", "brave", "brave-origin", "msedge", "microsoft-edge", "vivaldi", "opera"),
        *("opera-gx", "yandex-browser", "whale", "naver-whale"),
        *("thorium-browser", "iridium", "slimjet", "cromite", "supermium", "sidekick", "arc", "comet", "duckduckgo"),
        # Firefox and what is built from it. "Navigator" is the instance of the windows of all of them.
        *("navigator", "firefox", "firefoxdeveloperedition", "librewolf", "librewolf-community", "waterfox", "floorp"),
        *("zen", "icecat", "iceweasel", "abrowser", "palemoon", "pale-moon", "basilisk", "seamonkey", "k-meleon"),
        *("tor-browser", "torbrowser", "torbrowser-launcher", "mullvad-browser", "mullvadbrowser", "mozilla-firefox"),
        # Other engines.
        *("safari", "safari-technology-preview", "orion", "epiphany", "gnome-web", "konqueror", "falkon", "qupzilla"),
        *("qutebrowser", "midori", "otter", "angelfish", "privacybrowser", "luakit", "surf", "vimb", "nyxt", "badwolf"),
        *(
            "eolie",
            "ephemeral",
            "min",
            "netsurf",
            "dillo",
            "links",
            "links2",
            "ladybird",
            "servo",
            "servoshell",
            "iexplore",
        ),
        *("iexplore", "internet-explorer"),
    }
)
"""In lower case, a hyphen between two words."""
_IDS: Final = frozenset({"com.brave.browser", "com.microsoft.edge", "com.microsoft.edgemac", "ru.yandex.browser"})
"""Names of desktop files and bundles whose last part alone does not say that it is a browser."""
_VARIANT: Final = re.compile(
    r"-(?:browser|stable|release|beta|alpha|dev|developer|developer-edition|aurora|unstable|canary|snapshot|nightly"
    r"|twilight|esr|default|bin|real|wayland|x11|gtk[234]?)$"
)
"""Names of channels, builds and toolkits behind a browser's name."""


def is_browser(application: str) -> bool:
    r"""Whether it is a browser.

    Args:
        application: a window's class, its instance and class with ``\0`` between them, the name or path of a program,
            or the name of an application as its desktop shows it.

    """
    return any(_is_browser(name) for name in application.casefold().split("\0"))


def _is_browser(text: str) -> bool:
    name = re.split(r"[/\\]", text.strip())[-1]
    name = name.removesuffix(".exe").removesuffix(".app").removesuffix(".desktop")
    if name in _IDS:
        return True
    name = re.sub(r"[\s_]+", "-", name.rpartition(".")[2])
    while name not in _NAMES:
        shorter = _VARIANT.sub("", name)
        if shorter == name:
            return False
        name = shorter
    return True
