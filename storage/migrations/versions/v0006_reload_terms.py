"""Entries of reload are looked up by the words that they share with a request, the nearest first."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table of terms; entries that were there before are filed when the store is opened."""
    op.drop_table("reload_worded")
    op.drop_table("reload_wordings")
    op.create_table(
        "reload_terms",
        sa.Column("gate", sa.String(64), nullable=False),
        sa.Column("term", sa.String(8), nullable=False),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("gate", "term", "entry", name="pk_reload_terms"),
        sa.ForeignKeyConstraint(["entry"], ["reload_entries.number"], name="fk_reload_terms_entry", ondelete="CASCADE"),
    )
    op.create_index("ix_reload_terms_entry", "reload_terms", ["entry"])
    op.create_table(
        "reload_wordings",
        sa.Column("entry", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("entry", name="pk_reload_wordings"),
        sa.ForeignKeyConstraint(
            ["entry"], ["reload_entries.number"], name="fk_reload_wordings_entry", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_reload_entries_origin_last_used", "reload_entries", ["origin", "last_used"])
