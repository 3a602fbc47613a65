"""The first claim to make of a video model: the video is worth something.

Apart from the claims about change because it needs no baseline: it holds one
run against a floor that its user can defend.
"""

from __future__ import annotations

from typing import Literal

from pytest_vdg.assertions._delta import floor_claim
from pytest_vdg.assertions._gap_claim import Delta
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict


def assert_vdg_above(
    run: Run,
    floor: float,
    *,
    task: TaskFilter = None,
    per_task: bool = False,
    missing: Missing = "drop",
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
    per_task : bool
        Claim it of each task by itself, with Holm's adjustment over the tasks:
        one finding a task, and the claim fails where any does.
    missing : {"drop", "wrong"}
        Whether a question with a failed cell leaves the pair or counts as not
        correct. The caps hold under both.
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
    ===========================  ==================
    one-sided bounds             verdict
    ===========================  ==================
    lower > floor                ``ok``
    upper <= floor               ``BELOW FLOOR``
    anything else                ``INCONCLUSIVE``
    ===========================  ==================

    The bounds are Tango's (1998, Statistics in Medicine 17:891-908), the
    counts divided by the design effect of the videos: ten questions on one
    video do not weigh like ten videos.
    """
    __tracebackhide__ = True
    return floor_claim(
        _VDG,
        run,
        floor,
        task=task,
        per_task=per_task,
        missing=missing,
        confidence=confidence,
        evidence=evidence,
    )


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "open the questions listed below: they are answered without the video. If "
        "the benchmark gives them away, choose another slice; if it does not, the "
        "checkpoint does not look. `vdg ladder CHECKPOINT` shows "
        "which kind of evidence it still uses"
    ),
    Verdict.INCONCLUSIVE: (
        "undecided, not refuted: ask more questions on more videos, or lower the "
        "floor to what you need to know"
    ),
}
_VDG = Delta(
    claim="assert_vdg_above",
    measure="VDG",
    control="black",
    floor_advice=_ADVICE,
)
