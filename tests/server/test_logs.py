import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import logging, resource, sys
from pathlib import Path
from server.logs import set_up_logging

set_up_logging(Path(sys.argv[1]), "info", lambda text: text.replace("s3cret", "<key>"))
log = logging.getLogger("vaider.test")
log.info("before", extra={"note": "s3cret"})
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, ((Path(sys.argv[1]) / "daemon.log").stat().st_size, hard))
log.info("while the disk is full")
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
log.info("after")
"""


def test_a_disk_that_is_full_for_a_while_stops_no_log_and_leaves_no_trace_of_the_stack(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)

    said = [json.loads(line) for line in done.stderr.splitlines()]
    kept = [json.loads(line) for line in (tmp_path / "daemon.log").read_text().splitlines()]
    assert [line["event"] for line in said] == ["before", "while the disk is full", "after"]
    assert {"before", "after"} <= {line["event"] for line in kept}
    assert said[0]["note"] == kept[0]["note"] == "<key>"
