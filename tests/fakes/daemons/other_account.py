"""A process of another account of this machine, which talks to a daemon."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import pytest

from tests.fakes.daemons.memory_daemon import PATIENCE

STRANGER: Final = 4242
"""An account that no file of the machine names."""
NOBODY: Final = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes of other accounts")

# Everything is imported before the account is changed: the interpreter may lie where only its owner can read.
_SCRIPT: Final = """
import base64, encodings.idna, encodings.latin_1, http.client, json, os, sys

account, port, requests = int(sys.argv[1]), int(sys.argv[2]), json.load(sys.stdin)
os.setgroups([])
os.setresgid(account, account, account)
os.setresuid(account, account, account)
answers = []
connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
for method, path, headers, body in requests:
    connection.request(method, path, base64.b64decode(body), headers)
    answer = connection.getresponse()
    is_stream = answer.headers.get_content_type() == "text/event-stream"
    content = b"".join(iter(answer.readline, b"\\r\\n")) if is_stream else answer.read()
    if is_stream:
        connection.close()
    answers.append([answer.status, dict(answer.getheaders()), base64.b64encode(content).decode()])
json.dump(answers, sys.stdout)
"""


class Request(NamedTuple):
    """What the account sends."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Answer(NamedTuple):
    """What it gets; of a stream, the first event."""

    status: int
    headers: dict[str, str]
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


def answers_for(account: int, port: int, requests: Sequence[Request]) -> list[Answer]:
    """Send the requests one after the other on one connection, as that account."""
    sent = [(*request[:3], base64.b64encode(request.body).decode()) for request in requests]
    sentence = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(account), str(port)],
        input=json.dumps(sent),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=3 * PATIENCE,
    ).stdout
    return [Answer(status, headers, base64.b64decode(content)) for status, headers, content in json.loads(sentence)]
