"""T, V and S of a panel, computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.audits.shortcut import shortcut_scores
from pytest_vdg.errors import CouldNotBeJudged
from tests.audits.panels import EVEN, SURE, member, panel, text_model, video_model

# Keys are A, B, C for q0, q1, q2. T by equation 3 of the traffic paper:
#   t1: q0 right, entropy 0, part 1; q1 right with 1/2, 1/4, 1/4, whose entropy is
#       1.5 ln 2 of ln 4 = 2 ln 2, part .25; q2 wrong, part 0
#   t2: q0 a tie, no answer, part 0; q1 the same; q2 right for sure, part 1
T1 = text_model("t1", [SURE, (0.0, 0.5, 0.25, 0.25), SURE])
T2 = text_model("t2", [(0.5, 0.5, 0.0, 0.0), EVEN, (0.0, 0.0, 1.0, 0.0)])
# V by equations 4 and 5, 1 - 1/K = .75:
#   v1: q0 1 - .25 is all of it; q1 0 - .75 is -1; q2 unmoved
#   v2: q0 unmoved; q1 .25 - .25; q2 1 - .25
V1 = video_model(
    "v1", [SURE, SURE, SURE], [EVEN, (0.25, 0.75, 0.0, 0.0), (0.5, 0.5, 0.0, 0.0)]
)
V2 = video_model("v2", [EVEN, EVEN, (0.0, 0.0, 1.0, 0.0)], [EVEN, EVEN, EVEN])


def test_t_v_and_s_by_hand() -> None:
    """Means over models, and each model's part kept."""
    found = shortcut_scores(panel(V1, V2, T1, T2))
    assert found.textual_parts["t1"] == pytest.approx([1, 0.25, 0])
    assert found.textual_parts["t2"] == pytest.approx([0, 0, 1])
    assert found.textual == pytest.approx([0.5, 0.125, 0.5])
    assert found.visual_parts["v1"] == pytest.approx([1, -1, 0])
    assert found.visual_parts["v2"] == pytest.approx([0, 0, 1])
    assert found.visual == pytest.approx([0.5, -0.5, 0.5])
    assert found.score == pytest.approx([0, 0.625, 0])
    assert found.ids == ("q0000", "q0001", "q0002")
    assert (found.unscored, dict(found.silent)) == ((), {})


def test_a_judge_has_no_part() -> None:
    """Who is held out is not heard, in T or in V."""
    found = shortcut_scores(panel(V1, V2, T1, T2), without=("v1", "t2"))
    assert found.used == ("t1", "v2")
    assert found.score == pytest.approx([1, 0.25, -1])


def test_a_model_without_probabilities_has_no_part() -> None:
    """It is named with why, and the mean is over the others: it is not a 0."""
    mute = member("mute", {"text_only": "CCC"}, kind="text")
    found = shortcut_scores(panel(V1, T1, mute))
    assert found.textual == pytest.approx([1, 0.25, 0])
    assert found.silent == {
        "mute": "gave no option probabilities (its runs were stored without them)"
    }


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ((V1, V2), "score T takes option probabilities of a text model"),
        ((T1, T2), "score V takes option probabilities of a video model"),
    ],
)
def test_a_score_that_lacks_a_side_is_refused(
    members: tuple[object, ...], told: str
) -> None:
    """T = 0 for want of a text model would call every question grounded."""
    with pytest.raises(CouldNotBeJudged, match=told):
        shortcut_scores(panel(*members))  # type: ignore[arg-type]


def test_a_question_that_one_model_did_not_answer_is_not_scored() -> None:
    """Failed cells have no probabilities; the question is listed, not guessed."""
    failed = member(
        "t1", {"text_only": "CFC"}, kind="text", chances={"text_only": [SURE] * 3}
    )
    found = shortcut_scores(panel(V1, failed))
    assert found.ids == ("q0000", "q0002")
    assert found.unscored == ("q0001",)


rows = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4).map(
    lambda ws: tuple(w / math.fsum(ws) for w in ws)
)


@given(st.lists(st.tuples(rows, rows, rows), min_size=1, max_size=6))
def test_scores_stay_in_their_bounds(
    sample: list[tuple[tuple[float, ...], ...]],
) -> None:
    """T in [0, 1], V in [-4/3, 4/3] for four options, and S their difference."""
    text, seen, blind = (list(column) for column in zip(*sample, strict=True))
    found = shortcut_scores(panel(video_model("v", seen, blind), text_model("t", text)))
    assert ((found.textual >= 0) & (found.textual <= 1)).all()
    assert (np.abs(found.visual) <= 4 / 3 + 1e-9).all()
    assert found.score == pytest.approx(found.textual - found.visual)
