"""Over HTTP the client's configuration says which project it is in, so that a model may name paths below it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.fakes.daemons.commands import daemon
from tests.fakes.daemons.served import text_of

pytestmark = [pytest.mark.anyio, pytest.mark.programs]


Headers = dict[str, str] | dict[bytes, bytes]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with daemon(tmp_path_factory.mktemp("data")) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@asynccontextmanager
async def client_of(url: str, headers: Headers, era: str = "auto") -> AsyncGenerator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


async def answered(url: str, headers: Headers, path: str, era: str = "auto", tool: str = "analyse_video") -> str:
    async with client_of(url, headers, era) as client:
        return text_of(await client.call_tool(tool, {"path": path}))


@pytest.mark.parametrize("era", [pytest.param("legacy", marks=pytest.mark.nightly), "auto"])
async def test_a_relative_path_is_below_the_project_that_the_header_names(url: str, era: str) -> None:
    said = await answered(url, {"Vaider-Project": "/home/me/shop"}, "test-results/none.webm", era)
    assert "There is no file '/home/me/shop/test-results/none.webm'" in said
    looked = await answered(url, {"Vaider-Project": "/home/me/shop"}, "none.webm", era, "look")
    assert "There is no file '/home/me/shop/none.webm'" in looked


async def test_letters_of_other_alphabets_are_read_in_either_encoding(url: str) -> None:
    for sent in ("/home/me/é".encode(), "/home/me/é".encode("latin-1")):
        said = await answered(url, {b"Vaider-Project": sent}, "none.webm")
        assert "There is no file '/home/me/é/none.webm'" in said


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Vaider-Project": ""},
        {"Vaider-Project": "${workspaceFolder}"},
        {"Vaider-Project": "shop"},
        {"Vaider-Project": "/home/me/shop", "X-Forwarded-For": "203.0.113.7"},
        {"Vaider-Project": "/home/me/shop", "Forwarded": "for=203.0.113.7"},
    ],
)
async def test_without_a_folder_of_this_machine_the_path_is_refused_as_before(
    url: str, headers: dict[str, str]
) -> None:
    said = await answered(url, headers, "test-results/none.webm")
    assert "is relative to a folder that only you know" in said


async def test_the_header_lets_nothing_be_read_that_an_absolute_path_would_not(url: str, tmp_path: Path) -> None:
    """A path that leads out is judged by where it leads, and says no more than the absolute one."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "secret.txt").write_text("a secret")
    there = await answered(url, {"Vaider-Project": str(tmp_path / "shop")}, "../secret.txt")
    absolute = await answered(url, {}, str(tmp_path / "secret.txt"))
    assert "a secret" not in there
    assert there.partition("Job")[0] == absolute.partition("Job")[0]
