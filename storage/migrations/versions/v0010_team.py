"""Limits of tokens, who asked for a job and in which trace, and what retention goes by."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


_FOLDERS = {
    "sqlite": "UPDATE jobs SET folder = json_extract(result, '$.interactions_dir')"
    " WHERE kind = 'analysis' AND json_valid(result)",
    "postgresql": "UPDATE jobs SET folder = result::json ->> 'interactions_dir'"
    " WHERE kind = 'analysis' AND result IS NOT NULL",
}
"""Answers say where their pictures lie."""


def upgrade() -> None:
    """Add the columns and a table; whose the submissions are is known by their jobs."""
    op.add_column("tokens", sa.Column("waiting", sa.Integer))
    op.add_column("tokens", sa.Column("bytes_a_day", sa.BigInteger))
    op.add_column("jobs", sa.Column("submitter", sa.String(64), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("traceparent", sa.String(64)))
    op.add_column("jobs", sa.Column("begun_at", sa.String(32)))
    op.add_column("jobs", sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("jobs", sa.Column("leaves_at", sa.String(32)))
    op.add_column("jobs", sa.Column("folder", sa.Text))
    op.execute(_FOLDERS[op.get_bind().dialect.name])
    op.create_index("ix_jobs_owner_state_submitter", "jobs", ["owner", "state", "submitter"])
    op.create_index("ix_jobs_folder", "jobs", ["folder"])
    op.add_column("submissions", sa.Column("owner", sa.String(128), nullable=False, server_default=""))
    op.execute(
        "UPDATE submissions SET owner = COALESCE((SELECT owner FROM jobs WHERE jobs.id = submissions.job_id), '')"
    )
    op.create_index(
        "ix_submissions_owner_submitter_submitted_at", "submissions", ["owner", "submitter", "submitted_at"]
    )
    op.create_table(
        "promises",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("submitter", sa.String(64), nullable=False),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_promises"),
    )
    op.create_index("ix_promises_owner_submitter_due_ms", "promises", ["owner", "submitter", "due_ms"])
