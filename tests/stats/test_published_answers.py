"""The VDG paper's numbers, recomputed from its published per-question answers.

Counts stand in the tests with their source, so that each claim is tested
without the files; where the files are, the counts are recomputed from them.
The files are those of github.com/JaeLee18/accuracy-without-grounding, commit
aa927ef (MIT): answers of three models to 600 questions of Video-MME.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.stats.clusters import cluster_mean, design_effect
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import paired_difference
from tests.realdata import real

Answers = dict[str, bool]
"""Question id to correctness, of the questions that were answered."""

# Paper, Table 1, "Overall": questions right with the video only and with the
# black clip only, and answered in both; then the printed gap and interval.
OVERALL = [
    (("qwen2vl", 170, 40, 547), 0.2377, (0.190, 0.285)),
    (("llava", 212, 29, 600), 0.305, (0.26, 0.35)),
    (("internvl2", 183, 32, 600), 0.2517, (0.21, 0.297)),
]


def rows(name: str, condition: str) -> list[dict[str, object]]:
    """Return the rows of one condition, or skip where the file is absent."""
    path: Path = real(f"vdg_annotations/full_study/{name}_results.json")
    found = json.loads(path.read_text(encoding="utf-8"))
    return [row for row in found if row["condition"] == condition]


def answers(model: str, condition: str = "original") -> Answers:
    """Return correctness by id; a missing prediction is no answer."""
    name = model if condition == "original" else f"{model}_{condition}"
    kept = [row for row in rows(name, condition) if row["prediction"]]
    found = {str(row["question_id"]): bool(row["correct"]) for row in kept}
    assert len(found) == len(kept), "an id came twice"
    return found


def counts(treated: Answers, control: Answers) -> tuple[int, int, int]:
    """Return treated only, control only and n over the common questions."""
    common = treated.keys() & control.keys()
    table = Counter((treated[q], control[q]) for q in common)
    return table[True, False], table[False, True], len(common)


@pytest.mark.parametrize(("counted", "gap", "interval"), OVERALL)
def test_overall_gaps(
    counted: tuple[str, int, int, int], gap: float, interval: tuple[float, float]
) -> None:
    """Each overall gap is the printed one, and its interval within resampling noise."""
    _, b, c, n = counted
    vdg = paired_difference(treated_only=b, control_only=c, n=n)
    assert vdg.estimate == pytest.approx(gap, abs=5e-5)
    # Percentile bootstrap of 2000 resamples in the paper, printed to 2-3 digits.
    assert (vdg.low, vdg.high) == pytest.approx(interval, abs=0.004)


@pytest.mark.parametrize("counted", [row[0] for row in OVERALL])
def test_overall_counts_are_those_of_the_files(
    counted: tuple[str, int, int, int],
) -> None:
    """The counts behind the gaps follow from the published answers."""
    model, *expected = counted
    assert counts(answers(model), answers(model, "black")) == tuple(expected)


def test_order_is_worth_four_points_to_llava() -> None:
    """Original minus shuffled is +4.2 points, 95 % interval [1.7, 6.8]."""
    # 43 questions right in order only, 18 right shuffled only, of 600: an
    # independent computation of Tango's interval printed [1.7, 6.8].
    order = paired_difference(treated_only=43, control_only=18, n=600)
    points = [round(100 * x, 1) for x in (order.estimate, order.low, order.high)]
    assert points == [4.2, 1.7, 6.8]


def test_order_counts_are_those_of_the_files() -> None:
    """The counts behind original minus shuffled follow from the answers."""
    assert counts(answers("llava"), answers("llava", "shuffled")) == (43, 18, 600)


def test_counting_crashes_as_wrong_invents_an_effect() -> None:
    """Qwen2-VL gains 10.7 points of "order" when its 183 crashes count as wrong."""
    honest = counts(answers("qwen2vl"), answers("qwen2vl", "shuffled"))
    assert honest == (34, 37, 417)
    every = {str(row["question_id"]): False for row in rows("qwen2vl", "original")}
    b, c, n = counts(every | answers("qwen2vl"), every | answers("qwen2vl", "shuffled"))
    invented = paired_difference(treated_only=b, control_only=c, n=n)
    assert round(100 * invented.estimate, 1) == 10.7
    assert invented.lower_bound > 0.05


def test_dissociation_cells_are_those_of_the_files() -> None:
    """On 547 common questions the cells are 129/88/66/264 and 264/105/61/117."""
    qwen, intern = answers("qwen2vl"), answers("internvl2")
    common = qwen.keys() & intern.keys()
    cells = Counter((qwen[q], intern[q]) for q in common)
    order = [(False, False), (True, False), (False, True), (True, True)]
    assert [cells[cell] for cell in order] == [129, 88, 66, 264]
    qwen, intern = answers("qwen2vl", "black"), answers("internvl2", "black")
    cells = Counter((qwen[q], intern[q]) for q in common)
    assert [cells[cell] for cell in order] == [264, 105, 61, 117]


def test_absence_of_evidence_is_not_equality() -> None:
    """The paper's "equal accuracy" leaves a difference of 8 points possible."""
    original = mcnemar(treated_only=88, control_only=66)
    assert original.pvalue > 0.05
    difference = paired_difference(treated_only=88, control_only=66, n=547)
    assert difference.high > 0.08


def test_clustering_hardly_matters_on_video_mme() -> None:
    """600 questions on 407 videos are worth nearly 600 independent ones."""
    videos = {
        str(row["question_id"]): str(row["videoID"])
        for row in rows("llava", "original")
    }
    original, black = answers("llava"), answers("llava", "black")
    ids = sorted(original)
    gaps = np.array([original[q] for q in ids], dtype=int) - np.array(
        [black[q] for q in ids], dtype=int
    )
    assert len(set(videos.values())) == 407
    assert 1 <= design_effect(gaps, [videos[q] for q in ids]) < 1.1


def test_two_models_differ_in_hundreds_of_answers() -> None:
    """A change of the gap between two models has the planned deviation of .65."""
    arms = [
        answers("qwen2vl"),
        answers("qwen2vl", "black"),
        answers("internvl2"),
        answers("internvl2", "black"),
    ]
    ids = sorted(set.intersection(*(set(arm) for arm in arms)))
    a, b, c, d = (np.array([arm[q] for q in ids], dtype=int) for arm in arms)
    result = cluster_mean((a - b) - (c - d), ids)
    assert result.n == 547
    assert 0.6 < result.sd < 0.7
    assert result.se is not None
    # With so many changes the plain t interval stands, within a tenth of a point.
    assert result.low == pytest.approx(result.estimate - 1.964 * result.se, abs=1e-3)
    assert result.high == pytest.approx(result.estimate + 1.964 * result.se, abs=1e-3)
