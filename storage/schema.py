"""The tables as they are now; ``migrations/`` says how an older database gets here, and a test that both agree."""

import sqlalchemy as sa

HEAD = "0010"
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
    # At how many ends of the daemon's process it was running that may have been its fault (``adapters.jobs.suspects``).
    sa.Column("deaths", sa.Integer, nullable=False, server_default="0"),
    # SHA-256 of what it answers, where others may ask the same and share it.
    sa.Column("question", sa.String(64)),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("result", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("finished_at", sa.String(32)),
    # The token that asked for it first; empty for the machine's own account.
    sa.Column("submitter", sa.String(64), nullable=False, server_default=""),
    # W3C's header, as the caller sent it.
    sa.Column("traceparent", sa.String(64)),
    # When its last attempt began.
    sa.Column("begun_at", sa.String(32)),
    # Somebody wants it kept, whatever the retention says.
    sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()),
    # When it goes, once that was told.
    sa.Column("leaves_at", sa.String(32)),
    # Where its answer's pictures lie.
    sa.Column("folder", sa.Text),
    sa.Index("ix_jobs_id", "id", unique=True),
    sa.Index("ix_jobs_owner_state_submitter", "owner", "state", "submitter"),
    sa.Index("ix_jobs_folder", "folder"),
    sa.Index("ix_jobs_state", "state"),
    sa.Index("ix_jobs_question", "question"),
    sa.Index("ix_jobs_kind_number", "kind", "number"),
    sqlite_autoincrement=True,
)

WORKERS = sa.Table(
    "workers",
    METADATA,
    # The executor of DBOS: new with each start of a process.
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("owner", sa.String(128), nullable=False),
    # By the database's clock: those of several hosts differ.
    sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
)

