"""Joining the runs of several models by question id."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.audits.panel import Member, Panel
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import AskedQuestion
from tests.assertions.build import make_run
from tests.audits.panels import member, panel

V = member("v", {"original": "CCWW", "text_only": "CWCF"})
T = member("t", {"text_only": "WWCC"}, kind="text")


def test_models_are_joined_by_id_not_by_place() -> None:
    """A run in another order gives the same rows."""
    turned = member("t", {"text_only": "WWCC"}, kind="text", order=[3, 1, 0, 2])
    for other in (T, turned):
        rows = panel(V, other).rows(["text_only"], members=[other])
        assert rows is not None
        assert rows.right["text_only"].tolist() == [False, False, True, True]
        assert rows.asked == ("q0000", "q0001", "q0002", "q0003")


def test_rows_hold_each_model_where_it_was_judged() -> None:
    """V failed on q3."""
    blind = panel(V, T).rows(["text_only"])
    assert blind is not None
    assert blind.n == 3 + 4
    assert blind.asked.count("q0003") == 1


def test_there_are_no_rows_where_a_model_would_be_missing() -> None:
    """Else the mean of two models would be that of one: lacking, or never judged."""
    failed = member("failed", {"original": "CCCC", "text_only": "FFFF"})
    assert panel(V, T).rows(["original", "text_only"]) is None
    assert panel(V, failed).rows(["text_only"]) is None
    seen = panel(V, failed).rows(["original"])
    assert seen is not None
    assert seen.n == 4 + 4


def test_a_condition_with_an_argument_stands_for_its_name() -> None:
    """``single_frame:middle`` is a single frame."""
    middle = member(
        "m", {"original": "CC", "text_only": "WW", "single_frame:middle": "CW"}
    )
    rows = panel(middle).rows(["single_frame"])
    assert rows is not None
    assert rows.right["single_frame"].tolist() == [True, False]


def test_a_text_model_has_no_video_whatever_its_run_holds() -> None:
    """A video model named as a text model is heard under text_only alone."""
    other = member("t", {"original": "CCCC", "text_only": "WWCC"}, kind="text")
    assert other.condition("original") is None
    assert panel(other).rows(["original"]) is None


def test_a_run_that_lacks_what_it_takes_is_refused() -> None:
    """A video model needs the video, every model the text alone."""
    with pytest.raises(CouldNotBeJudged, match="'text_only' was not run"):
        Member(run=make_run({"original": "C"}))
    with pytest.raises(CouldNotBeJudged, match="'original' was not run"):
        Member(run=make_run({"text_only": "C"}))
    with pytest.raises(ValueError, match="Did you mean 'video'"):
        Member(run=make_run({"text_only": "C"}), kind="vide")  # type: ignore[arg-type]


def _changed(**how: object) -> Member:
    """Return T with its first question changed."""
    run = T.run
    first = replace(run.questions[0], **how)  # type: ignore[arg-type]
    questions: tuple[AskedQuestion, ...] = (first, *run.questions[1:])
    return replace(T, run=replace(run, questions=questions))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"answer": "D"}, "1 questions have another key or other labels"),
        ({"digest": "other"}, "1 questions have another text"),
        ({"video": "other.mp4"}, "1 questions are about another video"),
        ({"task": "other"}, "1 questions are of another task"),
    ],
)
def test_what_is_not_the_same_question_is_refused(
    how: dict[str, str], told: str
) -> None:
    """The message names both models, what differs, and the first id."""
    with pytest.raises(NotComparable, match=told) as error:
        panel(V, _changed(**how))
    assert "'v' and 't'" in str(error.value)
    assert "q0000" in str(error.value)


def test_runs_on_other_questions_are_refused() -> None:
    """One question fewer is another slice."""
    fewer = member("t", {"text_only": "WWC"}, kind="text")
    with pytest.raises(NotComparable, match="only in the run of 'v'"):
        panel(V, fewer)


def test_one_model_counts_once() -> None:
    """Neither a name twice nor the same weights under two names."""
    with pytest.raises(ValueError, match="two models of a panel are called 't'"):
        panel(T, T)
    ours = member("a", {"text_only": "CW"}, kind="text", weights="sha256:x")
    theirs = member("b", {"text_only": "CW"}, kind="text", weights="sha256:x")
    with pytest.raises(NotComparable, match="'a' and 'b' are one model"):
        panel(ours, theirs)
    with pytest.raises(ValueError, match="needs a model"):
        Panel(members=(), slice_name="sight")


def test_models_behind_servers_are_not_taken_for_one() -> None:
    """Of neither are the weights known, so they may well differ."""
    weights = "unknown (server)"
    ours = member("a", {"text_only": "CW"}, kind="text", weights=weights)
    theirs = member("b", {"text_only": "CW"}, kind="text", weights=weights)
    assert panel(ours, theirs).members == (ours, theirs)


def test_a_name_that_is_near_is_suggested() -> None:
    """Judges are named by hand."""
    with pytest.raises(ValueError, match="Did you mean"):
        panel(member("grounded", {"text_only": "C"}, kind="text")).member("groundet")
