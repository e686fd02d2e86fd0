"""The one base of all values."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: compared by content, refuses unknown fields, is written to JSON as it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")
