"""The verdicts on scripted expectations, each with its reason and what proves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.analysis import Evidence, Unread, Verdict, VerdictResult
from core.errors import InvalidPath, InvalidRequest
from core.expectations import check_expectations, demand_evidence, judge, judge_all, read_sidecar
from tests.fakes.videos.clips import findings, line, shop, typed, video

SCRIPT = Path(__file__).with_name("expectations.txt").read_text(encoding="utf-8").splitlines()
SCRIPTED = [tuple(part.strip() for part in row.split(" | ")) for row in SCRIPT if row and not row.startswith("#")]
PASS, FAIL, UNCLEAR = VerdictResult.PASS, VerdictResult.FAIL, VerdictResult.UNCLEAR


@pytest.mark.parametrize("row", SCRIPTED, ids=[row[1] for row in SCRIPTED])
def test_a_scripted_expectation_gets_its_true_verdict_and_a_reason(row: tuple[str, ...]) -> None:
    verdict = judge(row[1], shop(), video())
    assert verdict.verdict == row[0], verdict.reason
    assert row[2].casefold() in verdict.reason.casefold() if row[2:] else verdict.reason
    assert verdict.evidence or verdict.verdict is not PASS


def test_judging_all_gives_one_verdict_each_in_the_order_asked() -> None:
    asked = ['"Shop" is shown', "the page is blue", '"Error" is shown']
    verdicts = judge_all(asked, shop(), video())
    assert [each.expectation for each in verdicts] == asked
    assert [each.verdict for each in verdicts] == [PASS, UNCLEAR, FAIL]


def test_evidence_names_the_time_the_picture_and_the_words_that_stood_there() -> None:
    assert judge('"confirmed" appears after "Sending"', shop(), video()).evidence == (
        Evidence(t_ms=5000, frame="frames/005000.png", quote="Order 1042 confirmed"),
        Evidence(t_ms=4000, frame="frames/004000.png", quote="Sending…"),
    )


def test_an_absence_is_proved_by_the_whole_clip_and_the_number_of_lines_read() -> None:
    verdict = judge('"Error" is not shown', shop(), video())
    assert verdict.evidence == (Evidence(t_ms=0, frame="frames/000000.png"),)
    assert verdict.reason == 'None of the 17 lines read says "Error".'


def test_a_clip_without_any_text_proves_no_absence() -> None:
    assert judge('"Error" is not shown', findings(), video()).verdict is UNCLEAR
    assert judge('"Saved" is shown', findings(), video()).verdict is FAIL


@pytest.mark.parametrize(
    ("wanted", "seen", "result"),
    [
        ("Order confirmed", "Orderconfirmed", PASS),
        ("Hello, world!", "Hello world", PASS),
        ("check-in", "check in", PASS),
        ("It's done", "It’s done", PASS),  # noqa: RUF001 - the other apostrophe is the point
        ("Loading…", "Loading...", PASS),
        ("modern", "modem", PASS),
        ("Level", "LeveI", PASS),
        ("保存", "已保存", PASS),
        ("Save", "Saved", FAIL),
        ("Saved", "Unsaved", FAIL),
        ("Order", "Reorder", FAIL),
        ("1", "10", FAIL),
        ("10", "10.5", FAIL),
        ("5", "-5", FAIL),
        ("12", "1 2", FAIL),
        ("1.5", "1,5", FAIL),
        ("Version 2.1", "Version 2.7", FAIL),
        ("A1B2C3", "A1B2C4", FAIL),
        ("Fall", "FAIL", UNCLEAR),
        ("log in", "log out", FAIL),
        ("Pool", "P001", UNCLEAR),
        ("1042", "1O42", UNCLEAR),
        ("Order confirmed", "Order confirrned by us", PASS),
        ("Payment accepted", "Payment acccepted", UNCLEAR),
        ("saved", "Not saved", UNCLEAR),
        ("saved", "Your file could not be saved", UNCLEAR),
        ("messages", "No messages", UNCLEAR),
        ("1042", "Order No 1042", PASS),
        ("50%", "50", FAIL),
        ("✓", "✓ Done", PASS),
    ],
)
def test_words_are_forgiven_what_readers_get_wrong_and_digits_nothing(
    wanted: str, seen: str, result: VerdictResult
) -> None:
    verdict = judge(f'"{wanted}" is shown', findings(line(seen), line("Menu", row=9)), video())
    assert verdict.verdict is result, verdict.reason


@pytest.mark.parametrize("expectation", ['"Saving failed" is shown', '"Saving failed" is not shown'])
@pytest.mark.parametrize(("width", "read_whole"), [(300, False), (40, True)])
def test_absence_is_unclear_where_the_text_may_have_stood_among_what_kept_moving(
    expectation: str, width: int, *, read_whole: bool
) -> None:
    seen = findings(line("Menu"), line("Saved", 2000, row=3))
    moving = Unread(t_ms=3000, until_ms=5200, region=(40, 90, width, 24))
    verdict = judge(expectation, seen.model_copy(update={"unread": (moving,)}), video())
    assert (verdict.verdict is not UNCLEAR) is read_whole, verdict.reason
    assert read_whole or "between 00:03.0 and 00:05.2 not all was read" in verdict.reason
    assert judge('"Saved" is shown', seen.model_copy(update={"unread": (moving,)}), video()).verdict is PASS


@pytest.mark.parametrize(
    ("wanted", "result"), [("Do you want to return this material?", UNCLEAR), ("Your loan has ended", FAIL)]
)
def test_letters_that_are_left_of_a_line_may_be_the_wanted_one(wanted: str, result: VerdictResult) -> None:
    seen = findings(line("D yu wt rtun materal?", confidence=0.66), line("Menu", row=9))
    assert judge(f'"{wanted}" is shown', seen, video()).verdict is result


def test_case_matters_only_between_quotes_that_differ_by_it_alone() -> None:
    seen = findings(line("save", 0, 2000), line("SAVE", 2000))
    assert judge('changes from "save" to "SAVE"', seen, video()).verdict is PASS
    assert judge('changes from "SAVE" to "save"', seen, video()).verdict is FAIL
    assert judge('"SaVe" is shown', seen, video()).verdict is PASS


def test_a_text_over_two_lines_of_a_column_is_read_as_one_and_not_across_columns() -> None:
    column = findings(line("Your payment was"), line("accepted by the bank", row=1))
    apart = findings(line("Your payment was"), line("accepted by the bank", row=1, x=700))
    one_after_another = findings(line("Your payment was", 0, 2000), line("accepted by the bank", 3000, row=1))
    denied = findings(line("It is not true that your payment"), line("was accepted", row=1))
    expectation = '"your payment was accepted" is shown'
    assert judge(expectation, column, video()).verdict is PASS
    assert judge(expectation, apart, video()).verdict is FAIL
    assert judge(expectation, one_after_another, video()).verdict is FAIL
    assert judge(expectation, denied, video()).verdict is not PASS


def test_a_text_that_moved_or_was_read_again_appeared_once() -> None:
    moved = findings(line("Saved", 1000, 2000), line("Saved", 2000, 3000, row=3), line("Menu", row=9))
    assert judge('"Saved" appears exactly once', moved, video()).verdict is PASS


def test_two_of_a_text_at_once_make_its_number_unclear() -> None:
    both = findings(line("Saved", 1000, 2000), line("Saved", 1200, 2000, row=3), line("Menu", row=9))
    verdict = judge('"Saved" appears exactly once', both, video())
    assert verdict.verdict is UNCLEAR
    assert "several places at once" in verdict.reason
    assert judge('"Saved" appears at least once', both, video()).verdict is PASS


def test_an_order_that_depends_on_which_of_several_moments_is_meant_is_unclear() -> None:
    seen = findings(line("A1", 1000, 2000), line("B2", 3000, row=2), line("A1", 5000, row=4))
    assert judge('"B2" appears before "A1"', seen, video()).verdict is UNCLEAR
    assert judge('"B2" appears after "A1"', seen, video()).verdict is UNCLEAR


def test_two_texts_of_the_same_frame_have_no_order() -> None:
    seen = findings(line("Left", 1000), line("Right", 1000, row=2))
    assert judge('"Left" appears before "Right"', seen, video()).verdict is UNCLEAR
    assert judge('"Right" appears within 1 s after "Left"', seen, video()).verdict is PASS


def test_a_clip_that_ends_too_early_leaves_a_stay_unclear() -> None:
    seen = findings(line("Done", 9000))
    assert judge('"Done" stays for 3 s', seen, video()).verdict is UNCLEAR
    assert judge('"Done" stays for 1 s', seen, video()).verdict is PASS


def test_limits_outside_of_several_clauses_must_hold_in_either_reading() -> None:
    seen = findings(line("Early", 1000), line("Late", 8000, row=2))
    assert judge('Within 3 s "Early" appears and "Late" appears', seen, video()).verdict is UNCLEAR
    assert judge('Within 9 s "Early" appears and "Late" appears', seen, video()).verdict is PASS


def test_typed_text_needs_a_typed_event() -> None:
    pasted = findings(line("hunter", 1000))
    assert judge('"hunter" is typed', pasted, video()).verdict is UNCLEAR
    letter_by_letter = findings(line("hunter", 1000), timeline=(typed("hunter", 1000, 1900),))
    verdict = judge('"hunter" is typed within 2 s', letter_by_letter, video())
    assert (verdict.verdict, verdict.evidence[0].t_ms) == (PASS, 1900)
    assert judge('"hunter" is not typed', letter_by_letter, video()).verdict is FAIL


def test_a_change_needs_the_same_place_and_moment() -> None:
    elsewhere = findings(line("Count 0", 0, 2000), line("Count 1", 6000, row=20))
    assert judge('changes from "0" to "1"', elsewhere, video()).verdict is UNCLEAR
    beside = findings(line("Count 0"), line("Count 1", 2000, row=20))
    assert judge('changes from "0" to "1"', beside, video()).verdict is FAIL


def test_an_expectation_over_the_limit_is_not_even_read() -> None:
    assert judge('"' * 100_000, shop(), video()).verdict is UNCLEAR


def test_a_models_pass_needs_a_moment_within_the_clip() -> None:
    def given(result: VerdictResult, *times: int) -> Verdict:
        evidence = tuple(Evidence(t_ms=t_ms) for t_ms in times)
        return Verdict(expectation="it works", verdict=result, reason="I saw it.", evidence=evidence)

    asked = [given(PASS), given(PASS, 20_000), given(PASS, -1), given(PASS, 500, 20_000), given(FAIL), given(UNCLEAR)]
    answered = demand_evidence(asked, video())
    assert [each.verdict for each in answered] == [UNCLEAR, UNCLEAR, UNCLEAR, PASS, FAIL, UNCLEAR]
    assert "names no moment" in answered[0].reason
    assert "00:20.0" in answered[1].reason
    assert answered[3].evidence == (Evidence(t_ms=500),)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([""], "Expectation 1 is empty"),
        (["fine", "   "], "Expectation 2 is empty"),
        (["x" * 2001], "2,001 characters"),
        (["x" * 100_000], "100,000 characters"),
        (["a\x00b"], "U+0000"),
        (["a\nb"], "U+000A"),
        (["a\ud800b"], "U+D800"),
        (["x"] * 101, "At most 100"),
        ([7], "must be a text, not int"),
    ],
)
def test_bad_expectations_are_refused_with_their_number(given: list[str], says: str) -> None:
    with pytest.raises(InvalidRequest, match=says.replace("+", r"\+")):
        check_expectations(given)


def test_good_expectations_come_back_stripped() -> None:
    assert check_expectations([' "Saved" is shown ']) == ('"Saved" is shown',)


def test_a_sidecar_holds_one_expectation_a_line(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    assert read_sidecar(clip) == ()
    (tmp_path / "clip.mp4.expect.txt").write_bytes(
        b'\xef\xbb\xbf# what should be\r\n\r\n"Saved" is shown\r\n  no "Error"\n'
    )
    assert read_sidecar(clip) == ('"Saved" is shown', 'no "Error"')


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'"Saved" is shown\n\xff\xfe', "line 2: this is no UTF-8"),
        (b"x" * (1 << 20) + b"y", "larger than"),
        (b"fine\n# no\n" + b"x" * 3000, "line 3"),
        (b"fine\n" * 101, "101 expectations"),
    ],
)
def test_a_bad_sidecar_is_refused_with_its_line(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "clip.mp4.expect.txt").write_bytes(content)
    with pytest.raises(InvalidRequest, match=says):
        read_sidecar(tmp_path / "clip.mp4")


def test_a_sidecar_cannot_name_a_file_of_another_folder(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    (tmp_path / "private.txt").write_text("the user's own")
    (clips / "shared.txt").write_text('"Saved" is shown')
    (clips / "a.mp4.expect.txt").symlink_to(tmp_path / "private.txt")
    (clips / "b.mp4.expect.txt").symlink_to("shared.txt")

    with pytest.raises(InvalidPath, match="leads out of its folder"):
        read_sidecar(clips / "a.mp4")
    assert read_sidecar(clips / "b.mp4") == ('"Saved" is shown',)


def test_a_sidecar_that_is_no_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "clip.mp4.expect.txt").mkdir()
    assert read_sidecar(tmp_path / "clip.mp4") == ()
