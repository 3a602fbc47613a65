"""Tests of pairing: by question id, and with what left the pair listed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.outcomes import (
    Paired,
    pair,
    pair_answers,
    pair_runs,
)
from pytest_vdg.outcomes.columns import COUNTED, among, column, counted_in_all
from pytest_vdg.outcomes.extent import wanted
from pytest_vdg.runs import AskedQuestion, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.stats.mcnemar import mcnemar

LETTERS = {
    "+": Outcome.CORRECT,
    "-": Outcome.WRONG,
    "?": Outcome.UNPARSED,
    "!": Outcome.FAILED,
    "/": Outcome.NOT_APPLICABLE,
}
"""One letter a question, so that a test shows its answers as a drawing."""


def drawn(**conditions: str) -> Run:
    """Return a run of questions a, b, c, ... answered as drawn.

    Two questions share a video; the first half is of task "order".
    """
    ids = "abcdefghijklmnopqrstuvwxyz"[: len(next(iter(conditions.values())))]
    questions = tuple(
        AskedQuestion(
            id=id_,
            video=f"{i // 2}.mp4",
            task="order" if i < len(ids) / 2 else "count",
            labels=("A", "B"),
            answer="A",
            digest=f"of {id_}",
        )
        for i, id_ in enumerate(ids)
    )
    cells = {
        (id_, condition): CellResult(
            question_id=id_,
            condition=condition,
            outcome=LETTERS[letter],
            reason="out of memory" if letter == "!" else None,
        )
        for condition, letters in conditions.items()
        for id_, letter in zip(ids, letters, strict=True)
    }
    return Run(
        checkpoint="made-up",
        slice_name="slice-1",
        questions=questions,
        conditions=tuple(conditions),
        cells=cells,
        fingerprint=Fingerprint(
            comparable={"dtype": "bf16"}, subject={}, informative={}
        ),
    )


def by_id(paired: Paired) -> dict[str, tuple[bool, bool]]:
    """Return (treated, control) by question id."""
    rows = zip(
        paired.question_ids,
        paired.treated.tolist(),
        paired.control.tolist(),
        strict=True,
    )
    return {id_: (treated, control) for id_, treated, control in rows}


def in_order(run: Run, order: Callable[[list[AskedQuestion]], None]) -> Run:
    """Return *run* with questions and cells moved by *order*."""
    questions = list(run.questions)
    order(questions)
    cells = {(q.id, c): run.cells[q.id, c] for q in questions for c in run.conditions}
    return replace(run, questions=tuple(questions), cells=cells)


def test_the_four_cells_by_hand() -> None:
    """Each question falls in one of both, treated only, control only, neither."""
    paired = pair(drawn(original="++++--", black="++---+"), control="black")
    assert (paired.both, paired.treated_only) == (2, 2)
    assert (paired.control_only, paired.neither) == (1, 1)
    assert (paired.n, paired.n_videos) == (6, 3)
    assert paired.differences.tolist() == [0, 0, 1, 1, 0, -1]


def test_unparsed_counts_as_not_correct() -> None:
    """A reply that chose no option stays in the pair, as not right."""
    paired = pair(drawn(original="+?", black="?+"), control="black")
    assert by_id(paired) == {"a": (True, False), "b": (False, True)}
    assert paired.excluded == ()


def test_failed_leaves_the_pair_and_is_listed() -> None:
    """A cell without a reply takes its question out, with the cell and why."""
    paired = pair(drawn(original="+!++", black="-+/-"), control="black")
    assert paired.question_ids == ("a", "d")
    lost = [(e.question_id, e.condition, e.outcome) for e in paired.excluded]
    assert lost == [
        ("b", "original", Outcome.FAILED),
        ("c", "black", Outcome.NOT_APPLICABLE),
    ]
    assert paired.excluded[0].reason == "out of memory"


def test_no_question_goes_missing() -> None:
    """Judged and excluded questions together are the slice."""
    run = drawn(original="+!+?/+", black="-+/!!-")
    paired = pair(run, control="black")
    listed = {e.question_id for e in paired.excluded}
    assert sorted(listed | set(paired.question_ids)) == [q.id for q in run.questions]
    assert not listed & set(paired.question_ids)


def test_nothing_in_common_cannot_be_judged() -> None:
    """Where each question failed on one side there is no gap, not one of zero."""
    with pytest.raises(CouldNotBeJudged, match=r"no question.*\(2 excluded\)"):
        pair(drawn(original="+!", black="!+"), control="black")


def test_an_empty_slice_cannot_be_judged() -> None:
    """No question asked is no gap."""
    with pytest.raises(CouldNotBeJudged, match="no question of slice 'slice-1'"):
        pair(drawn(original="", black=""), control="black")


def test_a_condition_that_was_not_run_cannot_be_judged() -> None:
    """A missing condition is named, not read as wrong."""
    with pytest.raises(CouldNotBeJudged, match="'shuffled' was not run"):
        pair(drawn(original="+", black="-"), control="shuffled")


def test_a_task_restricts_the_pair() -> None:
    """Only the questions of the task, and only their exclusions, are in the pair."""
    run = drawn(original="+++!", black="!---")
    paired = pair(run, control="black", task="count")
    assert paired.question_ids == ("c",)
    assert [e.question_id for e in paired.excluded] == ["d"]
    assert set(paired.tasks) == {"count"}


@given(st.randoms(use_true_random=False))
def test_order_in_the_file_does_not_matter(order: random.Random) -> None:
    """Questions and cells in any order give the same pairs."""
    run = drawn(original="++-?!+-+", black="+--+-/+-")
    moved = in_order(run, order.shuffle)
    assert by_id(pair(moved, control="black")) == by_id(pair(run, control="black"))


def test_kept_restricts_to_ids() -> None:
    """A subset keeps order, videos and tasks together with their answers."""
    paired = pair(drawn(original="+-+-", black="--++"), control="black")
    kept = paired.kept({"d", "b"})
    assert kept.question_ids == ("b", "d")
    assert kept.video_ids == ("0.mp4", "1.mp4")
    assert by_id(kept) == {"b": (False, False), "d": (False, True)}
    assert paired.kept(()).n == 0


def test_kept_keeps_what_was_counted_wrong_of_them() -> None:
    """A subset tells of its own cells without a reply, and of no other's."""
    run = drawn(original="+!+!", black="----")
    paired = pair(run, control="black", missing="wrong")
    assert [e.question_id for e in paired.counted_wrong] == ["b", "d"]
    kept = paired.kept({"a", "d"})
    assert [e.question_id for e in kept.counted_wrong] == ["d"]
    assert by_id(kept)["d"] == (False, False)


