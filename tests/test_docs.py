"""The documents are held against the code: what a user can set, call or run is written down, and nothing else is."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import mss
import pytest
import yaml
from fastapi.routing import APIRoute

from adapters.key_kinds import KEY_KINDS
from config.settings import Settings
from core.rules import Rules
from server.cli import COMMANDS
from server.dashboard.pages import ROOT as ROOT_OF_PAGES
from server.http import docs_page
from server.routes import (
    analysis,
    clients,
    dashboard,
    doctor,
    events,
    health,
    jobs,
    keys,
    learning,
    live_runs,
    memory,
    recorder,
    reload,
    replay,
    runs,
    samples,
    schedules,
    settings,
    tasks,
    workflows,
)
from tests.fakes.memory_daemon import until
from tests.fakes.scripted_jobs import ScriptedJobs
from tests.fakes.task_tools import TaskTable

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def routes() -> list[str]:
    routers = [
        module.router
        for module in (
            analysis,
            clients,
            doctor,
            dashboard,
            events,
            health,
            jobs,
            keys,
            learning,
            live_runs,
            memory,
            recorder,
            reload,
            replay,
            runs,
            samples,
            schedules,
            settings,
            tasks,
            workflows,
            docs_page,
        )
    ]
    served = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    # Pages and what they load are for browsers; "/" stands for them all.
    served = [route for route in served if not route.path.startswith(ROOT_OF_PAGES)]
    return sorted(f"{method} {route.path}" for route in served for method in route.methods or ())


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_in_the_readme_with_its_default(name: str) -> None:
    default = tomllib.loads((ROOT / "config" / "defaults.toml").read_text(encoding="utf-8"))[name]
    row = next((line for line in README.splitlines() if line.startswith(f"| `{name}`")), None)

    assert row, f"{name} has no row in README.md"
    assert row.split("|")[2].strip().strip("`") == str(default or "")


def test_the_readme_names_no_setting_that_does_not_exist() -> None:
    settings_table = README.split("## Settings", 1)[1].split("\n## ", 1)[0]
    documented = re.findall(r"^\| `([a-z_]+)`", settings_table, flags=re.MULTILINE)

    assert sorted(documented) == sorted(Settings.model_fields)


def test_every_field_of_the_rules_is_in_the_readme_with_its_default() -> None:
    table = README.split("## VaiderRules.json", 1)[1].split("\n## ", 1)[0]
    documented = dict(re.findall(r"^\| `([a-z_]+)` \| `?([^`|]*?)`? \|", table, flags=re.MULTILINE))
    fields = Rules.model_fields.items()

    assert documented == {name: "" if field.is_required() else json.dumps(field.default) for name, field in fields}


@pytest.mark.parametrize("name", KEY_KINDS)
def test_every_key_is_in_the_readme_with_its_variables(name: str) -> None:
    table = README.split("## Keys", 1)[1].split("\n## ", 1)[0]

    assert all(f"`{word}`" in table for word in (name, *KEY_KINDS[name].variables))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"`vaider {command}" in README or f"vaider {command} " in README


@pytest.mark.parametrize("route", routes())
def test_every_route_is_in_the_readme(route: str) -> None:
    assert f"`{route}`" in README, f"{route} is not in README.md"


def test_every_mcp_tool_is_in_the_readme_with_its_arguments() -> None:
    table = README.split("| MCP tool |", 1)[1].split("\n\n", 1)[0]
    tools = asyncio.run(TaskTable(ScriptedJobs(), ROOT / "nowhere").surface().list_tools())
    documented = {
        name: set(re.findall("`([a-zA-Z_]+)", row)) for name, row in re.findall(r"\| `([a-z_]+)` \|(.*)", table)
    }

    assert set(documented) == {tool.name for tool in tools}
    assert not [tool.name for tool in tools if not set(tool.input_schema["properties"]) <= documented[tool.name]]


def test_every_folder_on_the_architecture_page_exists_and_every_folder_is_on_it() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^\| `([a-z_]+)/`", page, flags=re.MULTILINE))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert packages <= drawn
    assert all((ROOT / folder).is_dir() for folder in drawn)


def test_every_file_that_the_architecture_page_names_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"\b(?:core|server|adapters|storage|mcp_tools|config)/[a-z_/]*[a-z_]+(?:\.py)?\b", page)

    missing = [name for name in named if not list(ROOT.glob(f"{name.removesuffix('.py')}*"))]
    assert not missing


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
    assert {service["build"]["target"] for service in services.values()} <= set(
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
