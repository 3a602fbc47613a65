"""The claims on real answers: three models, 600 questions of Video-MME.

The files are those of github.com/JaeLee18/accuracy-without-grounding, commit
aa927ef (MIT). Expected numbers are the paper's, or follow from its counts.
"""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import (
    AskedQuestion,
    Caps,
    CellResult,
    Fingerprint,
    Outcome,
    Run,
)
from pytest_vdg.verdicts import Finding, Verdict, collect_findings
from tests.assertions.build import NO_CAPS, outcome
from tests.realdata import real

LABELS = ("A", "B", "C", "D")


def published(model: str, *conditions: str, caps: Caps = NO_CAPS) -> Run:
    """Return the published answers of *model*; no prediction is a failed cell."""
    questions: dict[str, AskedQuestion] = {}
    cells: dict[tuple[str, str], CellResult] = {}
    for condition in conditions:
        name = model if condition == "original" else f"{model}_{condition}"
        path = real(f"vdg_annotations/full_study/{name}_results.json")
        for row in json.loads(path.read_text(encoding="utf-8")):
            if row["condition"] != condition:
                continue
            question = _question(row)
            questions[question.id] = question
            cells[question.id, condition] = _cell(question, condition, row)
    return Run(
        checkpoint=model,
        slice_name="videomme-600",
        questions=tuple(questions.values()),
        conditions=conditions,
        cells=cells,
        fingerprint=Fingerprint(comparable={}, subject={}, informative={}),
        caps=caps,
    )


def _question(row: dict[str, object]) -> AskedQuestion:
    return AskedQuestion(
        id=str(row["question_id"]),
        # Ids are VIDEO-NUMBER.
        video=str(row["question_id"]).rsplit("-", 1)[0],
        task=str(row["task_type"]),
        labels=LABELS,
        answer=str(row["ground_truth"]),
        digest=str(row["question_id"]),
    )


def _cell(
    question: AskedQuestion, condition: str, row: dict[str, object]
) -> CellResult:
    choice = str(row["prediction"]) if row["prediction"] else None
    if choice is None:
        found = Outcome.FAILED
    else:
        found = Outcome.CORRECT if choice == question.answer else Outcome.WRONG
    return CellResult(
        question_id=question.id,
        condition=condition,
        outcome=found,
        choice=choice,
        reason=None if choice else "no prediction",
    )


@pytest.mark.parametrize(
    ("model", "gap", "n"),
    [("qwen2vl", 0.2377, 547), ("llava", 0.305, 600), ("internvl2", 0.2517, 600)],
)
def test_all_three_models_use_the_video(model: str, gap: float, n: int) -> None:
    """VDG of Table 1, each shown to be above ten points."""
    finding = assert_vdg_above(published(model, "original", "black"), 0.10)
    assert finding.estimate == pytest.approx(gap, abs=5e-5)
    assert finding.n == n


def test_temporal_reasoning_of_qwen_is_below_a_floor() -> None:
    """Table 1: +11/-11 of 86, a VDG of zero on the task that needs time."""
    run = published("qwen2vl", "original", "black")
    finding = outcome(lambda: assert_vdg_above(run, 0.15, task="Temporal Reasoning"))
    assert (finding.estimate, finding.n) == (0.0, 86)
    assert finding.verdict is Verdict.BELOW_FLOOR


def test_llava_uses_order_a_little() -> None:
    """Original .690, shuffled .648: more than nothing, not shown to be 3 points."""
    run = published("llava", "original", "shuffled")
    assert assert_temporal_delta(run, 0.0).estimate == pytest.approx(0.0417, abs=5e-4)
    assert outcome(lambda: assert_temporal_delta(run, 0.03)).verdict is (
        Verdict.INCONCLUSIVE
    )


def test_failures_of_qwen_are_no_use_of_order() -> None:
    """183 of 600 shuffled cells ran out of memory.

    Counted as wrong they would make a temporal delta of +10.7 points; the
    common questions have -0.7. With the ordinary caps there is no verdict.
    """
    arms = ("qwen2vl", "original", "shuffled")
    finding = outcome(lambda: assert_temporal_delta(published(*arms), 0.05))
    assert finding.verdict is Verdict.BELOW_FLOOR
    assert finding.estimate == pytest.approx(-0.0072, abs=5e-4)
    assert finding.n == 417
    with pytest.raises(CouldNotBeJudged, match="of the shuffled cells failed"):
        assert_temporal_delta(published(*arms, caps=Caps()), 0.05)


def test_the_other_policy_makes_order_of_failures() -> None:
    """Counted as wrong, 183 failed cells are a temporal delta of +10.7 points.

    It passes a floor of five; the first line says what was counted.
    """
    run = published("qwen2vl", "original", "shuffled")
    finding = assert_temporal_delta(run, 0.05, missing="wrong")
    assert finding.estimate == pytest.approx(0.107, abs=5e-4)
    assert "failed counted wrong, n=600 questions" in finding.summary


def test_each_task_of_internvl_is_judged() -> None:
    """Table 1 per task: +45/-7 ... +16/-7 of 100, Holm over six."""
    with collect_findings() as found, suppress(ClaimFailed):
        assert_vdg_above(
            published("internvl2", "original", "black"), 0.1, per_task=True
        )
    estimates = {f.task: (round(f.estimate, 3), f.n) for f in found}
    assert estimates == {
        "Attribute Perception": (0.38, 100),
        "Object Recognition": (0.38, 100),
        "OCR Problems": (0.23, 100),
        "Action Recognition": (0.25, 100),
        "Action Reasoning": (0.18, 100),
        "Temporal Reasoning": (0.09, 100),
    }
    verdicts = {f.task: f.verdict for f in found}
    assert verdicts["Attribute Perception"] is Verdict.PASS
    assert verdicts["Temporal Reasoning"] is Verdict.INCONCLUSIVE


def test_the_published_models_compared() -> None:
    """From LLaVA to InternVL2 VDG falls by .305 - .2517 = 5.3 points.

    The textbook interval over 407 videos (cluster-robust, CR1, t) is
    [-.1065, -.0002]: whether that is a loss depends on what would be one.
    """
    now, then = (published(m, "original", "black") for m in ("internvl2", "llava"))

    def held_to(margin: float) -> Finding:
        return outcome(
            lambda: assert_no_dissociation_regression(now, then, vdg_margin=margin)
        )

    finding = held_to(0.06)
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert finding.estimate == pytest.approx(-0.0533, abs=5e-4)
    assert (finding.low, finding.high) == pytest.approx((-0.1065, -0.0002), abs=5e-4)
    assert finding.n_videos == 407
    assert held_to(0.15).verdict is Verdict.PASS
