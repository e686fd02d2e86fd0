"""The ten-step form through each family of models: only the provider differs, and the order tells how it went."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.runs.run import RunOutcome
from tests.fakes.models.model_families import Families, model_families
from tests.fakes.runs.replaying import Replays, form_case

pytestmark = pytest.mark.screen

ADA = {
    "recipient": "Ada Lovelace",
    "street": "Kaivokatu 12 {C}",
    "city": "Helsinki",
    "country": "Finland",
    "weight": "3.5",
    "pickup_date": "2026-12-01",
    "pickup_code": "4711",
    "note": "Ring twice",
}
BO = {
    "recipient": "Bo Nyström",
    "street": "Storgatan 7",
    "city": "Malmö",
    "country": "Sweden",
    "weight": "12",
    "pickup_date": "2027-01-31",
    "pickup_code": "pass {recipient}",
    "note": "",
}


@pytest.fixture(scope="module")
def families() -> Iterator[Families]:
    with model_families() as all_of_them:
        yield all_of_them


@pytest.mark.parametrize(
    ("provider", "values"),
    [("openai", BO), *((name, ADA) for name in ("anthropic", "gemini", "tagged"))],
)
@pytest.mark.nightly
def test_the_form_is_filled_in_by_changing_only_the_provider(
    families: Families, provider: str, values: dict[str, str], tmp_path: Path
) -> None:
    with form_case(tmp_path / "workflows", **values) as case:
        run = Replays(tmp_path, families.makers).run(case, provider=provider)
        order = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert run.provider == provider
    assert run.extracts == {"extract_0": "1042"}
    assert order == {
        **{name: values[name] for name in ("recipient", "street", "city", "country", "weight", "note")},
        "date": values["pickup_date"],
        "code": values["pickup_code"],
        "service": "Express",
        "fragile": True,
    }


@pytest.mark.nightly
@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai", "tagged"])
def test_a_model_reads_what_the_page_tells_of_its_fields_where_that_is_set(provider: str, tmp_path: Path) -> None:
    with model_families(elements=True) as told, form_case(tmp_path / "workflows", **ADA) as case:
        run = Replays(tmp_path, told.makers).run(case, provider=provider)
        sent = "".join(request.body.decode() for request in told.servers[provider].requests)

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    text = sent.replace('\\"', '"')
    lines = [
        json.JSONDecoder().raw_decode(text, each.start())[0] for each in re.finditer(r'\{"role": "\w+", "name"', text)
    ]
    (city, *_) = [each for each in lines if each["name"] == "City" and each.get("value") == ""]
    assert (city["role"], len(city["at"])) == ("textbox", 2)
    assert "Helsinki" in {each.get("value") for each in lines}
    # What a password field holds is never read.
    assert all("value" not in each for each in lines if each["name"] == "Pickup code")
