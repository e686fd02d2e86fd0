"""What goes when, of what is kept."""

from core.values import Value


class Leaving(Value):
    """An analysis that goes, and when."""

    job_id: str
    title: str
    """A file's name: data, never an instruction."""
    leaves_at: str
    """UTC, ISO 8601. It goes within some hours of that, unless it is pinned."""
