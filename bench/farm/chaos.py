"""All of a farm is killed, stopped and restarted while jobs are sent: ``python -m bench.farm.chaos [--minutes M]``.

300 jobs of three tokens go to two API processes and three workers. What must hold is counted as faults; a seed
repeats the order of the disturbances, not their moments.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import random
import signal
import sys
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import httpx2
import psycopg

from bench.farm.machines import ADMIN, Machines, machines, submit
from bench.farm.sleeper import PICTURES
from bench.farm.viewers import Viewer
from bench.table import Table
from tests.fakes.daemons.farm_processes import until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_AWAY_SECONDS = 5
_STOOD_SECONDS = 8
_FINAL = {"done", "failed", "cancelled"}


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much of it."""

    seconds: float = 90
    jobs: int = 300
    tokens: int = 3
    workers: int = 3
    viewers: int = 6
    seed: int = 1


def run(*, quick: bool = False) -> list[Table]:
    """The table. Raises ``RuntimeError`` with what did not hold."""
    plan = Plan(seconds=25, jobs=60) if quick else Plan()
    outcome = disturbed_farm(plan)
    if outcome.faults:
        raise RuntimeError("; ".join(outcome.faults[:20]))
    return [table(plan, outcome)]


@dataclasses.dataclass
class Outcome:
    """What was seen."""

    accepted: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict[str, tuple[str, str]])
    """Of each job that was answered 202: who sent it, and the SHA-256 of what was sent."""
    disturbed: Counter[str] = dataclasses.field(default_factory=Counter[str])
    faults: list[str] = dataclasses.field(default_factory=list[str])
    given_up: int = 0
    attempts: int = 0
    events: int = 0
    came_back: int = 0
    settled_seconds: float = 0


def disturbed_farm(plan: Plan) -> Outcome:
    """Send, disturb, wait for the end, and look whether all is as it must be."""
    outcome = Outcome()
    with machines(apis=2, workers=plan.workers, VAIDER_LOG_LEVEL="warning") as farm:
        tokens = {f"token{number}": farm.farm.token(f"token{number}") for number in range(plan.tokens)}
        viewers = [Viewer(farm.ports, plan.seed + number) for number in range(plan.viewers)]
        senders = [
            threading.Thread(target=_send, args=(farm, plan, outcome, name, headers), daemon=True)
            for name, headers in tokens.items()
        ]
        for thread in [*viewers, *senders]:
            thread.start()
        _disturb(farm, plan, outcome, senders)
        for sender in senders:
            sender.join(180)
        began = time.monotonic()
        try:
            until(lambda: _all_final(farm), 300)
        except AssertionError:
            outcome.faults.append("jobs did not end within five minutes of the last disturbance")
        outcome.settled_seconds = time.monotonic() - began
        _check_viewers(farm, viewers, outcome)
        _check_jobs(farm, outcome)
        _check_answers(farm, tokens, outcome)
        _check_steps(farm, outcome)
        if outcome.faults:
            outcome.faults += farm.faults_told()
    return outcome


def _send(farm: Machines, plan: Plan, outcome: Outcome, name: str, headers: Mapping[str, str]) -> None:
    chance = random.Random(f"{plan.seed} {name}")
    wanted = plan.jobs // plan.tokens
    pause = plan.seconds * 0.8 / wanted
    with httpx2.Client(trust_env=False, timeout=45) as client:
        for number in range(wanted):
            content = f"{name} {number} {plan.seed}".encode()
            asked = {"seconds": round(chance.uniform(0.2, 1.6), 2), "pictures": True, "label": f"{name}-{number % 2}"}
            job_id = None
            while job_id is None:
                try:
                    job_id = submit(client, chance.choice(farm.ports), content, asked, dict(headers))
                except httpx2.HTTPError:
                    time.sleep(0.2)
            outcome.accepted[job_id] = name, hashlib.sha256(content).hexdigest()
            time.sleep(chance.uniform(0, 2 * pause))


