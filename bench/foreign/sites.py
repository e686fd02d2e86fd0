"""Tasks of sites, in Chromium."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Final

from bench.foreign.task import OUT, Task, Values, script

if TYPE_CHECKING:
    from pathlib import Path

    from bench.foreign.person import Person


def _database(home: Path) -> None:
    with closing(sqlite3.connect(home / "parts.db")) as opened, opened:
        opened.execute(
            "CREATE TABLE parts (id INTEGER PRIMARY KEY, name VARCHAR(60), place VARCHAR(60), kind VARCHAR(9))"
        )
        opened.execute("INSERT INTO parts (name, place, kind) VALUES ('Hinge', 'Shelf 1', 'iron')")


def _parts(home: Path) -> None:
    _database(home)
    _start(home)


def _serve_parts(home: Path, port: int) -> list[str]:
    return [
        str(OUT / "venv" / "bin" / "sqlite_web"),
        "--no-browser",
        "--quiet",
        "--port",
        str(port),
        str(home / "parts.db"),
    ]


def _start(home: Path) -> None:
    """The browser, as a command of its own."""
    flags = "--no-first-run --no-default-browser-check --password-store=basic --force-renderer-accessibility"
    as_root = "--no-sandbox --test-type" if os.getuid() == 0 else ""
    script(home / "bin" / "browser", f'exec chromium {flags} {as_root} --user-data-dir={home / ".profile"} "$@"')


def _insert(user: Person, values: Values) -> None:
    for label, value in zip(("name", "place", "kind"), values, strict=True):
        user.click(f"entry: {label}")
        user.type(value)
    user.click("push button: Insert")
    user.wait(2.0)


def _rows(home: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(home / "parts.db")) as opened:
        return opened.execute("SELECT name, place, kind FROM parts WHERE id > 1").fetchall()


_STOCK: Final = """
import sys
from django.conf import settings
settings.configure(
    DEBUG=True, SECRET_KEY="stock", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], STATIC_URL="/static/",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "stock.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField", USE_TZ=True,
    INSTALLED_APPS=[f"django.contrib.{each}" for each in ("admin", "auth", "contenttypes", "sessions", "messages",
                    "staticfiles")],
    MIDDLEWARE=[*(f"django.contrib.{each}" for each in ("sessions.middleware.SessionMiddleware",
                "auth.middleware.AuthenticationMiddleware", "messages.middleware.MessageMiddleware")),
                __name__ + ".signed_in"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": ["django.template.context_processors.request",
                               "django.contrib.auth.context_processors.auth",
                               "django.contrib.messages.context_processors.messages"]}}])
import django
django.setup()
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import models
from django.urls import path
class Member(models.Model):
    name = models.CharField(max_length=60)
    town = models.CharField(max_length=60)
    plan = models.CharField(max_length=9, choices=[(each, each) for each in ("Basic", "Plus", "Team")])
    paid = models.BooleanField(default=False)
    def __str__(self):
        return self.name
    class Meta:
        app_label = "auth"
admin.site.register(Member)
def signed_in(get_response):
    def answer(request):
        request.user = User.objects.get(username="ann")
        return get_response(request)
    return answer
urlpatterns = [path("", admin.site.urls)]
from django.core.management import call_command, execute_from_command_line
from django.db import connection
if sys.argv[1] == "make":
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Member)
    User.objects.create_superuser("ann", "ann@example.com", "stock")
else:
    execute_from_command_line(["stock", "runserver", "--noreload", sys.argv[1]])
"""
_PYTHON: Final = str(OUT / "venv" / "bin" / "python")


def _stock(home: Path) -> None:
    """A site's admin, as Django makes it, whose user is signed in."""
    _start(home)
    (home / "stock.py").write_text(_STOCK, encoding="utf-8")
    subprocess.run([_PYTHON, "stock.py", "make"], cwd=home, check=True, capture_output=True)


def _add_member(user: Person, values: Values) -> None:
    name, town, plan = values
    user.click("entry: Name:")
    user.type(name)
    user.click("entry: Town:")
    user.type(town)
    user.click("combo box: Plan:")
    user.click(f"menu item: {plan}")
    user.click("check box: Paid")
    user.click("push button: Save")
    user.wait(2.0)


def _members(home: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "stock.sqlite3")) as opened:
        return opened.execute("SELECT name, town, plan, paid FROM auth_member").fetchall()


TASKS: Final = (
    Task(
        "sqlite-web", "Chromium", "browser http://127.0.0.1:{port}/parts/insert/", "parts", _insert,
        ("Bolt M4", "Shelf 3", "steel"), (("Washer", "Drawer 2", "copper"), ("Nut M8", "Box 11", "brass")),
        _rows, lambda v: [v],
        '"Successfully inserted record" is shown.', 'Open "http://127.0.0.1:{port}/parts/insert/" in the browser.',
        _parts, _serve_parts,
    ),
    Task(
        "django-admin", "Chromium", "browser http://127.0.0.1:{port}/auth/member/add/", "Add member", _add_member,
        ("Ada Lovelace", "Ulm", "Plus"), (("Grace Hopper", "Jena", "Team"), ("Alan Turing", "Kiel", "Basic")),
        _members, lambda v: [(*v, 1)],
        '"was added successfully" is shown.', 'Open "http://127.0.0.1:{port}/auth/member/add/" in the browser.',
        _stock, lambda home, port: [_PYTHON, str(home / "stock.py"), f"127.0.0.1:{port}"],
    ),
)  # fmt: skip
