"""The first claim to make of a video model: the video is worth something.

Apart from the claims about change because it needs no baseline: it holds one
run against a floor that its user can defend.
"""

from __future__ import annotations

from typing import Literal

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._explain import conclude
from pytest_vdg.assertions._gap_claim import gap_above
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_vdg_above(
    run: Run,
    floor: float,
    *,
    task: TaskFilter = None,
    confidence: float = 0.95,
    evidence: Literal["bound", "estimate"] = "bound",
) -> Finding:
    """Claim that the visual dependency gap of *run* is above *floor*.

    VDG is accuracy(original) - accuracy(black) over the questions judged in
    both, each asked with the real frames and with as many black ones.

    Parameters
    ----------
    run : Run
        Holds the conditions ``original`` and ``black``.
    floor : float
        A fraction in [-1, 1]: 0.10 is ten percentage points.
    task : str, collection of str, optional
        Restrict the claim to these tasks.
    confidence : float
        Of the two-sided interval that is shown, and of each one-sided bound;
        between 0.5 and 1.
    evidence : {"bound", "estimate"}
        "bound" decides by the one-sided bounds. "estimate" compares the
        estimate alone, which a model exactly at the floor passes on every
        other slice; the first line then says so.

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR`` when even the one-sided upper bound is not above
        *floor*; ``INCONCLUSIVE`` when *floor* lies between the two bounds.
    CouldNotBeJudged
        When *run* allows no verdict, see `require_judgeable`.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    The bounds are Tango's (1998, Statistics in Medicine 17:891-908), the
    counts divided by the design effect of the videos: ten questions on one
    video do not weigh like ten videos.
    """
    __tracebackhide__ = True
    by = _check.one_of("evidence", evidence, ("bound", "estimate"))
    statement = gap_above(
        _check.a_run("run", run),
        _check.fraction("floor", floor, low=-1, high=1),
        claim="assert_vdg_above",
        measure="VDG",
        control="black",
        task=task,
        confidence=_check.confidence_level(confidence),
        advice=_ADVICE,
        by_estimate=by == "estimate",
    )
    return conclude(statement)


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "open the questions listed below: they are answered without the video. If "
        "the benchmark gives them away, choose another slice; if it does not, the "
        "checkpoint does not look. `python -m pytest_vdg ladder CHECKPOINT` shows "
        "which kind of evidence it still uses"
    ),
    Verdict.INCONCLUSIVE: (
        "undecided, not refuted: ask more questions on more videos, or lower the "
        "floor to what you need to know"
    ),
}
