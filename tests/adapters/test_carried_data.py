"""The data of other packages is there, with its licences, and is the data that the numbers were measured with."""

import hashlib

import pytest

from adapters.carried_data import carried_file

SUMS = {
    "rapidocr/PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "rapidocr/PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "wordllama/l2_supercat_256.safetensors": "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    "wordllama/l2_supercat_tokenizer_config.json": "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
}


@pytest.mark.parametrize("name", list(SUMS))
def test_each_file_is_byte_for_byte_the_one_that_was_published(name: str) -> None:
    assert hashlib.sha256(carried_file(*name.split("/")).read_bytes()).hexdigest() == SUMS[name]


@pytest.mark.parametrize(
    ("package", "name", "says"),
    [
        ("rapidocr", "LICENSE", "Apache License"),
        ("rapidocr", "MODEL_LICENSES.md", "PP-OCR"),
        ("wordllama", "LICENSE", "MIT License"),
    ],
)
def test_the_licences_of_the_data_are_beside_it(package: str, name: str, says: str) -> None:
    text = carried_file(package, name).read_text(encoding="utf-8")
    assert says.lower() in text.lower()


def test_what_no_package_carries_is_missing() -> None:
    for package in ("rapidocr", "no-such-package"):
        with pytest.raises(FileNotFoundError):
            carried_file(package, "nothing.onnx")