def test_two_runs_are_joined_by_id() -> None:
    """A baseline in another order is compared question by question."""
    now = drawn(original="+++-", black="----")
    then = drawn(original="-+++", black="---+")
    backwards = in_order(then, list.reverse)
    runs = pair_runs(now, backwards, control="black")
    assert runs.then.question_ids == runs.now.question_ids == tuple("abcd")
    # now: 1 1 1 0, then: 0 1 1 0
    assert runs.changes.tolist() == [1, 0, 0, 0]
    straight = pair_runs(now, then, control="black")
    assert runs.changes.tolist() == straight.changes.tolist()
    assert runs.then.video_ids == straight.then.video_ids
    assert runs.then.tasks == straight.then.tasks


def test_shuffled_ids_do_not_blur_a_paired_test() -> None:
    """220 strongly paired answers give the same p in another order of the file."""
    rng = np.random.default_rng(42)
    base = rng.random(26) < 0.5
    worse = base & ~(rng.random(26) < 0.4)
    run = drawn(
        original="".join("+" if x else "-" for x in base),
        black="".join("+" if x else "-" for x in worse),
    )
    moved = in_order(run, random.Random(1).shuffle)
    pvalues = set()
    for each in (run, moved):
        paired = pair(each, control="black")
        result = mcnemar(
            treated_only=paired.treated_only, control_only=paired.control_only
        )
        pvalues.add(result.pvalue)
    assert len(pvalues) == 1
    assert pvalues.pop() < 0.1


def test_what_one_run_lost_leaves_both() -> None:
    """A question judged in one run only is dropped from both, and listed."""
    now = drawn(original="+!+", black="---")
    then = drawn(original="+++", black="--!")
    runs = pair_runs(now, then, control="black")
    assert runs.now.question_ids == runs.then.question_ids == ("a",)
    assert runs.dropped == ("b", "c")


@given(st.text("+-?!/", min_size=1, max_size=12), st.data())
def test_columns_say_what_the_cells_say(letters: str, data: st.DataObject) -> None:
    """Counting arrays and looking at each cell are the same thing."""
    other = data.draw(st.text("+-?!/", min_size=len(letters), max_size=len(letters)))
    run = drawn(original=letters, black=other)
    chosen = data.draw(st.sets(st.sampled_from(Outcome)))
    assert among(column(run, "black"), chosen).tolist() == [
        run.cells[q.id, "black"].outcome in chosen for q in run.questions
    ]
    for missing, outcomes in COUNTED.items():
        assert counted_in_all(run, ["original", "black"], missing=missing).tolist() == [
            all(run.cells[q.id, c].outcome in outcomes for c in run.conditions)
            for q in run.questions
        ]


def test_no_question_judged_in_both_runs_cannot_be_judged() -> None:
    """Two runs that failed on each other's questions have no change."""
    now = drawn(original="+!", black="--")
    then = drawn(original="!+", black="--")
    with pytest.raises(
        CouldNotBeJudged, match=r"no question of slice .* was judged in both runs"
    ):
        pair_runs(now, then, control="black")


