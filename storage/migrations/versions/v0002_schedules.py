"""How far the schedules of tasks are decided, and what was decided."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "schedules",
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("task", sa.String(128), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("handled", sa.String(32), nullable=False),
        sa.Column("ceiling", sa.String(32)),
        sa.PrimaryKeyConstraint("owner", "task", name="pk_schedules"),
    )
    op.create_table(
        "schedule_decisions",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("task", sa.String(128), nullable=False),
        sa.Column("moment", sa.String(32), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("job_id", sa.String(64)),
        sa.Column("decided_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_schedule_decisions"),
    )
    op.create_index("ix_schedule_decisions_owner_task_number", "schedule_decisions", ["owner", "task", "number"])