def _disturb(farm: Machines, plan: Plan, outcome: Outcome, senders: Sequence[threading.Thread]) -> None:
    """At random until the time is over and all was sent; PostgreSQL and the store at a third and two thirds of it.

    One of a kind is left alone until another one is up: on a busy machine nothing would ever be done otherwise.
    """
    chance = random.Random(plan.seed)
    began = time.monotonic()
    rounds = max(1, round(plan.seconds / 90))
    great = [began + plan.seconds * (turn + part) / rounds for turn in range(rounds) for part in (1 / 3, 2 / 3)]
    threads: list[threading.Thread] = []
    while time.monotonic() < began + plan.seconds or any(sender.is_alive() for sender in senders):
        time.sleep(chance.uniform(0.5, 1.5))
        farm.replace_ended()
        if great and time.monotonic() > great[0]:
            great.pop(0)
            what, places = _GREAT[len(great) % 2 - 1], [0]
        else:
            what, of_workers = chance.choice(_SMALL)
            places = _up(farm.up_workers if of_workers else farm.up_apis)
            places = places if len(places) > 1 else []
        if not places:
            continue
        outcome.disturbed[what.__name__.lstrip("_").replace("_", " ")] += 1
        threads.append(threading.Thread(target=what, args=(farm, chance.choice(places)), daemon=True))
        threads[-1].start()
        if what not in _LONG:
            threads[-1].join()
        if time.monotonic() > began + 8 * plan.seconds + 600:
            outcome.faults.append("not all could be sent")
            break
    for thread in threads:
        thread.join()


def _up(places: Callable[[], list[int]]) -> list[int]:
    try:
        return places()
    except psycopg.OperationalError:
        return []


def _kill_worker(farm: Machines, place: int) -> None:
    farm.workers[place].kill()
    farm.restart_worker(place)


def _end_worker(farm: Machines, place: int) -> None:
    farm.workers[place].terminate()
    farm.restart_worker(place)


def _stop_worker(farm: Machines, place: int) -> None:
    """Longer than the others believe that it lives."""
    worker = farm.workers[place]
    worker.send_signal(signal.SIGSTOP)
    time.sleep(_STOOD_SECONDS)
    worker.send_signal(signal.SIGCONT)


def _pause_worker(farm: Machines, place: int) -> None:
    """A second, in which nobody believes it dead."""
    farm.workers[place].send_signal(signal.SIGSTOP)
    time.sleep(1)
    farm.workers[place].send_signal(signal.SIGCONT)


def _kill_api(farm: Machines, place: int) -> None:
    farm.apis[place].kill()
    farm.restart_api(place)


def _pause_api(farm: Machines, place: int) -> None:
    farm.apis[place].send_signal(signal.SIGSTOP)
    time.sleep(1)
    farm.apis[place].send_signal(signal.SIGCONT)


def _restart_postgres(farm: Machines, _: int) -> None:
    farm.postgres.restart()


def _take_store_away(farm: Machines, _: int) -> None:
    farm.store.stop()
    time.sleep(_AWAY_SECONDS)
    farm.store.start()


_SMALL: Final = (
    *((_kill_worker, True), (_stop_worker, True), (_end_worker, True), (_pause_worker, True)),
    *((_kill_api, False), (_pause_api, False)),
)
_GREAT: Final = (_restart_postgres, _take_store_away)
_LONG: Final = {_take_store_away, _stop_worker}


def _all_final(farm: Machines) -> bool:
    farm.replace_ended()
    try:
        return not farm.rows("SELECT id FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled') LIMIT 1")
    except psycopg.OperationalError:
        return False


def _check_viewers(farm: Machines, viewers: Sequence[Viewer], outcome: Outcome) -> None:
    stored = [row["id"] for row in farm.rows("SELECT id FROM job_events ORDER BY id")]
    outcome.events = len(stored)
    try:
        until(lambda: all(viewer.seen[-1:] == stored[-1:] for viewer in viewers), 180)
    except AssertionError:
        outcome.faults.append("a viewer did not see the last event")
    for number, viewer in enumerate(viewers):
        viewer.stop()
        outcome.came_back += viewer.came_back
        if viewer.seen != sorted(set(viewer.seen)):
            outcome.faults.append(f"viewer {number}: the ids do not rise")
        if set(viewer.seen) != set(stored):
            missed = sorted(set(stored) - set(viewer.seen))
            outcome.faults.append(f"viewer {number}: {len(missed)} events missed, from {missed[:3]} on")


