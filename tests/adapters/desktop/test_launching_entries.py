from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.desktop.launching import DesktopEntry, desktop_entries
from core.errors import ActionFailed


def entry(tmp_path: Path, line: str, **more: str) -> DesktopEntry:
    return write(tmp_path, "notes.desktop", Type="Application", Name="My Notes", Exec=line, **more)["notes"]


def write(tmp_path: Path, name: str, **fields: str) -> dict[str, DesktopEntry]:
    path = tmp_path / "applications" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{key}={value}\n" for key, value in fields.items())
    path.write_text(f"# a comment\n[Desktop Entry]\n{lines}[Desktop Action new]\nExec=other\n", encoding="utf-8")
    return found(tmp_path)


def found(*folders: Path) -> dict[str, DesktopEntry]:
    home, *shared = [str(folder) for folder in folders]
    return desktop_entries({"XDG_DATA_HOME": home, "XDG_DATA_DIRS": ":".join(shared) or "/nowhere", "PATH": "/usr/bin"})


@pytest.mark.parametrize(
    ("line", "arguments", "expected"),
    [
        ("notes", [], ["notes"]),
        ("notes --new %F", ["a b", "c"], ["notes", "--new", "a b", "c"]),
        ("notes %f", [], ["notes"]),
        ("notes %u -x", ["a"], ["notes", "a", "-x"]),
        ("notes -x", ["a", "b"], ["notes", "-x", "a", "b"]),
        ('"/opt/my notes/notes" "%F" %U', ["u"], ["/opt/my notes/notes", "%F", "u"]),
        (r'notes "a \\"b\\" \\$c \\`d"', [], ["notes", 'a "b" $c `d']),
        (r'notes "one \\\\ two"', [], ["notes", "one \\ two"]),
        (r"notes one\stwo", [], ["notes", "one", "two"]),
        ("notes 100%% %d %m -n%cx", [], ["notes", "100%", "-nMy Notesx"]),
        ("notes; rm -rf $HOME | cat > x", [], ["notes;", "rm", "-rf", "$HOME", "|", "cat", ">", "x"]),
    ],
)
def test_a_line_becomes_an_argument_list_by_the_specification(
    tmp_path: Path, line: str, arguments: Sequence[str], expected: Sequence[str]
) -> None:
    assert entry(tmp_path, line).argument_list(arguments) == expected


@pytest.mark.parametrize("line", ['notes "unclosed', "notes %z", "notes %", "%F", '""x', "%d", 'a"b"'])
def test_a_line_that_breaks_the_specification_is_refused_with_what_to_do(tmp_path: Path, line: str) -> None:
    with pytest.raises(ActionFailed, match="Name its program"):
        entry(tmp_path, line).argument_list([])


def test_the_icon_and_the_files_own_place_are_filled_in(tmp_path: Path) -> None:
    one = entry(tmp_path, "notes %i %k", Icon="pen")

    assert one.argument_list([]) == ["notes", "--icon", "pen", str(one.path)]


@pytest.mark.parametrize(
    "fields",
    [
        {"Type": "Link", "Exec": "notes"},
        {"Type": "Application", "Exec": "notes", "Hidden": "true"},
        {"Type": "Application", "Exec": "notes", "TryExec": "no-such-program-here"},
        {"Type": "Application"},
    ],
)
def test_what_cannot_be_started_is_not_offered(tmp_path: Path, fields: dict[str, str]) -> None:
    assert write(tmp_path, "notes.desktop", **fields) == {}


def test_the_users_own_entry_hides_the_systems_of_the_same_name(tmp_path: Path) -> None:
    write(tmp_path / "system", "notes.desktop", Type="Application", Name="System's", Exec="system-notes")
    write(tmp_path / "system", "kde/pad.desktop", Type="Application", Name="Pad", Exec="pad")
    write(tmp_path / "own", "notes.desktop", Type="Application", Exec="notes", Hidden="true")

    assert list(found(tmp_path / "own", tmp_path / "system")) == ["kde-pad"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[Desktop Entry", b"Exec=x\n", b"[Desktop Entry]\nExec\n"])
def test_a_file_that_is_no_entry_is_passed_over(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, "good.desktop", Type="Application", Name="Good", Exec="good")
    (tmp_path / "applications" / "bad.desktop").write_bytes(content)

    assert list(found(tmp_path)) == ["good"]
