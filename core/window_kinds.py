"""Which windows and programs are browsers, and which windows have private content."""

import re
from fnmatch import fnmatchcase
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


_MANAGER: Final = re.compile(
    r"\b(?:1\s?password|keepass\w*|bitwarden|vaultwarden|lastpass|dashlane|nordpass|enpass|proton\s?pass|roboform"
    r"|seahorse|passwords and keys|kwallet\w*|gnome-?passwordsafe|password\s?safe|buttercup|keeper security"
    r"|keychain access|qtpass|zoho vault)\b",
    re.IGNORECASE,
)
_PRIVATE_WORDS: Final = (
    # Firefox appends "Private Browsing" in its language to every title of a private window, Edge "InPrivate"; Chrome
    # and Chromium name only the empty first tab ("New Incognito Tab"), but no later window.
    *("private browsing", "private window", "incognito", "inprivate", "private mode", "tor browser"),
    *("privater modus", "privates fenster", "privates surfen", "inkognito"),
    *("navigation privée", "fenêtre privée", "navigation en mode privé", "mode privé"),
    *("navegación privada", "ventana privada", "incógnito", "navegación de incógnito"),
    *("navegação privada", "navegação privativa", "janela privativa", "janela privada", "janela anônima", "anônima"),
    *("navigazione anonima", "finestra anonima", "navigazione in incognito", "navigazione privata"),
    *("privénavigatie", "privévenster", "privé browsen", "incognitotabblad"),
    *(
        "privat surfning",
        "privat surfing",
        "privat nettlesing",
        "privat browsing",
        "yksityinen selaus",
        "privat vindue",
    ),
    *("prywatne przeglądanie", "okno prywatne", "tryb prywatny", "anonymní", "anonymní prohlížení", "súkromné"),
    *("privát böngészés", "inkognitó", "navigare privată", "navigare incognito", "özel gezinti", "gizli sekme"),
    *("приватный просмотр", "приватное окно", "инкогнито", "інкогніто", "приватний перегляд", "частно сърфиране"),
    *("ιδιωτική περιήγηση", "ανώνυμη περιήγηση", "גלישה פרטית", "גלישה בסתר", "التصفح الخاص", "التصفح المتخفي"),
    *("プライベートブラウジング", "プライベートウィンドウ", "シークレット", "隐私浏览", "无痕", "隱私瀏覽", "無痕"),
    *("사생활 보호", "시크릿", "निजी ब्राउज़िंग", "गुप्त", "การเรียกดูแบบส่วนตัว", "ไม่ระบุตัวตน", "duyệt web riêng tư", "ẩn danh"),
    *("penjelajahan pribadi", "samaran", "penyamaran"),
)
_BEGINS: Final = r"(?<!\w)"
_UNSPACED: Final = 0x0900
"""The scripts from here on that these words are of put no blanks between words."""
_PRIVATE: Final = re.compile(
    "|".join(f"{'' if ord(word[0]) >= _UNSPACED else _BEGINS}{re.escape(word)}" for word in _PRIVATE_WORDS),
    re.IGNORECASE,
)
_PRIVATE_OPTIONS: Final = re.compile(
    r"(?:^|[\s\0])-{1,2}(?:incognito|inprivate|private|private-window|private-instance|incognito-mode)(?=$|[\s\0=])"
)
_OUR_PAGE: Final = re.compile(r"^Vaider(?:\s*[-\u2013\u2014|·:].*)?$", re.IGNORECASE)


def is_manager(text: str) -> bool:
    """Whether a title or a name is that of a password manager."""
    return _MANAGER.search(text) is not None


def is_private_title(title: str) -> bool:
    """Whether a browser says in a window's title, in any of its languages, that it browses in private there."""
    return _PRIVATE.search(title) is not None


def starts_private(command: str) -> bool:
    """Whether a browser was started for private browsing, by its arguments, between which zeros or blanks stand."""
    return _PRIVATE_OPTIONS.search(command) is not None


def is_our_page(title: str) -> bool:
    """Whether a browser shows a page of the daemon."""
    return _OUR_PAGE.match(title) is not None


TERMINALS: Final = (
    "xterm", "uxterm", "gnome-terminal*", "konsole", "alacritty", "kitty", "urxvt", "st*-256color", "terminator",
    "xfce4-terminal", "foot", "wezterm*", "tilix", "terminal", "iterm*", "powershell", "cmd", "windowsterminal*",
)  # fmt: skip


def is_terminal(application: str) -> bool:
    """Whether a window's program is a terminal, by the name of its class."""
    return any(fnmatchcase(application.lower(), each) for each in TERMINALS)
