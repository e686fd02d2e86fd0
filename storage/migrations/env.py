"""Alembic's entry: it runs this file for each command."""

from alembic import context

from storage.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