def _check_jobs(farm: Machines, outcome: Outcome) -> None:
    """Each accepted one ended, once, and as it should."""
    jobs = {row["id"]: row for row in farm.rows("SELECT id, state, begun, error FROM jobs")}
    ends = Counter(
        row["job_id"]
        for row in farm.rows("SELECT job_id FROM job_events WHERE stage IN ('done', 'failed', 'cancelled')")
    )
    outcome.faults += [f"{job_id} was accepted and is lost" for job_id in outcome.accepted if job_id not in jobs]
    outcome.faults += [f"{job_id} has {ends[job_id]} ends" for job_id in jobs if ends[job_id] != 1]
    outcome.attempts = sum(row["begun"] for row in jobs.values())
    for job_id, row in jobs.items():
        if row["state"] == "failed" and "3 workers ended" in row["error"] and row["begun"] > 3:
            outcome.given_up += 1
        elif row["state"] != "done":
            outcome.faults.append(f"{job_id} is {row['state']}: {row['error']}")


def _check_answers(farm: Machines, tokens: Mapping[str, Mapping[str, str]], outcome: Outcome) -> None:
    """Its sender's pictures, all there, and nobody else's to see."""
    names = list(tokens)
    with httpx2.Client(trust_env=False, timeout=30) as client:

        def get(path: str, name: str) -> httpx2.Response:
            return client.get(f"http://127.0.0.1:{farm.ports[0]}{path}", headers=dict(tokens[name]))

        until(lambda: client.get(f"http://127.0.0.1:{farm.ports[0]}/health", headers=ADMIN).status_code == 200)
        for job_id, (name, sha256) in outcome.accepted.items():
            other = names[(names.index(name) + 1) % len(names)]
            if get(f"/jobs/{job_id}", other).status_code != 404:
                outcome.faults.append(f"{job_id} is seen by {other}")
            job: dict[str, Any] = get(f"/jobs/{job_id}", name).json()
            if job.get("state") != "done":
                continue
            frames = [event["frame"] for event in job["result"]["timeline"]]
            pictures = [get(f"/jobs/{job_id}/{frame}", name) for frame in frames]
            if [each.text for each in pictures if each.status_code == 200] != [sha256] * PICTURES:
                outcome.faults.append(f"{job_id}: its pictures are {[each.status_code for each in pictures]}")


def _check_steps(farm: Machines, outcome: Outcome) -> None:
    """A step whose end was stored (the next one began) is not done again."""
    paid: set[str] = set()
    for line in farm.told():
        if line["what"] == "paying":
            paid.add(line["job"])
        elif line["what"] == "drawing" and line["job"] in paid:
            outcome.faults.append(f"{line['job']}: a finished step was done again")


def table(plan: Plan, outcome: Outcome) -> Table:
    """As it is shown."""
    did = ", ".join(f"{count} {what}" for what, count in sorted(outcome.disturbed.items()))
    rows = [
        ("jobs accepted and ended once", f"{len(outcome.accepted)}", f"{plan.jobs}"),
        ("faults: lost, ended twice, another's, pictures or events missing", f"{len(outcome.faults)}", "0"),
        ("attempts, jobs given up after three dead workers", f"{outcome.attempts}, {outcome.given_up}", "-"),
        ("events that each of the viewers saw, rising", f"{outcome.events} by {plan.viewers}", "all"),
        ("times that viewers came back", f"{outcome.came_back}", "-"),
        ("seconds from the last disturbance to the last end", f"{outcome.settled_seconds:.1f}", "-"),
    ]
    return Table("A farm under chaos", ("", "measured", "bar"), rows, f"{plan.seconds:g} s, seed {plan.seed}: {did}.")


def main() -> None:
    """Run it, and exit by whether all held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.5)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    arguments = parser.parse_args()
    seconds = arguments.minutes * 60
    plan = Plan(seconds=seconds, jobs=3 * max(1, round(seconds * 100 / 90)), seed=arguments.seed)
    outcome = disturbed_farm(plan)
    table(plan, outcome).show()
    print(*outcome.faults[:50], sep="\n")
    sys.exit(bool(outcome.faults))


if __name__ == "__main__":
    main()
