"""Window classes as ``xprop WM_CLASS`` prints them, and names of programs and applications."""

import pytest

from adapters.desktop.browsers import FOUND
from core.recording.recorder import Exclusions, WindowFacts, exclusion_of
from core.window_kinds import is_browser

BROWSERS = [
    ("chromium", "Chromium"),
    ("chromium-browser", "Chromium-browser"),
    ("google-chrome", "Google-chrome"),
    ("google-chrome-beta", "Google-chrome-beta"),
    ("crx_cifhbcnohmdccbgoicgdjpfamggdegmo", "Google-chrome"),
    ("brave-browser", "Brave-browser"),
    ("brave-browser-nightly", "Brave-browser-nightly"),
    ("microsoft-edge", "Microsoft-edge"),
    ("microsoft-edge-dev", "Microsoft-edge-dev"),
    ("vivaldi-stable", "Vivaldi-stable"),
    ("vivaldi-snapshot", "Vivaldi-snapshot"),
    ("opera", "Opera"),
    ("opera-developer", "Opera developer"),
    ("yandex-browser", "Yandex-browser"),
    ("thorium-browser", "Thorium-browser"),
    ("Navigator", "firefox"),
    ("Navigator", "firefox-esr"),
    ("Navigator", "Firefox-esr"),
    ("firefox-nightly", "firefox-nightly"),
    ("Navigator", "firefox-developer-edition"),
    ("Navigator", "firefox-aurora"),
    ("Navigator", "librewolf"),
    ("Navigator", "waterfox"),
    ("Navigator", "floorp"),
    ("Navigator", "zen"),
    ("zen-beta", "zen-beta"),
    ("Navigator", "Pale moon"),
    ("Navigator", "IceCat"),
    ("Navigator", "Seamonkey"),
    ("Navigator", "Tor Browser"),
    ("Navigator", "Mullvad Browser"),
    ("epiphany", "Epiphany"),
    ("org.gnome.Epiphany", "org.gnome.Epiphany"),
    ("falkon", "falkon"),
    ("org.kde.falkon", "org.kde.falkon"),
    ("konqueror", "konqueror"),
    ("qutebrowser", "qutebrowser"),
    ("midori", "Midori"),
    ("surf", "Surf"),
    ("luakit", "Luakit"),
    ("dillo", "Dillo"),
    ("netsurf-gtk3", "Netsurf-gtk3"),
    ("org.mozilla.firefox", "org.mozilla.firefox"),
    ("com.brave.Browser", "com.brave.Browser"),
    ("app.zen_browser.zen", "app.zen_browser.zen"),
]
OTHERS = [
    ("arcade", "Arcade"),
    ("zenity", "Zenity"),
    ("zenmap", "Zenmap"),
    ("xarchiver", "Xarchiver"),
    ("ark", "ark"),
    ("mate-search-tool", "Mate-search-tool"),
    ("zotero", "Zotero"),
    ("ledger live desktop", "Ledger Live"),
    ("knowledge", "Knowledge"),
    ("sledgehammer", "Sledgehammer"),
    ("chromium-bsu", "Chromium-bsu"),
    ("chrome-remote-desktop", "Chrome-remote-desktop"),
    ("Mail", "thunderbird"),
    ("Mail", "Mozilla Thunderbird"),
    ("firewall-config", "Firewall-config"),
    ("operator", "Operator"),
    ("operations", "Operations Center"),
    ("anaconda-navigator", "Anaconda-Navigator"),
    ("openoffice-navigator", "Openoffice-navigator"),
    ("DB Browser for SQLite", "DB Browser for SQLite"),
    ("file-browser", "File-browser"),
    ("yandex-music", "Yandex-music"),
    ("thorium", "Thorium"),
    ("dia", "Dia"),
    ("minder", "com.github.phase1geo.minder"),
    ("surfshark", "Surfshark"),
    ("orionis", "Orionis"),
    ("marco", "Marco"),
    ("org.gnome.Nautilus", "org.gnome.Nautilus"),
    ("xterm", "XTerm"),
    ("gnome-terminal-server", "Gnome-terminal"),
    ("code", "Code"),
    ("libreoffice", "libreoffice-writer"),
    ("gimp", "Gimp-2.10"),
    ("keepassxc", "KeePassXC"),
    ("", ""),
]


@pytest.mark.parametrize(("instance", "name"), BROWSERS)
def test_a_browsers_window_class_is_one_with_and_without_its_instance(instance: str, name: str) -> None:
    assert is_browser(name)
    assert is_browser(f"{instance}\0{name}")


@pytest.mark.parametrize(("instance", "name"), OTHERS)
def test_another_programs_window_class_is_none_whatever_words_are_in_it(instance: str, name: str) -> None:
    assert not is_browser(name)
    assert not is_browser(f"{instance}\0{name}")


@pytest.mark.parametrize(
    "name",
    [
        *FOUND,
        *("/usr/lib/firefox-esr/firefox-esr", "/opt/google/chrome/chrome", "/opt/brave.com/brave/brave"),
        *(
            "/opt/vivaldi/vivaldi-bin",
            "firefox-bin",
            "Google Chrome",
            "Microsoft Edge",
            "Brave Browser",
            "Safari",
            "Arc",
        ),
        *("Arc", "Safari Technology Preview", "Firefox Developer Edition", "Zen Browser", "com.apple.Safari"),
        *("chrome.exe", "msedge.exe", r"C:\Program Files\Mozilla Firefox\firefox.exe", "Google Chrome.app"),
    ],
)
def test_a_browser_is_known_by_its_program_and_by_the_name_that_its_desktop_shows(name: str) -> None:
    assert is_browser(name)


@pytest.mark.parametrize(("instance", "name"), BROWSERS)
def test_a_private_window_of_any_browser_is_not_recorded(instance: str, name: str) -> None:
    window = WindowFacts(application=f"{instance}\0{name}", title="News - Private Browsing", command="")
    found = exclusion_of(window, Exclusions(usual=True))
    assert found is not None
    assert found.why == "private browsing"


@pytest.mark.parametrize(("instance", "name"), [("arcade", "Arcade"), ("zenity", "Zenity"), ("Mail", "thunderbird")])
def test_words_of_private_browsing_mean_nothing_in_another_programs_title(instance: str, name: str) -> None:
    window = WindowFacts(application=f"{instance}\0{name}", title="What private browsing does", command="")
    assert exclusion_of(window, Exclusions(usual=True)) is None
