"""What lists tell of jobs, beside what they were asked and what they answered."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table; what was before gets its lines when they are first asked for."""
    op.create_table(
        "job_briefs",
        sa.Column("job", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("brief", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("job", name="pk_job_briefs"),
        sa.ForeignKeyConstraint(["job"], ["jobs.number"], name="fk_job_briefs_job", ondelete="CASCADE"),
    )
    op.create_index("ix_jobs_kind_number", "jobs", ["kind", "number"])
