"""What is counted over the questions of one level: what is lost, what flips.

Apart from ``ablation``, which judges, because nothing here depends on the other
levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

import numpy as np
import numpy.typing as npt

from pytest_vdg.outcomes import Paired
from pytest_vdg.reports.ablated import Agreement, Breaking, FramesShown
from pytest_vdg.runs import Outcome, Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.enrichment import Enrichment, enrichment_among

_EXACT = 1e-9
"""So that 2 of 100 is not above 2 %."""


def problems(run: Run, level: str, original: str, task: TaskFilter) -> str | None:
    """Return which caps of *run* are exceeded, in words; None where none is."""
    caps = run.caps
    found = []
    for what, cap, difference in (
        ("failed", caps.failed, caps.failed_difference),
        ("unparsed", caps.unparsed, caps.unparsed_difference),
    ):
        shares = {c: _lost(run, c, what, task) for c in (level, original)}
        found += [
            f"{100 * share:.1f}% of the cells of {name} are {what}, the cap is "
            f"{100 * cap:g}%"
            for name, share in shares.items()
            if share > cap + _EXACT
        ]
        apart = abs(shares[level] - shares[original])
        if apart > difference + _EXACT:
            found.append(
                f"{100 * apart:.1f} points between the shares of {what} cells, the cap "
                f"is {100 * difference:g}"
            )
    return "; ".join(found) or None


def _lost(run: Run, condition: str, what: str, task: TaskFilter) -> float:
    counts = run.counts(condition, task)
    if what == "failed":
        total = counts.judged + counts.failed
        return counts.failed / total if total else 0.0
    return counts.unparsed / counts.judged if counts.judged else 0.0


def enriched(run: Run, paired: Paired, confidence: float) -> Enrichment | None:
    """Return whether flips fall on questions that need the video."""
    known = _judged_blind(run, paired)
    if known is None:
        return None
    found = enrichment_among(
        flipped=known.treated != known.control,
        marked=_needs_video(run, known),
        confidence=confidence,
    )
    return None if None in (found.flipped_share, found.stable_share) else found


def breaking(run: Run, paired: Paired, confidence: float) -> Breaking | None:
    """Return what breaks among the questions that are right under ``original``."""
    known = _judged_blind(run, paired)
    if known is None or not known.control.any():
        return None
    known = known.at(np.flatnonzero(known.control).tolist())
    needing = _needs_video(run, known)
    # Asked the other way round than above: who needs it is given, who breaks is not.
    found = enrichment_among(
        flipped=needing, marked=~known.treated, confidence=confidence
    )
    return Breaking(
        needing=found.flipped_share,
        others=found.stable_share,
        n_needing=int(needing.sum()),
        n_others=int((~needing).sum()),
        odds_ratio=found.odds_ratio,
        low=found.low,
        high=found.high,
        pvalue=found.pvalue,
    )


def _judged_blind(run: Run, paired: Paired) -> Paired | None:
    """Return the questions judged under ``black``, each once; None for none.

    Once, by the first of its orders: the tests take what they count for independent.
    """
    if "black" not in run.conditions:
        return None
    _, first = np.unique(paired.asked_ids, return_index=True)
    once = paired.at(sorted(first.tolist()))
    judged = [
        place
        for place, question in enumerate(once.question_ids)
        if run.cells[question, "black"].outcome.judged
    ]
    return once.at(judged) if judged else None


def _needs_video(run: Run, paired: Paired) -> npt.NDArray[np.bool_]:
    """Return which questions are right under ``original`` and not under ``black``."""
    blind = [
        run.cells[q, "black"].outcome is Outcome.CORRECT for q in paired.question_ids
    ]
    return paired.control & ~np.array(blind, dtype=np.bool_)


def frames_shown(
    run: Run, condition: str, original: str, task: TaskFilter
) -> FramesShown | None:
    """Return how many frames *condition* showed; None where none is recorded."""
    cells = [
        (run.cells[q.id, condition], run.cells[q.id, original])
        for q in run.selected(task)
    ]
    times = [(a.times_s, b.times_s) for a, b in cells if a.times_s and b.times_s]
    if not times:
        return None
    counts = [len(shown) for shown, _ in times]
    return FramesShown(
        fewest=min(counts),
        median=float(median(counts)),
        most=max(counts),
        as_original=sum(one == other for one, other in times),
        n=len(times),
    )


def agreements(
    run: Run, conditions: Sequence[str], tasks: Iterable[str], confidence: float
) -> Iterator[Agreement]:
    """Yield how many questions got one choice under all *conditions*, by task too."""
    for task in (None, *tasks):
        rows = [
            (q, [run.cells[q.id, c] for c in conditions]) for q in run.selected(task)
        ]
        rows = [(q, cells) for q, cells in rows if all(c.outcome.judged for c in cells)]
        if not rows:
            continue
        same = np.array([len({c.choice for c in cells}) == 1 for _, cells in rows])
        videos, ids = [q.video for q, _ in rows], [q.question for q, _ in rows]
        yield Agreement(task=task, share=counted.share(same, videos, confidence, ids))
