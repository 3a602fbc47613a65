"""The difference between a blind model and a video that never arrived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.engine.consumption import check_against, check_cell, check_slice
from pytest_vdg.errors import VideoNotConsumed
from pytest_vdg.runs import CellResult, Outcome


def cell(condition: str = "original", **changes: object) -> CellResult:
    """Return a cell of two frames and eight tokens, all as planned."""
    values: dict[str, object] = {
        "question_id": "q1",
        "condition": condition,
        "outcome": Outcome.CORRECT,
        "probabilities": {"A": 0.6, "B": 0.4},
        "label_mass": 0.9,
        "frames_seen": 2,
        "visual_tokens": 8,
        "times_s": (0.0, 1.0),
        "input_digest": condition,
    }
    return CellResult(**(values | changes))  # type: ignore[arg-type]


def blind(**changes: object) -> CellResult:
    """Return a cell that was asked without a video."""
    nothing = {"frames_seen": 0, "visual_tokens": 0, "times_s": ()}
    return cell("text_only", **(nothing | changes))


def light() -> bool:
    """Say that the original is not black."""
    return True


def never() -> bool:
    """Fail: pixels must not be asked for where digests differ."""
    raise AssertionError("pixels were looked at for nothing")


def test_a_cell_as_planned_passes() -> None:
    """Frames and tokens as planned, or neither, raise nothing."""
    check_cell(cell())
    check_cell(blind())


def test_a_single_frame_is_a_video() -> None:
    """One frame, merged into one token, passes as planned and is missed where lost."""
    one = cell(times_s=(0.0,), frames_seen=1, visual_tokens=1)
    check_cell(one)
    with pytest.raises(VideoNotConsumed, match="at least one visual token"):
        check_cell(replace(one, visual_tokens=0))
    same = replace(one, condition="black")
    with pytest.raises(VideoNotConsumed, match="the very same tensors"):
        check_against(same, [one], has_light=light)


@pytest.mark.parametrize(
    ("wrong", "expected", "seen"),
    [
        (cell(frames_seen=0), "2 frames", "got 0"),
        (cell(frames_seen=1), "2 frames", "got 1"),
        (cell(frames_seen=4), "2 frames", "got 4"),
        (cell(visual_tokens=0), "at least one visual token", "got 0"),
        (blind(frames_seen=2), "0 frames", "got 2"),
        (blind(visual_tokens=8), "no visual token", "got 8"),
    ],
)
def test_a_cell_unlike_planned_is_named(
    wrong: CellResult, expected: str, seen: str
) -> None:
    """The error names question, condition, what was expected and what came."""
    with pytest.raises(VideoNotConsumed) as caught:
        check_cell(wrong)
    text = str(caught.value)
    assert f"question 'q1', condition {wrong.condition!r}" in text
    assert expected in text
    assert seen in text
    assert "Check that" in text


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NOT_APPLICABLE])
def test_a_cell_without_a_reply_is_not_checked(outcome: Outcome) -> None:
    """Where nothing was asked, nothing can have been seen."""
    check_cell(cell(outcome=outcome, frames_seen=0, visual_tokens=0))


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NOT_APPLICABLE])
def test_a_cell_without_a_reply_is_compared_with_none(outcome: Outcome) -> None:
    """What failed on its way says nothing of the cells that were answered."""
    lost = cell("black", outcome=outcome, visual_tokens=0, input_digest="original")
    check_against(lost, [cell()], has_light=light)
    check_against(cell(), [lost], has_light=light)


def test_conditions_must_cost_the_same_tokens() -> None:
    """A condition that reaches the model smaller changes more than it says."""
    with pytest.raises(VideoNotConsumed, match=r"as under 'original' \(8\), got 4"):
        check_against(cell("black", visual_tokens=4), [cell()], has_light=never)


def test_text_only_costs_other_tokens() -> None:
    """Without a video there are no tokens to compare."""
    check_against(blind(), [cell()], has_light=never)
    check_against(cell(), [blind()], has_light=never)


def test_more_frames_may_cost_more_tokens() -> None:
    """A condition that shows other frames is not held to the same number."""
    longer = cell(
        "frames", visual_tokens=16, frames_seen=4, times_s=(0.0, 1.0, 2.0, 3.0)
    )
    check_against(longer, [cell()], has_light=never)


def test_black_must_be_another_input() -> None:
    """The same tensors for a lit clip and for black: the pixels were lost."""
    same = cell("black", input_digest="original")
    with pytest.raises(VideoNotConsumed, match="the very same tensors"):
        check_against(same, [cell()], has_light=light)
    with pytest.raises(VideoNotConsumed, match="the very same tensors"):
        check_against(cell(), [same], has_light=light)


def test_a_black_original_may_be_the_same_input() -> None:
    """A clip that is black itself is no sign of a lost video."""
    same = cell("black", input_digest="original")
    check_against(same, [cell()], has_light=lambda: False)


def test_other_conditions_may_be_the_same_input() -> None:
    """A still clip looks the same shuffled or not."""
    same = cell("shuffled", input_digest="original")
    check_against(same, [cell()], has_light=never)


def cells(*made: CellResult) -> dict[tuple[str, str], CellResult]:
    """Return *made* by question and condition."""
    return {(c.question_id, c.condition): c for c in made}


def test_bit_equal_probabilities_everywhere_are_no_blindness() -> None:
    """Numbers equal to the last bit on all questions mean an equal input."""
    made = cells(
        cell(), cell("black"), cell(question_id="q2"), cell("black", question_id="q2")
    )
    with pytest.raises(VideoNotConsumed, match="bit-equal ones on all 2 questions"):
        check_slice(made)


@pytest.mark.parametrize(
    "changes",
    [{"probabilities": {"A": 0.6 + 1e-12, "B": 0.4 - 1e-12}}, {"label_mass": 0.91}],
)
def test_one_bit_of_difference_is_blindness_at_most(changes: dict[str, object]) -> None:
    """A model that saw the video and ignored it is judged, not excused."""
    check_slice(
        cells(
            cell(),
            cell("black"),
            cell(question_id="q2"),
            cell("black", question_id="q2", **changes),
        )
    )


def test_replies_without_probabilities_are_not_compared() -> None:
    """Two equal letters are what a blind model gives."""
    check_slice(cells(cell(probabilities=None), cell("black", probabilities=None)))


def test_a_black_original_is_not_compared() -> None:
    """An equal input has equal probabilities, rightly so."""
    check_slice(cells(cell(), cell("black", input_digest="original")))


def test_a_run_without_black_is_not_compared() -> None:
    """Where the conditions were not asked for there is nothing to check."""
    check_slice(cells(cell(), cell("shuffled")))


@pytest.mark.parametrize(
    "condition", ["shuffled", "shuffled:blocks", "reversed", "mismatched"]
)
def test_other_pictures_must_be_another_input_somewhere(condition: str) -> None:
    """One clip may look the same to a model; that all do means none arrived."""

    def asked(question_id: str, digest: str) -> list[CellResult]:
        original = cell(question_id=question_id, input_digest="original")
        return [original, replace(original, condition=condition, input_digest=digest)]

    check_slice(cells(*asked("q1", "original"), *asked("q2", "other")))
    same = cells(*asked("q1", "original"), *asked("q2", "original"))
    with pytest.raises(VideoNotConsumed, match=r"on all 2 questions") as caught:
        check_slice(same)
    assert f"question 'q1', condition {condition!r}" in str(caught.value)


def test_one_frame_all_over_may_be_the_same_input() -> None:
    """Videos of a single frame look the same as that frame repeated."""
    check_slice(cells(cell(), cell("single_frame", input_digest="original")))


@pytest.mark.parametrize("lost", ["original", "reversed"])
@pytest.mark.parametrize(
    "changes", [{"outcome": Outcome.FAILED}, {"input_digest": None}]
)
def test_inputs_that_are_not_known_prove_nothing(
    lost: str, changes: dict[str, object]
) -> None:
    """Without a reply, or a digest, on one side there is nothing to compare."""
    conditions = ("original", "reversed")
    made = [
        cell(c, **({"input_digest": "d"} | (changes if c == lost else {})))
        for c in conditions
    ]
    check_slice(cells(*made))
    known = [cell(c, question_id="q2", input_digest="d") for c in conditions]
    with pytest.raises(VideoNotConsumed, match=r"on all 1 question\."):
        check_slice(cells(*made, *known))


@pytest.mark.parametrize("lost", ["original", "black"])
@pytest.mark.parametrize(
    "changes", [{"outcome": Outcome.FAILED}, {"probabilities": None}]
)
def test_numbers_that_are_not_known_prove_nothing(
    lost: str, changes: dict[str, object]
) -> None:
    """A question without numbers on one side neither excuses the others nor accuses."""
    conditions = ("original", "black")
    made = [cell(c, **(changes if c == lost else {})) for c in conditions]
    check_slice(cells(*made))
    known = [cell(c, question_id="q2") for c in conditions]
    with pytest.raises(VideoNotConsumed, match=r"question 'q2'.*on all 1 question\."):
        check_slice(cells(*made, *known))
