import os
import signal
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from adapters.desktop.browsers import browser_arguments, find_browser
from adapters.desktop.children import Children, marked
from adapters.desktop.launching import Launcher, check_url
from adapters.desktop.process.child import desktop_environment
from adapters.desktop.x11.windows import WindowList
from core.actions import OpenApp, OpenUrl
from core.errors import ActionFailed, Cancelled
from core.screens import Window
from tests.canary import CANARY
from tests.clock import until
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.desktops.x_user import x_display


class Stage:
    """A display, a launcher on it, and folders that only it sees."""

    def __init__(self, display: str, folder: Path, patience_seconds: float = 20.0) -> None:
        self.folder = folder
        self.list = WindowList(display)
        for name in ("bin", "home", "profile", "share/applications"):
            (folder / name).mkdir(parents=True)
        self.environment = desktop_environment(os.environ) | {
            "DISPLAY": display,
            "HOME": str(folder / "home"),
            # It lets anybody in; by this its programs are found.
            "XAUTHORITY": str(folder / "cookie"),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "XDG_DATA_HOME": str(folder / "share"),
        }
        self.environment.pop("BROWSER", None)
        self.children = Children(kept=False)
        self.launcher = Launcher(
            children=self.children,
            environment=self.environment,
            windows=self.list.windows,
            profile=folder / "profile",
            patience_seconds=patience_seconds,
        )

    def open(self, name: str, *arguments: str) -> None:
        self.launcher.perform(OpenApp(name=name, arguments=arguments), nothing)

    def windows(self) -> list[Window]:
        return list(self.list.windows())

    def program(self, name: str, script: str) -> Path:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def entry(self, name: str, line: str, **more: str) -> None:
        fields = {"Type": "Application", "Name": name.title(), "Exec": line, **more}
        text = "".join(f"{key}={value}\n" for key, value in fields.items())
        (self.folder / "share" / "applications" / f"{name}.desktop").write_text(f"[Desktop Entry]\n{text}")


def nothing() -> None:
    """Nobody wants it to stop."""


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with x_display(1024, 700) as name:
        yield name


@contextmanager
def stage_on(display: str, folder: Path, patience_seconds: float) -> Generator[Stage]:
    stage = Stage(display, folder, patience_seconds)
    try:
        yield stage
    finally:
        for pid in marked(str(folder)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: not stage.children.reap() and not stage.windows())
        stage.list.close()


@pytest.fixture
def stage(display: str, tmp_path: Path) -> Iterator[Stage]:
    with stage_on(display, tmp_path, 20.0) as made:
        yield made


@pytest.fixture
def hasty(display: str, tmp_path: Path) -> Iterator[Stage]:
    with stage_on(display, tmp_path, 0.5) as made:
        yield made


@pytest.mark.screen
def test_a_program_is_there_when_it_was_opened(stage: Stage) -> None:
    stage.open("xterm", "-title", "mine; touch /tmp/x $HOME `id`", "-e", "cat")

    assert [window.title for window in stage.windows()] == ["mine; touch /tmp/x $HOME `id`"]


@pytest.mark.nightly
@pytest.mark.screen
def test_a_program_sees_no_key_of_ours(stage: Stage) -> None:
    assert CANARY in os.environ.values()
    seen = stage.folder / "seen"
    stage.program("tell", f"env > {seen}")
    stage.open("tell")

    assert CANARY not in seen.read_text()
    assert "VAIDER_" not in seen.read_text()


@pytest.mark.screen
def test_a_desktop_entry_is_opened_by_its_id_or_by_its_name(stage: Stage) -> None:
    stage.entry("pad", 'xterm -title "%c" -e sleep 60 %F', Name="My Pad")
    stage.open("my pad")
    stage.open("pad.desktop")

    assert [window.title for window in stage.windows()] == ["%c", "%c"]


@pytest.mark.screen
def test_an_entry_for_the_terminal_runs_in_one_and_in_its_folder(stage: Stage) -> None:
    said = stage.folder / "said"
    stage.program("told", f'pwd > {said}; echo "$1" >> {said}; exec sleep 60')
    stage.entry("told-entry", "told %f", Terminal="true", Path=str(stage.folder))
    stage.open("told-entry", "a b")
    until(lambda: said.exists() and said.read_text().count("\n") == 2)

    assert said.read_text().split("\n")[:2] == [str(stage.folder), "a b"]
    assert len(stage.windows()) == 1


@pytest.mark.screen
def test_a_program_that_does_not_exist_is_told_with_the_nearest_names(stage: Stage) -> None:
    stage.entry("teleprinter", "cat")

    with pytest.raises(ActionFailed, match=r"no program 'xtrem'.*xterm"):
        stage.open("xtrem")
    with pytest.raises(ActionFailed, match="teleprinter"):
        stage.open("teleprinte")


