"""Windows that show what nobody but their user may see: password managers, private browsing, our own pages."""

from __future__ import annotations

import re
from typing import Final

_MANAGER: Final = re.compile(
    r"\b(?:1\s?password|keepass\w*|bitwarden|vaultwarden|lastpass|dashlane|nordpass|enpass|proton\s?pass|roboform"
    r"|seahorse|passwords and keys|kwallet\w*|gnome-?passwordsafe|password\s?safe|buttercup|keeper security"
    r"|keychain access|qtpass|zoho vault)\b",
    re.IGNORECASE,
)
_PRIVATE_WORDS: Final = (
    # Firefox appends "Private Browsing" in its language to every title of a private window, Edge "InPrivate"; Chrome
    # and Chromium name only the empty first tab ("New Incognito Tab"), and no window after it.
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
