"""Runs the migrations in the caller's transaction: all of them, or none."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory


def known_revisions() -> list[str]:
    """Every revision that this code can come from or go to, newest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def upgrade(connection: sa.Connection, revision: str = "head") -> None:
    """Bring the tables to that revision, within the transaction that ``connection`` is in."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