def test_another_set_of_questions_is_refused_by_id() -> None:
    """A longer slice is no regression: the ids that differ are named."""
    now, then = drawn(original="+++", black="---"), drawn(original="++", black="--")
    with pytest.raises(NotComparable) as error:
        pair_runs(now, then, control="black")
    assert "1 question is not in the baseline (first: c)" in str(error.value)
    with pytest.raises(NotComparable, match=r"only in the baseline \(first: c\)"):
        pair_runs(then, now, control="black")


def test_a_reworded_question_is_refused_by_id() -> None:
    """The same id with other text or key is another question."""
    run = drawn(original="++", black="--")
    reworded = replace(run.questions[1], digest="another")
    now = replace(run, questions=(run.questions[0], reworded))
    with pytest.raises(NotComparable, match=r"question changed its text.*\(first: b\)"):
        pair_runs(now, run, control="black")


def test_a_question_of_another_video_is_refused_by_id() -> None:
    """The same text asked of another clip is another question."""
    run = drawn(original="++", black="--")
    moved = replace(run.questions[0], video="other.mp4")
    now = replace(run, questions=(moved, run.questions[1]))
    with pytest.raises(NotComparable, match=r"another video \(first: a\)"):
        pair_runs(now, run, control="black")


def test_settings_that_differ_are_named() -> None:
    """Runs made with other settings are refused with the fields that differ."""
    run = drawn(original="+", black="-")
    other = Fingerprint(
        comparable={"dtype": "fp16", "frames": "8"}, subject={}, informative={}
    )
    with pytest.raises(NotComparable) as error:
        require_comparable(run, replace(run, fingerprint=other))
    message = str(error.value)
    assert "dtype: bf16, was fp16" in message
    assert "frames: None, was 8" in message
    assert "--vdg-update-baseline" in message


def test_other_weights_and_versions_are_comparable() -> None:
    """What is under test may differ, and so may package versions."""
    run = drawn(original="+", black="-")
    newer = Fingerprint(
        comparable={"dtype": "bf16"},
        subject={"weights": "new"},
        informative={"torch": "2.9"},
    )
    require_comparable(replace(run, fingerprint=newer), run)


def test_a_run_against_itself_has_not_changed() -> None:
    """No question changes between a run and itself, and none is dropped."""
    run = drawn(original="+-?!", black="-+-+")
    runs = pair_runs(run, run, control="black")
    assert runs.changes.tolist() == [0, 0, 0]
    assert runs.dropped == ()


def test_failed_can_count_as_wrong() -> None:
    """The other policy keeps the question, and lists the cell that had no reply."""
    run = drawn(original="+!+-", black="-+!/")
    paired = pair(run, control="black", missing="wrong")
    assert by_id(paired) == {
        "a": (True, False),
        "b": (False, True),
        "c": (True, False),
    }
    lost = [(e.question_id, e.condition) for e in paired.counted_wrong]
    assert lost == [("b", "original"), ("c", "black")]
    assert paired.missing == "wrong"
    assert [e.question_id for e in paired.excluded] == ["d"]


def test_what_was_wanted_is_counted_by_task() -> None:
    """Of a run that was cut short the plan is what counts, and of it the task."""
    run = drawn(original="++-?!")
    assert (wanted(run), wanted(run, "order"), wanted(run, ["count"])) == (5, 3, 2)
    cut = replace(run, planned={"order": 30, "count": 10, "colour": 2})
    assert (wanted(cut), wanted(cut, "order")) == (42, 30)
    assert wanted(cut, ["count", "colour"]) == 12


def test_the_policy_is_recorded() -> None:
    """By default what failed leaves, and nothing is counted wrong."""
    paired = pair(drawn(original="+!", black="--"), control="black")
    assert (paired.missing, paired.counted_wrong) == ("drop", ())


def test_an_unknown_policy_is_refused() -> None:
    """A misspelled policy does not become the default."""
    with pytest.raises(ValueError, match="missing must be one of drop, wrong"):
        pair(drawn(original="+", black="-"), control="black", missing="worng")  # type: ignore[arg-type]


def test_all_failed_is_not_all_wrong() -> None:
    """Where no question was judged in both there is no gap, whatever the policy."""
    with pytest.raises(CouldNotBeJudged, match=r"no question.*\(2 excluded\)"):
        pair(drawn(original="+!", black="!+"), control="black", missing="wrong")


