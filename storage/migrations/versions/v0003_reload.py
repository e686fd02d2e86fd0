"""What was done once, to be done again at once: entries, how they are found, and what became of their uses."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    _make_entries()
    _make_indexes()
    _make_counts()


def _make_entries() -> None:
    op.create_table(
        "reload_entries",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("gate", sa.String(64), nullable=False),
        sa.Column("origin", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("last_used", sa.String(32), nullable=False),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("successes", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text, nullable=False),
        sa.Column("quarantined", sa.Text, nullable=False),
        sa.Column("proposal", sa.Text),
        sa.Column("expired_at", sa.String(32)),
        sa.Column("set_aside", sa.Boolean, nullable=False),
        sa.Column("forms", sa.String(16)),
        sa.PrimaryKeyConstraint("number", name="pk_reload_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_reload_entries_owner_set_aside_last_used",
        "reload_entries",
        ["owner", "set_aside", "last_used", "number", "size"],
    )
    op.create_table(
        "reload_documents",
        sa.Column("entry", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("entry", name="pk_reload_documents"),
        _of_entry("reload_documents"),
    )


def _make_indexes() -> None:
    op.create_table(
        "reload_keys",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("key", "entry", name="pk_reload_keys"),
        _of_entry("reload_keys"),
    )
    op.create_index("ix_reload_keys_entry", "reload_keys", ["entry"])
    op.create_table(
        "reload_wordings",
        sa.Column("number", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("gate", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key", sa.BigInteger, nullable=False),
        sa.Column("signature", sa.BigInteger, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("last_used", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_reload_wordings"),
    )
    op.create_index("ix_reload_wordings_digest", "reload_wordings", ["digest"], unique=True)
    op.create_index(
        "ix_reload_wordings_gate_key_signature_last_used",
        "reload_wordings",
        ["gate", "key", "signature", "last_used", "number"],
    )
    op.create_table(
        "reload_worded",
        sa.Column("entry", sa.Integer, nullable=False),
        sa.Column("wording", sa.Integer, nullable=False),
        sa.Column("last_used", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("entry", "wording", name="pk_reload_worded"),
        _of_entry("reload_worded"),
        sa.ForeignKeyConstraint(
            ["wording"], ["reload_wordings.number"], name="fk_reload_worded_wording", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_reload_worded_wording_last_used_entry", "reload_worded", ["wording", "last_used", "entry"])


def _make_counts() -> None:
    op.create_table(
        "reload_uses",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.Column("job_id", sa.String(200), nullable=False),
        sa.Column("begun_at", sa.String(32), nullable=False),
        sa.Column("outcome", sa.String(16)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("saved_ms", sa.BigInteger, nullable=False),
        sa.Column("saved_calls", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_reload_uses"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reload_uses_entry_number", "reload_uses", ["entry", "number"])
    op.create_index("ix_reload_uses_owner_outcome_number", "reload_uses", ["owner", "outcome", "number"])
    op.create_table(
        "reload_notes",
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("times", sa.BigInteger, nullable=False),
        sa.Column("saved_ms", sa.BigInteger, nullable=False),
        sa.Column("saved_calls", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner", "kind", "reason", name="pk_reload_notes"),
    )


def _of_entry(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["entry"], ["reload_entries.number"], name=f"fk_{table}_entry", ondelete="CASCADE")
