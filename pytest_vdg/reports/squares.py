"""2x2 tables: the same questions in two ways of asking, with McNemar's test.

Apart from the effects, which are a number each, because a table shows which
questions a number is made of: the same difference can hide ten swaps or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pytest_vdg.comparable import require_comparable
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Paired, pair, pair_answers
from pytest_vdg.runs import Run
from pytest_vdg.stats import counted
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import PairedDifference


@dataclass(frozen=True, kw_only=True)
class Square:
    """One 2x2 table; counts are of askings where options were rotated."""

    treated: str
    """What the difference is in favour of, e.g. ``original`` or ``original now``."""
    control: str
    both: int
    """Right in both ways."""
    treated_only: int
    control_only: int
    neither: int
    n: int
    """Distinct questions."""
    n_videos: int
    excluded: int
    """Questions that left the pair."""
    difference: PairedDifference
    """Treated minus control, with Tango's interval."""
    pvalue: float
    """McNemar's exact test, each question once."""
    adjusted: float
    """`pvalue` after Holm over the tables that stand together."""


def square(paired: Paired, *, confidence: float = 0.95) -> Square:
    """Return the table of *paired*, a family of its own."""
    better, worse = counted.signs(paired.differences, paired.asked_ids)
    pvalue = mcnemar(treated_only=better, control_only=worse).pvalue
    return Square(
        treated=paired.treated_name,
        control=paired.control_name,
        both=paired.both,
        treated_only=paired.treated_only,
        control_only=paired.control_only,
        neither=paired.neither,
        n=paired.extent.n,
        n_videos=paired.n_videos,
        excluded=len({each.question_id for each in paired.excluded}),
        difference=counted.difference(
            paired.differences, paired.video_ids, confidence, paired.asked_ids
        ),
        pvalue=pvalue,
        adjusted=pvalue,
    )


def against_black(run: Run) -> Square | None:
    """Return the table of VDG; None where no question was judged in both."""
    try:
        return square(pair(run, control="black"))
    except CouldNotBeJudged:
        return None


def against_baseline(run: Run, baseline: Run) -> Sequence[Square]:
    """Return a table for ``original`` and for ``black``, as far as both have them.

    Their p-values are adjusted together. Raises `NotComparable` for runs that
    do not measure the same thing.
    """
    require_comparable(run, baseline)
    found = []
    for condition in ("original", "black"):
        with suppress(CouldNotBeJudged):  # not run, or no question judged in both
            found.append(square(pair_answers(run, baseline, condition=condition)))
    if not found:
        return ()
    adjusted = holm({str(i): each.pvalue for i, each in enumerate(found)})
    return [replace(s, adjusted=adjusted[str(i)]) for i, s in enumerate(found)]
