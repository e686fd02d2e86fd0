"""Of each answer: the installation that keeps it."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, and its place in the index; whose the answers are that are there is not known."""
    op.add_column("analyses", sa.Column("owner", sa.String(128), nullable=False, server_default=""))
    op.drop_index("ix_analyses_video_sha256_question", "analyses")
    op.create_index("ix_analyses_owner_video_sha256_question", "analyses", ["owner", "video_sha256", "question"])
