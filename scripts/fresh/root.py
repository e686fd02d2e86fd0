"""A root of Debian that has nothing but its base, made from this machine's own package sources."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LOGS = REPOSITORY / "tests" / "out" / "fresh"
BASE = ("ca-certificates", "sudo")
"""What a machine has on which a user may install packages."""
BEFORE = ("git", "make", "python3", "python3-venv")
"""What the README asks for before its first command."""
HOME = "/home/newcomer"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
OWN_CERTIFICATES = "/usr/local/share/ca-certificates"
PASSED_ON = re.compile(
    r"PIP_|UV_|NPM_CONFIG_|NODE_EXTRA_CA_CERTS$|SSL_CERT_|REQUESTS_CA_BUNDLE$|(https?|no|all)_proxy$", re.IGNORECASE
)
"""The variables by which a machine says where packages come from."""
MOUNTS = (
    ("proc", "proc", "defaults"),
    ("sysfs", "sys", "defaults"),
    ("devpts", "dev/pts", "gid=5,mode=620,ptmxmode=666"),
    ("tmpfs", "dev/shm", "mode=1777"),
)
"""Their kinds, places and options, as a Debian has them."""
ENTER = 'mount --rbind "$0" "$0" && cd "$0" && pivot_root . . && umount --lazy . && exec "$@"'
"""Makes a folder the root of a mount namespace, because below a chroot the kernel refuses user namespaces, of which
Chromium's sandbox is made."""
MISSING = re.compile(
    r"command not found|No such file or directory: '[\w.+-]+'|No module named|cannot open shared object"
)


class Failed(Exception):
    """A step did not do what it should; its log says why."""


