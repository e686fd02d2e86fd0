import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.backends.chainer import ChainerBackend
from keyring.errors import KeyringLocked

from adapters.key_stores import RingKeys, RingRefused, system_ring
from adapters.keys import KEY_KINDS, Keys, KeyStatus, missing_key, redact_shapes
from core.errors import Conflict, InvalidCredentials, InvalidSetting, NotFound
from tests.clock import until

Backend = Callable[[KeyringBackend], None]

GOOGLE = "AIzaSyD-madeUpForTests_0123456789abcde"
PLAIN = "f81d4fae7dec11d0a76500a0c91e6bf6"


class Ring:
    """A keyring in memory."""

    def __init__(self, **kept: str) -> None:
        self.kept = kept
        self.asked: list[str] = []

    def get_password(self, service: str, username: str) -> str | None:
        assert service == "vaider"
        self.asked.append(username)
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        assert service == "vaider"
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        assert service == "vaider"
        del self.kept[username]


def test_the_environment_wins_over_the_keyring_and_google_over_gemini() -> None:
    environment = {"GOOGLE_API_KEY": "from-google", "GEMINI_API_KEY": "from-gemini"}
    keys = Keys(environment, ring=lambda: Ring(gemini="from-ring"))
    assert keys.get("gemini") == "from-google"
    del environment["GOOGLE_API_KEY"]
    assert keys.get("gemini") == "from-gemini"
    environment["GEMINI_API_KEY"] = ""
    assert keys.get("gemini") == "from-ring"
    assert Keys({}, ring=lambda: None).get("gemini") is None


def test_the_openai_key_goes_to_openai_alone() -> None:
    environment = {"OPENAI_API_KEY": "for-openai"}

    def key(url: str) -> str | None:
        return Keys(environment, ring=lambda: None, vision_base_url=url).get("vision")

    assert key("https://api.openai.com/v1") == "for-openai"
    assert key("http://127.0.0.1:11434/v1") is None
    assert key("https://api.openai.com.example.org/v1") is None
    assert key("") is None
    environment["VAIDER_VISION_API_KEY"] = "for-this"
    assert key("http://127.0.0.1:11434/v1") == "for-this"
    assert key("https://api.openai.com/v1") == "for-this"


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("AIza secret", "space"),
        ("AIzasecret\n", "line break"),
        ("AIzasecret\x07", "control character"),
        ("AIzas\u00e9cret", "not ASCII"),
        ("AIzasecret\u200b", "not ASCII"),
    ],
)
def test_a_text_that_can_be_no_key_is_refused_without_being_shown(bad: str, fault: str) -> None:
    with pytest.raises(InvalidCredentials, match=fault) as raised:
        Keys({"GOOGLE_API_KEY": bad}, ring=lambda: None).get("gemini")
    assert "GOOGLE_API_KEY" in raised.value.message
    assert "cret" not in raised.value.message
    with pytest.raises(InvalidSetting, match=fault) as raised_by_set:
        Keys({}, ring=Ring).set("gemini", bad)
    assert "cret" not in raised_by_set.value.message


def test_keys_are_kept_and_forgotten_and_their_status_does_not_show_them() -> None:
    ring = Ring()
    keys = Keys({"VAIDER_VISION_API_KEY": PLAIN}, ring=lambda: ring)
    keys.set("gemini", GOOGLE)
    assert {status.name: status for status in keys.status() if status.saved} == {
        "gemini": KeyStatus("gemini", saved=True, source="keyring"),
        "vision": KeyStatus("vision", saved=True, source="VAIDER_VISION_API_KEY"),
    }
    keys.remove("gemini")
    assert keys.status()[0] == KeyStatus("gemini", saved=False, source=None)
    with pytest.raises(NotFound):
        keys.remove("gemini")
    with pytest.raises(NotFound, match="gemini, vision"):
        keys.get("gemni")
    with pytest.raises(Conflict, match="GOOGLE_API_KEY"):
        Keys({}, ring=lambda: None).set("gemini", GOOGLE)
    assert GOOGLE not in repr(vars(keys))


