"""The documents are held against the code: what a user can set, call or run is written down, and nothing else is."""

import ast
import functools
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import mss
import pytest
import yaml

from adapters.keys import KEY_KINDS
from core.rules import Rules
from server.cli import COMMANDS
from tests.clock import until

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@functools.cache
def _reference() -> dict[str, str]:
    """The pages as the code makes them, made once."""
    return runpy.run_path(str(ROOT / "scripts" / "reference"))["pages"]()


@pytest.mark.parametrize("name", ["commands.md", "http.md", "mcp.md", "settings.md"])
def test_the_reference_is_what_the_code_says(name: str) -> None:
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == _reference()[name], "run: make reference"


def test_every_route_has_a_summary() -> None:
    reference = (ROOT / "docs" / "reference" / "http.md").read_text(encoding="utf-8")

    assert not re.findall(r"^## `.*`\n\n +$", reference, flags=re.MULTILINE)


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 250
    assert len(README) <= 14_000


def test_every_field_of_the_rules_is_documented_with_its_default() -> None:
    table = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8").split("## VaiderRules.json", 1)[1]
    documented = dict(re.findall(r"^\| `([a-z_]+)` \| `?([^`|]*?)`? \|", table, flags=re.MULTILINE))
    fields = Rules.model_fields.items()

    assert documented == {name: "" if field.is_required() else json.dumps(field.default) for name, field in fields}


@pytest.mark.parametrize("name", KEY_KINDS)
def test_every_key_is_documented_with_its_variables(name: str) -> None:
    table = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")

    assert all(f"`{word}`" in table for word in (name, *KEY_KINDS[name].variables))


def test_every_folder_on_the_architecture_page_exists_and_every_folder_is_on_it() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^\| `([a-z_]+)/`", page, flags=re.MULTILINE))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert packages <= drawn
    assert all((ROOT / folder).is_dir() for folder in drawn)


def test_the_architecture_page_is_one_page() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")) <= 6_000


def test_every_file_that_the_architecture_page_names_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"\b(?:core|server|adapters|storage|mcp_tools|config)/[a-z_0-9/]*[a-z_0-9]+(?:\.py)?\b", page)

    assert not [name for name in named if not (ROOT / name).exists()]


def _names_of(path: Path) -> set[str]:
    """What a module defines: its functions, classes and values, and the methods of its classes."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.ClassDef(name=name, body=body):
                names |= {name} | {f"{name}.{part.name}" for part in body if isinstance(part, ast.FunctionDef)}
                names |= {f"{name}.{part.name}" for part in body if isinstance(part, ast.AsyncFunctionDef)}
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case _:
                pass
    return names


def test_every_file_and_name_on_the_finding_page_exists() -> None:
    page = (ROOT / "docs" / "finding.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "`" in line]
    found = [re.search(r"\| `([a-z0-9_/]+\.py)` \| `([\w.]+)` \|$", row) for row in rows]

    assert rows
    assert not [row for row, match in zip(rows, found, strict=True) if match is None]
    assert not [match[0] for match in found if match and match[2] not in _names_of(ROOT / match[1])]


def test_each_decision_is_listed_once_by_its_title() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(
        r"^- \[(\d+)\]\((.+?)\) (.+)$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    files = sorted(folder.glob("[0-9]*.md"))
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in files]

    assert sorted(name for _, name, _ in listed) == [path.name for path in files]
    assert sorted(f"# {number}. {title}" for number, _, title in listed) == sorted(titles)


def test_every_link_between_the_documents_leads_somewhere() -> None:
    link = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [(page, target) for page in pages for target in link.findall(page.read_text(encoding="utf-8"))]

    assert not [f"{page.name} -> {target}" for page, target in links if not (page.parent / target).exists()]


@pytest.mark.parametrize("name", ["daemon", "desktop"])
def test_the_daemons_container_is_published_on_loopback_only_and_without_privileges(name: str) -> None:
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"][name]

    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True


def test_the_container_with_a_desktop_is_started_only_by_its_profile() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert services["desktop"]["profiles"] == ["desktop"]
    assert "profiles" not in services["daemon"]
    assert {services[name]["build"]["target"] for name in ("daemon", "desktop")} <= set(
        re.findall(r"^FROM \S+ AS (\w+)$", dockerfile, flags=re.MULTILINE)
    )


@pytest.mark.screen
def test_the_containers_desktop_is_ready_for_the_command_it_is_given(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, then in (("x11vnc", ":"), ("openbox", f'exec {shutil.which("openbox")} "$@"')):
        # Where Debian's menu is not installed, openbox says so on its standard output.
        script = f"#!/bin/sh\necho this is {name}\ntouch {tmp_path}/{name}\n{then}\n"
        (programs / name).write_text(script, encoding="utf-8")
        (programs / name).chmod(0o755)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "VAIDER_DATA_DIR": str(tmp_path / "data"),
        "VAIDER_DISPLAY_SIZE": "800x600",
    }
    started = subprocess.Popen(
        # It ends with its whole group, as a container does with all that runs in it.
        [str(ROOT / "docker" / "desktop.sh"), "sh", "-c", "echo $DISPLAY; cat"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: (tmp_path / "x11vnc").exists() and (tmp_path / "openbox").exists())
        assert started.stdout is not None
        display = started.stdout.readline().decode().strip()
        grabber: Any = mss.MSS(display=display)
        with grabber:
            assert (grabber.monitors[0]["width"], grabber.monitors[0]["height"]) == (800, 600)
        password = tmp_path / "data" / "desktops" / "viewer-password"
        assert re.fullmatch("[A-Za-z0-9]{8}", password.read_text(encoding="ascii"))
        assert password.stat().st_mode & 0o077 == 0
    finally:
        os.killpg(started.pid, signal.SIGTERM)
        rest, _ = started.communicate(timeout=10)
    assert rest == b""


def test_the_dockerfile_copies_what_it_builds_and_runs_a_command_that_exists() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    known = {"FROM", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}
    instructions = [line.split()[0] for line in lines if re.match(r"[A-Z]+ ", line)]
    command = re.search(r'^CMD \["vaider", "(\w+)"\]$', "\n".join(lines), flags=re.MULTILINE)

    assert set(instructions) <= known
    assert command
    assert command[1] in COMMANDS


def test_the_constraints_pin_exact_versions_and_name_no_index() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]

    assert all(re.fullmatch(r"[A-Za-z0-9_.\-]+==[^\s=]+", pin) for pin in pins)
    assert not [line for line in lines if "://" in line]