JOB_BRIEFS = sa.Table(
    "job_briefs",
    METADATA,
    sa.Column("job", sa.Integer, sa.ForeignKey("jobs.number", ondelete="CASCADE"), primary_key=True),
    # core.job_briefs.BriefJob; a table of its own, for what a row holds behind megabytes is read with them.
    sa.Column("brief", sa.Text, nullable=False),
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
    # The installation: another one's files are not here. Empty of answers that are older than the column.
    sa.Column("owner", sa.String(128), nullable=False, server_default=""),
    sa.Column("video_sha256", sa.String(64), nullable=False),
    sa.Column("question", sa.String(64), nullable=False),
    sa.Column("provider", sa.String(32), nullable=False),
    sa.Column("model", sa.String(128), nullable=False),
    sa.Column("response_path", sa.Text, nullable=False),
    # Hash of the written file: a file that was put there or changed by another program is no answer of ours.
    sa.Column("response_sha256", sa.String(64), nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Index("ix_analyses_owner_video_sha256_question", "owner", "video_sha256", "question"),
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

RELOAD_ENTRIES = sa.Table(
    "reload_entries",
    METADATA,
    # AUTOINCREMENT: an agent may hold the id of one that was removed.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(128), nullable=False),
    # SHA-256 of the owner and the gate, or the origin: as they stand, they can be longer than an index takes.
    sa.Column("gate", sa.String(64), nullable=False),
    sa.Column("origin", sa.String(64), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # Bytes of its document.
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
    # When it was first found to have been idle too long; one reading of a clock removes nothing.
    sa.Column("expired_at", sa.String(32)),
    # This version cannot read its document: it is kept for one that can, and otherwise ignored.
    sa.Column("set_aside", sa.Boolean, nullable=False),
    # How its words are filed (``storage.reload.index.FORM``); filed in another form it would not be found.
    sa.Column("forms", sa.String(16)),
    sa.Index("ix_reload_entries_owner_set_aside_last_used", "owner", "set_aside", "last_used", "number", "size"),
    sa.Index("ix_reload_entries_origin_last_used", "origin", "last_used"),
    sqlite_autoincrement=True,
)

RELOAD_DOCUMENTS = sa.Table(
    "reload_documents",
    METADATA,
    # Apart, because a use rewrites the row of its entry, and pictures of targets are large.
    sa.Column(
        "entry",
        sa.Integer,
        sa.ForeignKey("reload_entries.number", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("document", sa.Text, nullable=False),
)

RELOAD_KEYS = sa.Table(
    "reload_keys",
    METADATA,
    # SHA-256 of the owner, the gate and the exact key.
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("entry", sa.Integer, sa.ForeignKey("reload_entries.number", ondelete="CASCADE"), primary_key=True),
    sa.Index("ix_reload_keys_entry", "entry"),
)

RELOAD_TERMS = sa.Table(
    "reload_terms",
    METADATA,
    # The gate as it is kept in ``reload_entries``: terms of other gates are never looked at.
    sa.Column("gate", sa.String(64), primary_key=True),
    # The first letters of a word of the entry's requests; ``storage.reload.index`` cuts them.
    sa.Column("term", sa.String(8), primary_key=True),
    sa.Column("entry", sa.Integer, sa.ForeignKey("reload_entries.number", ondelete="CASCADE"), primary_key=True),
    sa.Index("ix_reload_terms_entry", "entry"),
)

RELOAD_PHRASINGS = sa.Table(
    "reload_wordings",
    METADATA,
    sa.Column(
        "entry",
        sa.Integer,
        sa.ForeignKey("reload_entries.number", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    # JSON: the words of each of its requests, values left out. By them it is ranked without reading its document.
    sa.Column("words", sa.Text, nullable=False),
)

RELOAD_USES = sa.Table(
    "reload_uses",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(128), nullable=False),
    # May be gone: what it saved counts all the same.
    sa.Column("entry", sa.Integer, nullable=False),
    sa.Column("job_id", sa.String(200), nullable=False),
    sa.Column("begun_at", sa.String(32), nullable=False),
    sa.Column("outcome", sa.String(16)),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("saved_ms", sa.BigInteger, nullable=False),
    sa.Column("saved_calls", sa.BigInteger, nullable=False),
    sa.Index("ix_reload_uses_entry_number", "entry", "number"),
    sa.Index("ix_reload_uses_owner_outcome_number", "owner", "outcome", "number"),
    sqlite_autoincrement=True,
)

RELOAD_NOTES = sa.Table(
    "reload_notes",
    METADATA,
    # Of the kind ``use`` the reason is the outcome: uses themselves are not kept for ever.
    sa.Column("owner", sa.String(128), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("reason", sa.String(200), primary_key=True),
    sa.Column("times", sa.BigInteger, nullable=False),
    sa.Column("saved_ms", sa.BigInteger, nullable=False),
    sa.Column("saved_calls", sa.BigInteger, nullable=False),
)

TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("owner", sa.String(128), primary_key=True),
    sa.Column("name", sa.String(64), primary_key=True),
    # The part of the token by which its row is found; no secret.
    sa.Column("key", sa.String(16), nullable=False),
    # SHA-256 of the whole token, which has 256 random bits.
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("scope", sa.String(16), nullable=False),
    sa.Column("created_at", sa.String(32), nullable=False),
    sa.Column("expires_at", sa.String(32)),
    # The day alone: a use then writes once a day.
    sa.Column("used_on", sa.String(10), nullable=False),
    # How many of its jobs may wait, and how many bytes it may send a day; NULL for no limit.
    sa.Column("waiting", sa.Integer),
    sa.Column("bytes_a_day", sa.BigInteger),
    sa.Index("ix_tokens_owner_key", "owner", "key", unique=True),
)

SUBMISSIONS = sa.Table(
    "submissions",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    # A job has several when it was joined by others who asked the same.
    sa.Column("job_id", sa.String(64), nullable=False),
    # A token's name; empty for the machine's own account and the token file.
    sa.Column("submitter", sa.String(64), nullable=False),
    sa.Column("label", sa.String(64), nullable=False),
    # Bytes of the video that was sent.
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("submitted_at", sa.String(32), nullable=False),
    sa.Column("owner", sa.String(128), nullable=False, server_default=""),
    sa.Index("ix_submissions_owner_submitter_submitted_at", "owner", "submitter", "submitted_at"),
    sa.Index("ix_submissions_job_id_submitter", "job_id", "submitter"),
    sa.Index("ix_submissions_submitter_number", "submitter", "number"),
    sa.Index("ix_submissions_label_number", "label", "number"),
)

PROMISES = sa.Table(
    "promises",
    METADATA,
    # To whom a place was promised when it was told to come back later, and from when on.
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("submitter", sa.String(64), nullable=False),
    # Milliseconds since 1970.
    sa.Column("due_ms", sa.BigInteger, nullable=False),
    sa.Index("ix_promises_owner_submitter_due_ms", "owner", "submitter", "due_ms"),
)