class Fresh:
    """One root of Debian and what is done in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.failed: list[str] = []
        self._mounted: list[Path] = []

    def make(self, tar: Path | None = None) -> None:
        """Make the root, or unpack one, with this machine's way to packages and a user who may call sudo."""
        if tar is None:
            self._bootstrap()
        else:
            self.root.mkdir()
            self.log("root", ["tar", "--extract", "--file", str(tar), "--directory", str(self.root)])
        self._configure()
        self.log(
            "root",
            [
                *("tar", "--create", "--file", str(self.folder / "root.tar"), "--exclude=./dev/*"),
                *("--directory", str(self.root), "."),
            ],
        )
        # None of these is the machine's own: whatever becomes of the root, nothing else is touched.
        for kind, place, options in MOUNTS:
            (self.root / place).mkdir(exist_ok=True)
            subprocess.run(["mount", "--types", kind, "--options", options, kind, self.root / place], check=True)
            self._mounted.append(self.root / place)
        self.run("root", "useradd --create-home --shell /bin/bash newcomer", user="root")
        (self.root / "etc/sudoers.d/newcomer").write_text("newcomer ALL=(ALL) NOPASSWD: ALL\n", encoding="ascii")
        bundle = ["git", "-C", str(REPOSITORY), "-c", "safe.directory=*", "bundle", "create", "--quiet"]
        self.log("root", [*bundle, str(self.root / "clone.bundle"), "HEAD", "--branches"])
        self.show(*package_folders())

    def _bootstrap(self) -> None:
        options = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
        transport = re.findall(r"^Acquire::(?:https?|Check-|Retries)[^\n]*$", options, flags=re.MULTILINE)
        (self.folder / "apt.conf").write_text("\n".join(transport), encoding="utf-8")
        sources = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
        sources = [path for path in sources if path.suffix in {".list", ".sources"} and path.is_file()]
        command = ["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", "--format=directory"]
        command += [f"--include={','.join((*BASE, *BEFORE))}", f"--aptopt={self.folder / 'apt.conf'}"]
        self.log("root", [*command, "", str(self.root), *map(str, sources)])

    def _configure(self) -> None:
        if (pip := pip_configuration()).sections():
            with (self.root / "etc/pip.conf").open("w", encoding="utf-8") as file:
                pip.write(file)
        if Path(CERTIFICATES).exists():
            shutil.copyfile(CERTIFICATES, self.root / CERTIFICATES[1:])
        if Path(OWN_CERTIFICATES).exists():
            shutil.copytree(OWN_CERTIFICATES, self.root / OWN_CERTIFICATES[1:], dirs_exist_ok=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", self.root / "etc" / name)
        python = self.root / "usr/local/bin/python"
        # As in the image that this root stands in for.
        python.symlink_to("/usr/bin/python3")

    def show(self, *folders: Path) -> None:
        """Let folders of this machine be seen in the root where they are here, to be read only."""
        for folder in folders:
            inside = self.root / folder.relative_to("/")
            inside.mkdir(parents=True, exist_ok=True)
            for parent in inside.parents:
                if parent == self.root:
                    break
                parent.chmod(parent.stat().st_mode | 0o111)
            subprocess.run(["mount", "--bind", folder, inside], check=True)
            self._mounted.append(inside)
            subprocess.run(["mount", "--options", "remount,bind,ro", inside], check=True)

    def unmount(self) -> None:
        """Take this machine's folders out again: what is removed next is the root alone."""
        for path in reversed(self._mounted):
            subprocess.run(["umount", "--recursive", "--lazy", path], check=True)

    def step(self, name: str, script: str) -> None:
        """Run a script as the user, and print how long it took and what it had to install."""
        before, begun = self.packages(), time.monotonic()
        try:
            self.run(name, f"cd ~ && {script}", user="newcomer")
        except Failed:
            self.failed.append(name)
        self.report(name, begun)
        if installed := sorted(self.packages() - before):
            listed = set((REPOSITORY / "scripts/system-packages.txt").read_text(encoding="utf-8").split())
            print(f"  missing, installed by it: {', '.join(sorted(listed & set(installed)) or installed)}", end="")
            print(f" (with what they need: {len(installed)} packages)")

    def run(self, name: str, script: str, *, user: str) -> None:
        """Run a script in the root, its output appended to the log of that name. Raises ``Failed``."""
        variables = {key: value for key, value in os.environ.items() if PASSED_ON.match(key)}
        variables |= {"HOME": HOME if user != "root" else "/root", "USER": user, "LANG": "C.UTF-8"}
        variables |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        environment = [f"{key}={value}" for key, value in variables.items()]
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, str(self.root)]
        account = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        shell = ["env", "--ignore-environment", *environment, "bash", "-euo", "pipefail", "-c", script]
        self.log(name, [*enter, *account, *shell])

    def packages(self) -> set[str]:
        """What is installed in the root."""
        command = ["chroot", self.root, "dpkg-query", "--show", "--showformat=${Package}\n"]
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())

    def log(self, name: str, command: list[str]) -> None:
        """Run a command with its output appended to a log. Raises ``Failed``."""
        with (LOGS / f"{name}.log").open("ab") as log:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise Failed(name)

    def report(self, name: str, begun: float) -> None:
        """Print how a step ended, and of its log what explains it."""
        text = (LOGS / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        print(f"{'FAILED' if name in self.failed else 'ok':6}  {name:14} {time.monotonic() - begun:6.0f} s", flush=True)
        lines = [line for line in text.splitlines() if not line.startswith("WARNING: Location")]
        if name in self.failed:
            for line in dict.fromkeys(line.strip() for line in lines if MISSING.search(line)):
                print(f"  missing: {line}")
            print("\n".join(f"  | {line}" for line in lines[-30:]), flush=True)
        else:
            print("\n".join(f"  | {line}" for line in lines if re.search(r"\d+ passed|^fresh: ", line)), flush=True)


def pip_configuration() -> configparser.RawConfigParser:
    """How pip is configured here, by files and by variables, as one file."""
    parser = configparser.RawConfigParser()
    asked = subprocess.run(["pip", "config", "list"], capture_output=True, text=True, check=False)
    # Variables are listed first, and override files.
    for line in reversed(asked.stdout.splitlines()):
        key, _, value = line.partition("=")
        section, _, option = key.partition(".")
        section = "global" if section == ":env:" else section
        if not parser.has_section(section):
            parser.add_section(section)
        parser.set(section, option, ast.literal_eval(value))
    return parser


def package_folders() -> list[Path]:
    """Folders of this machine that pip takes packages from, and their constraints."""
    parser = pip_configuration()
    found: set[Path] = set()
    for section in parser.sections():
        for option, value in parser.items(section):
            places = [Path(word.removeprefix("file://")) for word in value.split() if word.startswith(("/", "file://"))]
            # The files of an index lie beside it.
            found |= {path.parent if "index" in option else path for path in places if path.is_dir()}
            found |= {path.parent for path in places if "constraint" in option and path.is_file()}
    return sorted(found)
