"""How a filtered slice came about stands in its file, and can be checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.audits.filters import filtered
from pytest_vdg.audits.kin import kin
from pytest_vdg.audits.origin import faults, origin
from pytest_vdg.benchmarks.pinned import PinnedSlice, read_pinned, save_slice
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.slices import Slice
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
