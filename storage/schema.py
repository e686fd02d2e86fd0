"""The tables as they are now; ``migrations/`` says how an older database gets here, and a test that both agree."""

from __future__ import annotations

import sqlalchemy as sa

HEAD = "0002"
"""The newest revision in ``migrations/versions``; known here so that a start without older tables loads no Alembic."""

REVISION = sa.Table(
    "alembic_version",
    # Alembic's own: it finds there which of our migrations the tables have behind them.
    sa.MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    sa.Column("version_num", sa.String(32), primary_key=True),
)

METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

JOBS = sa.Table(
    "jobs",
    METADATA,
    # Order of submission; the id is what the outside sees.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("begun", sa.Integer, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("result", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("finished_at", sa.String(32)),
    sa.Index("ix_jobs_id", "id", unique=True),
    sa.Index("ix_jobs_state", "state"),
    sqlite_autoincrement=True,
)

JOB_EVENTS = sa.Table(
    "job_events",
    METADATA,
    # AUTOINCREMENT: ids are never given twice, also after the newest rows were pruned.
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.String(64), sa.ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("stored_at", sa.String(32), nullable=False),
    sa.Column("stage", sa.String(16), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("ix_job_events_job_id_id", "job_id", "id"),
    sqlite_autoincrement=True,
)

ANALYSES = sa.Table(
    "analyses",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("video_sha256", sa.String(64), nullable=False),
    sa.Column("question", sa.String(64), nullable=False),
    sa.Column("provider", sa.String(32), nullable=False),
    sa.Column("model", sa.String(128), nullable=False),
    sa.Column("response_path", sa.Text, nullable=False),
    # What was written: a file that somebody else put there or changed is no answer of ours.
    sa.Column("response_sha256", sa.String(64), nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("ix_analyses_video_sha256_question", "video_sha256", "question"),
)

SCHEDULES = sa.Table(
    "schedules",
    METADATA,
    # Installations that share a database have tasks of their own, which may be called the same.
    sa.Column("owner", sa.String(128), primary_key=True),
    sa.Column("task", sa.String(128), primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("handled", sa.String(32), nullable=False),
    sa.Column("ceiling", sa.String(32)),
)

SCHEDULE_DECISIONS = sa.Table(
    "schedule_decisions",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("task", sa.String(128), nullable=False),
    sa.Column("moment", sa.String(32), nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("job_id", sa.String(64)),
    sa.Column("decided_at", sa.String(32), nullable=False),
    sa.Index("ix_schedule_decisions_owner_task_number", "owner", "task", "number"),
)
