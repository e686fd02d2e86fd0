"""Tokens of a team's server, and who submitted which job."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make both tables; who submitted the jobs that are there is not known."""
    op.create_table(
        "tokens",
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("key", sa.String(16), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32)),
        sa.Column("used_on", sa.String(10), nullable=False),
        sa.PrimaryKeyConstraint("owner", "name", name="pk_tokens"),
    )
    op.create_index("ix_tokens_owner_key", "tokens", ["owner", "key"], unique=True)
    op.create_table(
        "submissions",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=True),
        sa.Column("job_id", sa.String(64), nullable=False),
        sa.Column("submitter", sa.String(64), nullable=False),
        sa.Column("label", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("submitted_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_submissions"),
    )
    op.create_index("ix_submissions_job_id_submitter", "submissions", ["job_id", "submitter"])
    op.create_index("ix_submissions_submitter_number", "submissions", ["submitter", "number"])
    op.create_index("ix_submissions_label_number", "submissions", ["label", "number"])