@pytest.mark.parametrize(("name", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")])
def test_a_deciding_models_key_is_found_by_its_name_and_blotted_out(name: str, variable: str) -> None:
    keys = Keys({variable: PLAIN}, ring=lambda: None)
    assert keys.get(name) == PLAIN
    assert PLAIN not in keys.redact(f"sent {PLAIN}")
    assert Keys({}, ring=lambda: None).get(name) is None


@pytest.fixture
def backend() -> Iterator[Backend]:
    """Lets a test say which keyring this machine has."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def test_a_keyring_that_writes_readable_files_or_loses_secrets_is_none(backend: Backend) -> None:
    plaintext = type("PlaintextKeyring", (null.Keyring,), {"__module__": "keyrings.alt.file"})
    for unsafe in (plaintext(), null.Keyring(), fail.Keyring()):
        backend(unsafe)
        assert system_ring() is None
    with pytest.raises(Conflict):
        Keys({}).set("gemini", GOOGLE)
    assert Keys({}).get("gemini") is None


def test_a_chain_of_keyrings_is_asked_past_its_unsafe_ones_and_a_locked_one_is_no_crash(backend: Backend) -> None:
    plaintext = type("PlaintextKeyring", (null.Keyring,), {"__module__": "keyrings.alt.file"})

    def refuse(*_: str) -> None:
        raise KeyringLocked

    locked = type("Locked", (null.Keyring,), {"get_password": refuse, "set_password": refuse, "__module__": __name__})
    chain = type("Chain", (ChainerBackend,), {"backends": [plaintext(), locked()]})
    backend(chain())
    keys = Keys({})
    with pytest.raises(Conflict, match=r"keyring is locked, and Gemini's key may be in it: unlock it .*GOOGLE_API_KEY"):
        keys.get("gemini")
    with pytest.raises(Conflict, match="unlock it"):
        keys.set("gemini", GOOGLE)
    assert keys.status_of("gemini").problem
    assert keys.get("replay") is None
    assert keys.ring_state() == "locked"


def test_whatever_is_or_looks_like_a_key_is_blotted_out() -> None:
    keys = Keys({"GOOGLE_API_KEY": GOOGLE}, ring=lambda: Ring(vision=PLAIN))
    line = f'GET /x?key={GOOGLE}&a=1 {{"authorization": "Bearer abc.def"}} sk-proj-abcDEF123 {PLAIN}'
    assert PLAIN in keys.redact(line)
    keys.get("vision")
    assert keys.redact(line) == 'GET /x?key=<key>&a=1 {"authorization": "Bearer <key>"} <key> <key>'
    for secret in (GOOGLE, "abc.def", "abcDEF123", PLAIN):
        assert secret not in keys.redact(line)
    assert redact_shapes("a task-list, order sk-1042", "a") == "a task-list, order sk-1042"


def test_the_keyring_library_is_loaded_only_when_it_is_asked() -> None:
    program = "import sys, adapters.keys; adapters.keys.Keys({}); sys.exit('keyring' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


class SlowRing(Ring):
    """Shows its window, and answers when the user has typed the password."""

    def __init__(self, **kept: str) -> None:
        super().__init__(**kept)
        self.unlocked = threading.Event()
        self.windows = 0

    def get_password(self, service: str, username: str) -> str | None:
        if not self.unlocked.is_set():
            self.windows += 1
            assert self.unlocked.wait(10)
        return super().get_password(service, username)


def test_the_keyring_is_asked_once_for_all_keys() -> None:
    ring = Ring(gemini=GOOGLE)
    keys = Keys({}, ring=lambda: ring)
    assert keys.get("gemini") == GOOGLE
    assert keys.get("openai") is None
    keys.status()
    keys.ring_state()
    assert sorted(ring.asked) == sorted(KEY_KINDS)
    assert GOOGLE not in repr(vars(keys))
    assert GOOGLE not in repr(keys)


def test_a_key_that_another_process_sets_or_removes_is_noticed(tmp_path: Path) -> None:
    ring = Ring()
    daemon, command = (Keys({}, ring=lambda: ring, folder=tmp_path) for _ in range(2))
    assert daemon.get("gemini") is None
    command.set("gemini", GOOGLE)
    assert daemon.get("gemini") == GOOGLE
    command.remove("gemini")
    assert daemon.get("gemini") is None


def test_a_keyring_that_waits_for_its_password_holds_nobody_up_and_is_not_asked_twice() -> None:
    ring = SlowRing(gemini=GOOGLE)
    keys = Keys({}, ring=lambda: ring, ring_seconds=0.05)
    for _ in range(3):
        with pytest.raises(Conflict, match="does not answer, so it is probably locked"):
            keys.get("gemini")
    assert ring.windows == 1
    ring.unlocked.set()
    patient = Keys({}, ring=lambda: ring, ring_seconds=10)
    assert patient.get("gemini") == GOOGLE
    until(lambda: keys.ring_state() == "usable")
    assert keys.get("gemini") == GOOGLE
    assert ring.windows == 1


def test_a_look_up_that_hangs_for_good_is_given_up_for_another_one() -> None:
    ring = SlowRing(gemini=GOOGLE)
    kept = RingKeys(lambda: ring, ("gemini",), seconds=0.05, hung_seconds=0.02)
    with pytest.raises(RingRefused):
        kept.values(b"")
    with pytest.raises(RingRefused):
        kept.values(b"")
    until(lambda: ring.windows == 2)
    ring.unlocked.set()


def test_a_refusal_is_not_asked_for_again_at_once_but_after_a_change(tmp_path: Path) -> None:
    class Dismissed(Ring):
        def get_password(self, service: str, username: str) -> str | None:
            super().get_password(service, username)
            raise KeyringLocked(f"{GOOGLE} is what it says")

    ring = Dismissed()
    keys = Keys({}, ring=lambda: ring, folder=tmp_path)
    for _ in range(3):
        with pytest.raises(Conflict) as refused:
            keys.get("gemini")
        assert GOOGLE not in refused.value.message
    assert len(ring.asked) == 1
    Keys({}, ring=Ring, folder=tmp_path).set("openai", PLAIN)
    assert keys.status_of("gemini").problem
    assert len(ring.asked) == 2


def test_the_environment_wins_over_the_keyring_and_that_over_the_file(tmp_path: Path) -> None:
    environment, ring = {"GOOGLE_API_KEY": "from-environment"}, Ring()
    keys = Keys(environment, ring=lambda: ring, folder=tmp_path)
    keys.set("gemini", "from-file", store="file")
    ring.kept["gemini"] = "from-ring"
    fresh = Keys(environment, ring=lambda: ring, folder=tmp_path)
    assert fresh.get("gemini") == "from-environment"
    del environment["GOOGLE_API_KEY"]
    assert (fresh.get("gemini"), fresh.status_of("gemini").source) == ("from-ring", "keyring")
    alone = Keys({}, ring=lambda: None, folder=tmp_path)
    assert (alone.get("gemini"), alone.status_of("gemini").source) == ("from-file", "file")


def test_a_key_is_kept_in_one_place_and_removed_from_both(tmp_path: Path) -> None:
    ring = Ring()
    keys = Keys({}, ring=lambda: ring, folder=tmp_path)
    keys.set("gemini", "in-file", store="file")
    keys.set("gemini", "in-ring")
    assert not (tmp_path / "keys.json").exists()
    keys.set("gemini", "in-file-again", store="file")
    assert (ring.kept, keys.get("gemini")) == ({}, "in-file-again")
    ring.kept["gemini"] = "by-another-program"
    keys.remove("gemini")
    assert ring.kept == {}
    assert keys.get("gemini") is None


def test_without_a_keyring_it_is_said_how_a_file_can_be_used(tmp_path: Path) -> None:
    with pytest.raises(Conflict, match=r"set GOOGLE_API_KEY, or keep it .*`vaider keys set gemini --file`"):
        Keys({}, ring=lambda: None, folder=tmp_path).set("gemini", GOOGLE)
    assert not list(tmp_path.iterdir())
    with pytest.raises(Conflict, match="data_dir"):
        Keys({}, ring=lambda: None).set("gemini", GOOGLE, store="file")


def test_a_key_in_the_place_of_a_name_is_not_repeated() -> None:
    with pytest.raises(NotFound) as refused:
        Keys({}, ring=lambda: None).get(GOOGLE)
    assert GOOGLE not in refused.value.message
    with pytest.raises(InvalidSetting, match="over 4096 characters"):
        Keys({}, ring=Ring).set("gemini", "k" * 4097)


@pytest.mark.parametrize("name", KEY_KINDS)
def test_a_missing_key_says_which_where_to_get_it_and_what_works_without(name: str) -> None:
    sentence = missing_key(name)
    kind = KEY_KINDS[name]
    for part in (kind.title, kind.page, f"vaider keys set {name}", *kind.variables, "local needs none"):
        assert part in sentence
