"""``vaider init``: files of a project, written without harm."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules import read_rules
from server.setup.init import laid_out, with_member
from tests.fakes.daemons.commands import vaider

CURSOR = {"url": "http://127.0.0.1:3456/mcp", "headers": {"Vaider-Project": "${workspaceFolder}"}}
CLAUDE = {"type": "http", **CURSOR, "headers": {"Vaider-Project": "${PWD:-}"}}
STDIO = {"command": "vaider", "args": ["mcp", "--stdio"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def init(project: Path, *arguments: str) -> str:
    done = vaider("init", *arguments, cwd=project)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_empty_project_gets_what_cursor_and_claude_code_really_read(project: Path) -> None:
    text = init(project)
    assert read(project / ".cursor" / "mcp.json") == {"mcpServers": {"vaider": CURSOR}}
    assert read(project / ".mcp.json") == {"mcpServers": {"vaider": CLAUDE}}
    assert read_rules(project / "VaiderRules.json").enabled
    assert text.count("made") == 5


def test_doing_it_again_changes_nothing(project: Path) -> None:
    init(project)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in project.rglob("*.json")}
    init(project)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in project.rglob("*.json")} == before


def test_what_is_there_stays_with_its_indent_and_its_line_ends(project: Path) -> None:
    text = '{\r\n\t"inputs": 1,\r\n\t"mcpServers": {\r\n\t\t"other": {\r\n\t\t\t"command": "ä"\r\n\t\t}\r\n\t}\r\n}\r\n'
    (project / ".mcp.json").write_bytes(text.encode())
    (project / ".mcp.json").chmod(0o600)
    init(project, "--client", "claude-code")
    after = (project / ".mcp.json").read_bytes().decode()
    assert after.startswith(text[: text.index("\t\t}") + len("\t\t}")])
    assert after.endswith("}\r\n")
    assert list(read(project / ".mcp.json")["mcpServers"]) == ["other", "vaider"]
    assert "\n" not in after.replace("\r\n", ""), "line ends stay what they were"
    assert (project / ".mcp.json").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in project.iterdir()} == {".mcp.json", "CLAUDE.md", "VaiderRules.json"}


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {"other": {"args": [ "a","b" ]}}}', '\ufeff{\n "a": 1,\n "a": 2\n}', '{\n  "a": 1.50\n}']
)
def test_a_file_whose_layout_cannot_stay_is_kept_as_it_was(project: Path, text: str) -> None:
    (project / ".mcp.json").write_text(text, encoding="utf-8")
    (project / ".mcp.json").chmod(0o600)
    sentence = init(project, "--client", "claude-code")
    backup = project / ".mcp.json.before-vaider"
    assert backup.name in sentence
    assert backup.read_text(encoding="utf-8") == text
    assert backup.stat().st_mode & 0o777 == 0o600
    before = json.loads(text.removeprefix("\ufeff"))
    after = json.loads((project / ".mcp.json").read_text(encoding="utf-8").removeprefix("\ufeff"))
    ours = after["mcpServers"].pop("vaider")
    assert ours == CLAUDE
    assert after == {"mcpServers": {}} | before


def test_the_drafted_shape_tells_where_the_daemon_is(project: Path) -> None:
    (project / ".cursor").mkdir()
    drafted = {"tools": {"vaider": {"transport": "http", "url": "http://localhost:4000"}}}
    (project / ".cursor" / "mcp.json").write_text(json.dumps(drafted))
    init(project)
    found = read(project / ".cursor" / "mcp.json")
    assert found == {**drafted, "mcpServers": {"vaider": {**CURSOR, "url": "http://localhost:4000/mcp"}}}
    assert read(project / ".mcp.json")["mcpServers"]["vaider"]["url"] == "http://localhost:4000/mcp"


def test_an_entry_of_ones_own_stays_until_one_says_otherwise(project: Path) -> None:
    own = {"url": "http://build-host:9000/mcp", "headers": {"X-Team": "a"}, "disabled": False}
    (project / ".cursor").mkdir()
    (project / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"vaider": own}}))
    init(project)
    assert read(project / ".cursor" / "mcp.json")["mcpServers"]["vaider"] == own
    init(project, "--port", "4001")
    moved = {
        **own,
        "url": "http://127.0.0.1:4001/mcp",
        "headers": {"Vaider-Project": "${workspaceFolder}", "X-Team": "a"},
    }
    assert read(project / ".cursor" / "mcp.json")["mcpServers"]["vaider"] == moved
    init(project, "--stdio")
    assert read(project / ".cursor" / "mcp.json")["mcpServers"]["vaider"] == {"disabled": False, **STDIO}
    init(project, "--http")
    assert read(project / ".cursor" / "mcp.json")["mcpServers"]["vaider"] == {"disabled": False, **CURSOR}


def test_what_a_daemon_elsewhere_or_a_header_cannot_take_is_not_said_of_the_project(project: Path) -> None:
    init(project, "--host", "vaider.example", "--client", "cursor")
    headers = read(project / ".cursor" / "mcp.json")["mcpServers"]["vaider"]["headers"]
    assert headers == {"Authorization": "Bearer ${env:VAIDER_TOKEN}"}
    (project / "商店").mkdir()
    init(project / "商店", "--client", "cursor")
    assert "headers" not in read(project / "商店" / ".cursor" / "mcp.json")["mcpServers"]["vaider"]


def test_a_dry_run_shows_the_difference_and_writes_nothing(project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {}}')
    text = init(project, "--dry-run")
    assert '+    "vaider": {' in text.replace("\t", "  ")
    assert [path.name for path in project.rglob("*") if path.is_file()] == [".mcp.json"]
    assert (project / ".mcp.json").read_text() == '{"mcpServers": {}}'


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{ // my servers\n  "mcpServers": {} }', "not plain JSON"),
        (b'{"mcpServers": {},}', "not plain JSON"),
        (b"[]", "no object"),
        (b'{"mcpServers": []}', "no object"),
        (b'{"most": 1e999}', "not plain JSON"),
        ('{"half": "\\ud800", "ä": 1}'.encode(), "not plain JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone_with_what_to_add(
    project: Path, content: bytes, why: str
) -> None:
    (project / ".mcp.json").write_bytes(content)
    done = vaider("init", cwd=project)
    assert done.returncode == 2
    assert why in done.stderr
    assert '"url": "http://127.0.0.1:3456/mcp"' in done.stderr
    assert (project / ".mcp.json").read_bytes() == content
    assert (project / ".cursor" / "mcp.json").exists(), "the other files are written all the same"


def test_a_link_that_leads_out_of_the_project_is_not_followed(project: Path) -> None:
    outside = project.parent / "global.json"
    outside.write_text("{}")
    (project / ".mcp.json").symlink_to(outside)
    done = vaider("init", cwd=project)
    assert done.returncode == 2
    assert "leads out of the project" in done.stderr
    assert outside.read_text() == "{}"


def test_rules_of_ones_own_stay_and_broken_ones_are_told_of(project: Path) -> None:
    (project / "vaider.rules.json").write_text('{"video_trigger_pattern": "out/*.webm"}')
    init(project)
    assert not (project / "VaiderRules.json").exists(), "two names for the rules would contradict each other"
    (project / "vaider.rules.json").write_text('{"video_trigger": 1}')
    done = vaider("init", cwd=project)
    assert done.returncode == 2
    assert "line 1" in done.stderr


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = vaider("init", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere is no directory" in done.stderr


@given(
    # The delete sign is ASCII, and json escapes it as if it were not.
    whole=st.dictionaries(st.text(max_size=5) | st.just("\x7f"), VALUES, max_size=4),
    indent=st.sampled_from([None, 2, 4, "\t"]),
    value=VALUES,
    data=st.data(),
)
def test_setting_one_member_of_a_json_text_keeps_all_others(
    whole: dict[str, Any], indent: str | int | None, value: Any, data: st.DataObject
) -> None:
    objects = [name for name, member in whole.items() if isinstance(member, dict)]
    outer = data.draw(st.sampled_from([*objects, "a new one"]))
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    expected = json.loads(text)
    expected.setdefault(outer, {})["member"] = value
    changed = with_member(text, (outer, "member"), value)
    assert text == laid_out(whole, like=text) or indent is None
    assert json.loads(changed) == expected
    assert list(json.loads(changed)) == list(expected), "the order stays"
