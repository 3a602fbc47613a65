"""How a filtered slice came about stands in its file, and can be checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.audits.filters import comparison, filtered, sweeps
from pytest_vdg.audits.kin import kin
from pytest_vdg.audits.origin import faults, origin, took_part
from pytest_vdg.benchmarks.pinned import PinnedSlice, read_pinned, save_slice
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import CouldNotBeJudged
from tests.audits.panels import EVEN, SURE, member, panel, text_model, video_model

PANEL = panel(
    video_model("v", [SURE, EVEN, EVEN], [EVEN, EVEN, EVEN]),
    text_model("t", [SURE, (0.0, 1.0, 0.0, 0.0), EVEN], weights="sha256:abc"),
)  # S is 0, 1, 0


def pinned(path: Path) -> PinnedSlice:
    """Return the slice that the filter leaves, written and read."""
    options = tuple(Option(label=x, text=f"text {x}") for x in "ABCD")
    questions = tuple(
        Question(
            id=q.id, text="?", options=options, answer=q.answer, task="x", video=q.video
        )
        for q in PANEL.questions
    )
    whole = Benchmark(name="b", root=path, questions=questions, source="here")
    found = filtered(PANEL)
    ids = tuple(q.id for q, k in zip(questions, found.keep, strict=True) if k)
    kept = Slice(name="g", benchmark=whole, ids=ids, drawn=origin(PANEL, found))
    save_slice(kept, path / "g.jsonl")
    return read_pinned(path / "g.jsonl")


def test_the_file_says_how_it_was_made(tmp_path: Path) -> None:
    """Models with kind and weights, threshold, and the scores of all questions."""
    drawn = pinned(tmp_path).drawn
    assert (drawn["filter_of"], drawn["by"], drawn["tau"]) == ("sight", "shortcut", 0.1)
    assert drawn["models"] == {
        "v": {"kind": "video", "weights": ""},
        "t": {"kind": "text", "weights": "sha256:abc"},
    }
    assert drawn["scores"] == {
        "q0000": [1.0, 1.0, 0.0],
        "q0001": [1.0, 0.0, 1.0],
        "q0002": [0.0, 0.0, 0.0],
    }


def test_a_file_that_was_edited_is_found_out(tmp_path: Path) -> None:
    """Every question in it has a score of at most tau, and none that has is left."""
    made = pinned(tmp_path)
    assert faults(made) == []
    assert faults(replace(made, rows=made.rows[:1])) == [
        "'q0002' is not in it, and its score is not above 0.1"
    ]
    smuggled = {**made.rows[0], "id": "q0001"}
    assert faults(replace(made, rows=(*made.rows, smuggled))) == [
        "'q0001' is in it, and its score is above 0.1"
    ]
    with pytest.raises(ValueError, match="was not made by a filter of S"):
        faults(replace(made, drawn={"seed": 0}))


def test_scores_that_are_none_are_found_out(tmp_path: Path) -> None:
    """A score written by hand as words, and a question that was never scored."""
    made = pinned(tmp_path)
    scores = dict(made.drawn["scores"])  # type: ignore[call-overload]
    broken = {**made.drawn, "scores": {**scores, "q0002": "small"}}
    assert faults(replace(made, drawn=broken)) == ["'q0002' has no T, V and S"]
    new = {**made.rows[0], "id": "q0009"}
    assert faults(replace(made, rows=(*made.rows, new))) == [
        "'q0009' is in it, and has no score"
    ]


def test_who_filtered_is_known_by_weights_then_by_name() -> None:
    """A copy under another name took part, other weights of that name did not."""
    cells = {"original": "CCC", "text_only": "WWW"}
    drawn = {"models": {"a": {"weights": "w1"}, "b": {"weights": ""}}}
    copy = member("copy", cells, weights="w1")
    retrained = member("a", cells, weights="w2")
    unknown = member("b", cells)
    other = member("c", cells, weights="w3")
    members = [copy, retrained, unknown, other]
    assert took_part(drawn, members) == ["copy", "b"]
    again = {"models": {"c": {"weights": "w3"}}, "before": drawn}
    assert took_part(again, members) == ["c", "copy", "b"]
    assert took_part({"seed": 0}, members) == []


def test_the_models_of_an_earlier_filter_are_kept() -> None:
    """Filtered twice, the slice still says who may not judge it."""
    first = origin(PANEL, filtered(PANEL))
    second = origin(PANEL, filtered(PANEL), before=first)
    assert second["before"] == {k: v for k, v in first.items() if k != "scores"}
    assert "before" not in origin(PANEL, filtered(PANEL), before={"seed": 0})


def test_a_model_of_an_earlier_filter_does_not_judge() -> None:
    """It would find removed what it happened to answer when the slice was made."""
    judge = video_model("judge", [SURE, EVEN, EVEN], [EVEN, EVEN, EVEN])
    whole = replace(PANEL, members=(*PANEL.members, judge))
    assert comparison(whole, "judge")[0].measures is not None
    left = replace(whole, filtered_before=("judge",))
    for judging in (comparison, sweeps):
        with pytest.raises(CouldNotBeJudged, match="'judge' cannot judge on slice"):
            judging(left, "judge")


def test_a_judge_that_guesses_alike_is_told() -> None:
    """Held out by name, and yet the filter removed its own luck."""
    # Both choose the label after the right one, wherever they are wrong.
    judge = member("judge", {"original": "C" * 40, "text_only": "CWWW" * 10})
    alike = member("alike", {"original": "C" * 40, "text_only": "CWWW" * 10})
    both = panel(judge, alike)
    found = filtered(both, "bclean", judge="judge")
    (told,) = kin(both, found, "judge")
    assert (told.name, told.same.successes, told.same.n) == ("alike", 30, 30)
    assert told.expected == pytest.approx(1 / 3)
    assert "another family" in told.words
