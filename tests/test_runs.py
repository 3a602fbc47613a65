"""Tests of outcomes and runs: nothing is absent silently."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pytest

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import (
    AskedQuestion,
    Caps,
    CellResult,
    Fingerprint,
    Outcome,
    Run,
)


def asked(
    id_: str, *, task: str = "order", video: str = "clip.mp4", options: int = 4
) -> AskedQuestion:
    """Return a question with *options* options, keyed A."""
    labels = tuple("ABCDEFGH"[:options])
    return AskedQuestion(
        id=id_, video=video, task=task, labels=labels, answer="A", digest=f"of {id_}"
    )


def made_up(outcomes: dict[str, dict[str, Outcome]], *questions: AskedQuestion) -> Run:
    """Return a run with *outcomes* by condition and question id."""
    return Run(
        checkpoint="made-up",
        slice_name="slice-1",
        questions=questions,
        conditions=tuple(outcomes),
        cells={
            (id_, condition): CellResult(
                question_id=id_, condition=condition, outcome=outcome
            )
            for condition, by_id in outcomes.items()
            for id_, outcome in by_id.items()
        },
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
    )


@pytest.fixture
def run() -> Run:
    """Return two conditions of five questions in two tasks, one of each outcome."""
    every = dict(zip("abcde", Outcome, strict=True))
    right = dict.fromkeys("abcde", Outcome.CORRECT)
    questions = [asked(id_, task="order" if id_ < "d" else "count") for id_ in "abcde"]
    return made_up({"original": right, "black": every}, *questions)


def test_only_replies_are_judged() -> None:
    """An unparsed reply counts in a pair; a failure is no answer at all."""
    judged = [outcome for outcome in Outcome if outcome.judged]
    assert judged == [Outcome.CORRECT, Outcome.WRONG, Outcome.UNPARSED]


def test_an_outcome_reads_as_its_word() -> None:
    """Messages show the bare word on every version of Python."""
    assert f"{Outcome.NOT_APPLICABLE}" == "not_applicable"


def test_counts_hold_every_outcome(run: Run) -> None:
    """Each outcome is counted as itself, and accuracy is over the judged."""
    counts = run.counts("black")
    assert (counts.correct, counts.wrong, counts.unparsed) == (1, 1, 1)
    assert (counts.failed, counts.not_applicable) == (1, 1)
    assert counts.judged == 3
    assert counts.accuracy == pytest.approx(1 / 3)


def test_counts_of_one_task(run: Run) -> None:
    """A task's counts leave the other tasks out."""
    assert run.counts("black", "count").judged == 0
    assert run.counts("black", ["order", "count"]).judged == 3


def test_accuracy_of_nothing_is_none(run: Run) -> None:
    """Where nothing was judged there is no accuracy, not one of zero."""
    assert run.counts("black", "count").accuracy is None


def test_repeated_ids_are_refused(run: Run) -> None:
    """Two questions with one id would overwrite each other's answers."""
    with pytest.raises(ValueError, match=r"must be unique, repeated: \['a'\]"):
        replace(run, questions=(*run.questions, asked("a")))


def test_a_missing_cell_is_refused(run: Run) -> None:
    """A question without a result under one condition is a hole, by name."""
    cells = {key: cell for key, cell in run.cells.items() if key != ("c", "black")}
    with pytest.raises(ValueError, match=r"missing or unexpected: \[\('c', 'black'\)"):
        replace(run, cells=cells)


def test_an_unexpected_cell_is_refused(run: Run) -> None:
    """A result of a question that was not asked belongs to another run."""
    stray = CellResult(question_id="z", condition="black", outcome=Outcome.WRONG)
    with pytest.raises(ValueError, match=r"missing or unexpected: \[\('z', 'black'\)"):
        replace(run, cells={**run.cells, ("z", "black"): stray})


def test_a_misfiled_cell_is_refused(run: Run) -> None:
    """A result under another question's key would be joined with the wrong pair."""
    cells = {**run.cells, ("a", "black"): run.cells["b", "black"]}
    with pytest.raises(ValueError, match=r"\('a', 'black'\) holds the result of"):
        replace(run, cells=cells)


def test_a_key_must_be_an_option() -> None:
    """A question keyed with no option of its own can never be answered right."""
    with pytest.raises(ValueError, match="question 'q': answer 'E' is not one of"):
        AskedQuestion(
            id="q", video="v", task="t", labels=("A", "B"), answer="E", digest=""
        )


def test_tasks_come_in_order_of_appearance(run: Run) -> None:
    """The tasks are those of the questions, each once."""
    assert run.tasks == ("order", "count")


def test_rows_are_where_the_selected_questions_stand(run: Run) -> None:
    """Several tasks keep the order of the questions, whatever order they come in."""
    assert [run.questions[r].id for r in run.rows("count")] == ["d", "e"]
    assert list(run.rows(["count", "order", "count"])) == [0, 1, 2, 3, 4]
    assert run.selected(["count", "order"]) == run.questions