@pytest.mark.screen
@pytest.mark.parametrize("name", ["./xterm", "../bin/xterm", "xterm -e id", "xterm\0", "/", "-", "/etc/passwd", "~/x"])
def test_what_is_no_program_is_refused(stage: Stage, name: str) -> None:
    with pytest.raises(ActionFailed, match="There is no program"):
        stage.open(name)


@pytest.mark.screen
def test_an_argument_that_none_can_have_is_refused(stage: Stage) -> None:
    with pytest.raises(ActionFailed, match="no argument can have"):
        stage.open("xterm", "a\0b")


@pytest.mark.screen
def test_a_program_that_fails_at_once_is_told_with_its_exit_code(stage: Stage) -> None:
    stage.program("fails", "exit 3")

    with pytest.raises(ActionFailed, match="exit code 3"):
        stage.open("fails")


@pytest.mark.screen
def test_a_browser_that_fails_at_once_is_reported_with_its_last_line(stage: Stage) -> None:
    place = "[23488:23488:1123/123817.705291:ERROR:content/browser/zygote_host_impl_linux.cc:130]"
    stage.program("chromium", f"echo first >&2; echo '{place} No usable sandbox! Read this.' >&2; exit 1")

    with pytest.raises(ActionFailed, match=r"^chromium ended .* exit code 1: No usable sandbox! Read this\.$"):
        stage.launcher.perform(OpenUrl(url="about:blank"), nothing)


@pytest.mark.screen
def test_a_program_that_shows_no_window_is_not_waited_for_forever(hasty: Stage) -> None:
    hasty.program("shy", "exec sleep 60")

    with pytest.raises(ActionFailed, match="has shown no window"):
        hasty.open("shy")


@pytest.mark.screen
def test_waiting_for_a_window_stops_when_the_run_stops(stage: Stage) -> None:
    stage.program("shy", f"touch {stage.folder / 'started'}; exec sleep 60")

    def stop() -> None:
        if (stage.folder / "started").exists():
            raise Cancelled("Stop.")

    with pytest.raises(Cancelled):
        stage.launcher.perform(OpenApp(name="shy"), stop)


@pytest.mark.nightly
@pytest.mark.screen
def test_a_second_address_opens_in_the_same_browser_with_a_profile_of_its_own(stage: Stage) -> None:
    require_browser_sandbox()
    for name in ("First page", "Second page"):
        page = stage.folder / f"{name.split()[0]}.html"
        page.write_text(f"<title>{name}</title>", encoding="utf-8")
        stage.launcher.perform(OpenUrl(url=page.as_uri()), nothing)
    until(lambda: any("Second page" in window.title for window in stage.windows()))

    assert [window.title.partition(" - ")[0] for window in stage.windows()] == ["Second page"]
    assert (stage.folder / "profile" / "Default").is_dir()
    assert not list((stage.folder / "home").rglob("chromium/Default"))


@pytest.mark.parametrize(
    "url", ["http://a", "https://a.example/b?c=d#e", "file:///home/a/b.html", "file://localhost/a", "about:blank"]
)
def test_an_address_of_the_web_or_of_a_file_may_be_opened(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "mailto:a@b.example",
            "javascript:alert(1)",
            "data:text/html,x",
            "chrome://settings",
            "ftp://a/b",
            "a.example",
        ),
        *("--incognito", "http://", "https:///x", "file://server/share", "http://a b", "http://a\nb", "http://[", "x:"),
        *("HTTPX://a", "view-source:http://a", "http:// a", "\thttp://a"),
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(ActionFailed):
        check_url(url)


def test_the_browser_is_the_one_that_was_named_then_the_users_then_what_is_found(tmp_path: Path) -> None:
    for name in ("one", "two", "firefox"):
        (tmp_path / name).touch(mode=0o755)
    environment = {"PATH": str(tmp_path), "BROWSER": "missing:two --new-window %s:one"}

    assert find_browser("one", environment) == [f"{tmp_path}/one"]
    assert find_browser("", environment) == [f"{tmp_path}/two", "--new-window"]
    assert find_browser("", {"PATH": str(tmp_path), "BROWSER": "'unclosed"}) == [f"{tmp_path}/firefox"]
    with pytest.raises(ActionFailed, match="'three'"):
        find_browser("three", environment)
    with pytest.raises(ActionFailed, match="apt-get install chromium"):
        find_browser("", {"PATH": "/nowhere"})


def test_the_users_own_browser_keeps_the_users_profile(tmp_path: Path) -> None:
    as_root = os.getuid() == 0

    assert ("--no-sandbox" in browser_arguments("/usr/bin/chromium", None)) is as_root
    assert not any("user-data-dir" in one for one in browser_arguments("/usr/bin/chromium", None))
    assert browser_arguments("/usr/bin/firefox", None) == ()
    assert browser_arguments("/usr/bin/firefox", tmp_path) == ("--profile", str(tmp_path))
    assert 'user_pref("toolkit.telemetry.enabled", false);' in (tmp_path / "user.js").read_text()
