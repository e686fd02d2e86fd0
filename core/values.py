"""The bases of all values."""

from pydantic import AliasGenerator, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Value(BaseModel):
    """A frozen value: compared by content, refuses unknown fields, is written to JSON as it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class View(BaseModel):
    """A frozen value as front ends see it: its fields in camel case; unknown ones are passed over."""

    model_config = ConfigDict(
        frozen=True,
        populate_by_name=True,
        alias_generator=AliasGenerator(serialization_alias=to_camel, validation_alias=to_camel),
        serialize_by_alias=True,
    )