def test_a_column_has_the_place_of_each_outcome(run: Run) -> None:
    """Counting bytes counts cells: one a question, in the order of the questions."""
    assert run.column("black") == bytes(range(len(Outcome)))
    assert run.column("original", "count") == bytes([0, 0])
    assert [list(Outcome)[n] for n in run.column("black", "count")] == [
        run.cells[q.id, "black"].outcome for q in run.selected("count")
    ]


def test_what_was_counted_is_no_part_of_a_run(run: Run) -> None:
    """Counting neither changes what a run equals nor what a pickle of it holds."""
    fresh = replace(run)
    before = pickle.dumps(run)
    run.counts("black", "order")
    assert run == fresh
    assert pickle.dumps(run) == before
    assert pickle.loads(before).counts("black") == run.counts("black")


def test_an_unknown_task_is_named(run: Run) -> None:
    """A misspelt task raises with the nearest name: it does not select nothing."""
    with pytest.raises(ValueError, match=r"no task 'ordr'. Did you mean 'order'\?"):
        run.selected("ordr")
    with pytest.raises(ValueError, match=r"no task 'x'\. Known: count, order"):
        run.selected(["order", "x"])


def test_an_empty_task_list_is_refused(run: Run) -> None:
    """No task is not all tasks."""
    with pytest.raises(ValueError, match="selects nothing"):
        run.selected([])


def test_chance_is_the_mean_over_questions() -> None:
    """Chance is the mean of 1/K, so uneven numbers of options count as they are."""
    questions = [asked("a", options=2), asked("b", options=4)]
    right = dict.fromkeys("ab", Outcome.CORRECT)
    run = made_up({"original": right}, *questions)
    assert run.chance() == pytest.approx((1 / 2 + 1 / 4) / 2)


def test_chance_of_nothing_cannot_be_judged() -> None:
    """An empty slice has no chance level."""
    with pytest.raises(CouldNotBeJudged, match="'slice-1' holds no question"):
        made_up({"original": {}}).chance()


def test_a_condition_that_was_not_run_says_what_to_type(run: Run) -> None:
    """What ran is named, and what to ask for, of a test or of a stored run."""
    with pytest.raises(CouldNotBeJudged) as error:
        run.counts("shuffled")
    assert "ran: original, black" in str(error.value)
    assert "made with conditions=[..., 'shuffled']" in str(error.value)


def test_a_restricted_run_has_no_holes(run: Run) -> None:
    """A run of fewer conditions keeps all its cells, in the order asked for."""
    assert run.only(["black", "original", "black"]).conditions == ("black", "original")
    assert set(run.only(["black"]).cells) == {(id_, "black") for id_ in "abcde"}
    with pytest.raises(CouldNotBeJudged, match="'reversed' was not run"):
        run.only(["reversed"])


def test_where_an_answer_came_from_does_not_change_it(run: Run) -> None:
    """A run resumed from the store equals one computed anew; reuse is counted."""
    cells = {key: replace(cell, cached=True) for key, cell in run.cells.items()}
    resumed = replace(run, cells=cells, created="2024-06-11T09:00:00+00:00")
    assert resumed == run
    assert (run.cached_cells, resumed.cached_cells) == (0, 10)


def test_fields_that_differ_are_named() -> None:
    """A difference shows the field with both values, one that is missing too."""
    now = Fingerprint(
        comparable={"dtype": "bf16", "frames": "8"}, subject={}, informative={}
    )
    then = Fingerprint(
        comparable={"dtype": "fp16", "frames": "8", "seed": "0"},
        subject={"weights": "other"},
        informative={"torch": "2.4"},
    )
    assert now.differences(then) == ("dtype: bf16, was fp16", "seed: None, was 0")


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan])
def test_a_cap_is_a_share(value: float) -> None:
    """A cap outside [0, 1], such as a percentage, is refused by name."""
    with pytest.raises(ValueError, match=r"cap unparsed must lie in \[0, 1\]"):
        Caps(unparsed=value)


@pytest.mark.parametrize("value", [0, 1])
def test_a_cap_may_allow_nothing_or_all(value: int) -> None:
    """Both ends are shares, too: not one failed cell, or as many as there are."""
    assert Caps(failed=value).failed == value


def test_orders_of_a_question_are_one_question() -> None:
    """Asked in another order of its options it is known by the first one's id."""
    first = asked("a")
    other = replace(first, id="a@1", of="a")
    assert (first.question, other.question) == ("a", "a")
    right = dict.fromkeys(("a", "a@1"), Outcome.CORRECT)
    assert made_up({"original": right}, first, other).questions == (first, other)
    elsewhere = replace(other, video="other.mp4")
    with pytest.raises(ValueError, match="one question on several videos"):
        made_up({"original": right}, first, elsewhere)


def test_a_run_shows_its_size(run: Run) -> None:
    """A failing test shows what a run is of, not each of its cells."""
    assert repr(run).startswith("Run('made-up' on 'slice-1': 5 questions, ")
    assert len(repr(run)) < 100
