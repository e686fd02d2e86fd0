"""The compose file: no Docker runs here, so that each thing it names is looked up where it must be."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.settings import load_settings
from server.commands.serve import serve
from server.farm.start import check_farm

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SHARED = ["team", "api", "worker", "database", "store"]
KNOWN = {
    *(
        "profiles",
        "build",
        "image",
        "command",
        "user",
        "restart",
        "init",
        "ports",
        "environment",
        "volumes",
        "depends_on",
    ),
    *("read_only", "tmpfs", "cap_drop", "security_opt", "mem_limit", "shm_size", "healthcheck", "stop_grace_period"),
}


def _dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8")


def _given(service: dict[str, Any]) -> dict[str, str]:
    """Its environment, with each variable's default."""
    text = {name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", str(value)) for name, value in service["environment"].items()}
    return {name: value for name, value in text.items() if value}


def test_each_service_says_what_compose_knows_and_names_what_exists() -> None:
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", _dockerfile(), flags=re.MULTILINE))
    for service in SERVICES.values():
        assert set(service) <= KNOWN
        assert service.get("build", {"target": "daemon"})["target"] in stages
        named = {volume.split(":")[0] for volume in service.get("volumes", []) if re.match(r"\w+:", volume)}
        assert named <= set(COMPOSE["volumes"])
        for needed, how in service.get("depends_on", {}).items():
            assert set(service["profiles"]) <= set(SERVICES[needed]["profiles"])
            assert how["condition"] == "service_healthy"
            assert "test" in SERVICES[needed]["healthcheck"]


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_service_has_no_privileges_a_limit_and_is_published_on_loopback_only(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert service["mem_limit"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


@pytest.mark.parametrize("name", ["api", "worker"])
def test_a_process_of_the_farm_has_a_command_and_settings_that_vaider_takes(name: str) -> None:
    service = SERVICES[name]
    program, command, *arguments = service["command"]
    assert (program, command) == ("vaider", "serve")
    role = serve.make_context("serve", list(arguments)).params["role"]
    assert role == name
    check_farm(load_settings(environment=_given(service)).with_role(role))


def test_the_farms_store_and_database_are_those_that_run_beside_it() -> None:
    given = _given(SERVICES["api"])
    store = _given(SERVICES["store"])
    database = _given(SERVICES["database"])
    assert given["AWS_ENDPOINT_URL"] == "http://store:9000"
    assert (given["AWS_ACCESS_KEY_ID"], given["AWS_SECRET_ACCESS_KEY"]) == (
        store["NANIO_ACCESS_KEY"],
        store["NANIO_SECRET_KEY"],
    )
    password = f"{database['POSTGRES_USER']}:{database['POSTGRES_PASSWORD']}"
    assert given["VAIDER_DATABASE_URL"] == f"postgresql://{password}@database/vaider"
    assert _given(SERVICES["team"])["VAIDER_DATABASE_URL"] == given["VAIDER_DATABASE_URL"]
    bucket = given["VAIDER_STORE_URL"].removeprefix("s3://").split("/")[0]
    assert f"/store/{bucket}" in _dockerfile()


def test_the_keys_of_providers_are_the_workers_alone() -> None:
    assert not [name for name in SERVICES["api"]["environment"] if name.endswith("_API_KEY")]
