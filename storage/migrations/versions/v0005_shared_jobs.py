"""Of each job: how often the process ended while it was running, and which question it answers."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add both columns; the jobs that are there share nothing and have no end of the process against them."""
    op.add_column("jobs", sa.Column("deaths", sa.Integer, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("question", sa.String(64)))