def test_both_denominators_are_known() -> None:
    """Matched: the pairs. Unmatched: each condition over its own questions.

    Original is right in 3 of its 4 questions, black in 1 of its 2; on the two
    that both have, in 2 against 1.
    """
    paired = pair(drawn(original="++-+!", black="-+!!!"), control="black")
    assert (paired.n, paired.treated_only, paired.control_only) == (2, 1, 0)
    assert (paired.treated_alone.correct, paired.treated_alone.n) == (3, 4)
    assert (paired.control_alone.correct, paired.control_alone.n) == (1, 2)
    assert paired.unmatched_difference == pytest.approx(0.75 - 0.5)
    wrong = pair(
        drawn(original="++-+!", black="-+!!!"), control="black", missing="wrong"
    )
    assert (wrong.treated_alone.n, wrong.control_alone.n) == (5, 5)
    assert wrong.unmatched_difference == pytest.approx(0.6 - 0.2)


@given(st.text("+-?!", min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_without_missing_answers_the_policies_agree(
    letters: str, order: random.Random
) -> None:
    """They differ in failed cells only, which enter as not correct."""
    original = "+" + letters[1:]
    black = list("-" + letters[1:])
    order.shuffle(black)
    run = drawn(original=original, black="-" + "".join(black).replace("!", "?")[1:])
    kept = pair(run, control="black")
    wrong = pair(run, control="black", missing="wrong")
    assert wrong.n == len(run.questions)
    assert {k: v for k, v in by_id(wrong).items() if k in by_id(kept)} == by_id(kept)
    assert wrong.n - kept.n == len(wrong.counted_wrong)


def test_two_runs_are_joined_under_either_policy() -> None:
    """Failed now and right then is a loss only if the policy says so."""
    now = drawn(original="+!+", black="---")
    then = drawn(original="+++", black="---")
    assert pair_runs(now, then, control="black").now.n == 2
    runs = pair_runs(now, then, control="black", missing="wrong")
    assert runs.changes.tolist() == [0, -1, 0]
    assert runs.dropped == ()
    assert [e.question_id for e in runs.now.counted_wrong] == ["b"]


def test_one_condition_of_two_runs_is_joined() -> None:
    """The answers now are treated, those then control."""
    now = drawn(original="++-!", black="----")
    then = in_order(drawn(original="-+++", black="----"), list.reverse)
    paired = pair_answers(now, then)
    assert by_id(paired) == {
        "a": (True, False),
        "b": (True, True),
        "c": (False, True),
    }
    assert (paired.treated_name, paired.control_name) == (
        "original now",
        "original then",
    )
    assert [e.question_id for e in paired.excluded] == ["d"]
    assert pair_answers(now, then, missing="wrong").control_only == 2
    assert pair_answers(now, then, condition="black").n == 4


def test_one_condition_of_other_questions_is_refused() -> None:
    """Two runs are compared on the same questions or not at all."""
    with pytest.raises(NotComparable, match=r"\(first: c\)"):
        pair_answers(drawn(original="+++"), drawn(original="++"))
    with pytest.raises(CouldNotBeJudged, match="'black' was not run"):
        pair_answers(drawn(original="+"), drawn(original="+"), condition="black")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"task": "moved"}, "1 question is of another task"),
        ({"labels": ("A", "B", "C")}, "text, options or key"),
        ({"answer": "B"}, "text, options or key"),
        ({"video_digest": "other"}, "a video whose content changed"),
    ],
)
def test_whatever_makes_it_another_question_is_named(
    changes: dict[str, object], told: str
) -> None:
    """No edit of a question passes for a change of the model."""
    run = drawn(original="++", black="--")
    known = replace(run.questions[0], video_digest="this")
    first = replace(run, questions=(known, *run.questions[1:]))
    other = replace(run, questions=(replace(known, **changes), *run.questions[1:]))
    with pytest.raises(NotComparable, match=told):
        require_comparable(first, other)


def test_a_video_that_one_run_does_not_know_is_no_difference() -> None:
    """Answers made elsewhere come without the videos, and still compare."""
    run = drawn(original="++", black="--")
    known = replace(run.questions[0], video_digest="this")
    require_comparable(replace(run, questions=(known, *run.questions[1:])), run)


def test_questions_that_differ_are_told_without_the_digest_of_their_slice() -> None:
    """That the slice's digest differs as well is noise beside the ids."""
    run = drawn(original="++", black="--")
    first = replace(
        run.fingerprint, comparable={**run.fingerprint.comparable, "slice": "a"}
    )
    other = replace(first, comparable={**first.comparable, "slice": "b"})
    reworded = replace(run.questions[0], digest="another")
    now = replace(run, fingerprint=first, questions=(reworded, *run.questions[1:]))
    with pytest.raises(NotComparable) as error:
        require_comparable(now, replace(run, fingerprint=other))
    assert "slice: a" not in str(error.value)
    with pytest.raises(NotComparable, match="slice: a, was b"):
        require_comparable(
            replace(run, fingerprint=first), replace(run, fingerprint=other)
        )
