"""VDG of a run in words, for lines that are no verdict.

Apart from the claims because no floor is held against it and no cap asked.
"""

from __future__ import annotations

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import pair
from pytest_vdg.runs import Run
from pytest_vdg.spelling import one_line, points, span
from pytest_vdg.stats import counted
from pytest_vdg.stats.paired import PairedDifference


def gap_text(run: Run) -> str | None:
    """Return the gap and its interval in words; None where nothing is paired."""
    gap = _gap(run)
    if gap is None:
        return None
    return f"{points(gap.estimate)}pp {span(points(gap.low), points(gap.high))}"


def nothing_to_lose(run: Run) -> list[str]:
    """Return that no test against *run* could show a loss of VDG, or nothing."""
    gap = _gap(run)
    if gap is None or gap.lower_bound > 0:
        return []
    name = one_line(run.slice_name, 60, "...")
    return [f"this baseline of {name} shows no VDG to lose: a test cannot guard it"]


def _gap(run: Run) -> PairedDifference | None:
    if not {"original", "black"} <= set(run.conditions):
        return None
    try:
        paired = pair(run, control="black")
    except CouldNotBeJudged:
        return None
    return counted.difference(
        paired.differences, paired.video_ids, questions=paired.asked_ids
    )
