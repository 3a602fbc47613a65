"""`ablate`: is accuracy flat over compression or frame rate, and what does it hide?

Apart from `assertions.stable`, which claims something of one condition, because
this looks at all levels and tasks together, as a family, and claims nothing.

The conditions ``compressed:CRF``, ``sampled:F`` and ``fps:R`` are levels. Each is
held against ``original``, question by question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.frames.conditions import RATES
from pytest_vdg.outcomes import Missing, Paired, pair
from pytest_vdg.reports._ablated_counts import (
    agreements,
    breaking,
    enriched,
    frames_shown,
    problems,
)
from pytest_vdg.reports.ablated import (
    Ablation,
    Flatness,
    FramesShown,
    Level,
    Measured,
)
from pytest_vdg.runs import Run
from pytest_vdg.stats import counted
from pytest_vdg.stats.detectable import smallest_detectable_paired_difference
from pytest_vdg.stats.equivalence import Equivalence, tost_paired
from pytest_vdg.stats.flips import Flips, flips
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.paired import PairedDifference

ORIGINAL = "original"
LEVELS = ("compressed", *RATES)
"""Names of the conditions that are levels, in the order in which they are shown."""


def ablate(
    run: Run,
    levels: Sequence[str] | None = None,
    *,
    margin: float = 0.03,
    missing: Missing = "drop",
    confidence: float = 0.95,
) -> Ablation:
    """Hold each level of *run* against ``original``, over all tasks and in each.

    Parameters
    ----------
    run : Run
        Holds ``original`` and the levels; with ``black`` also what needs the video.
    levels : sequence of str, optional
        By default all of *run*: compression first, then rates, the least first.
    margin : float
        Changes of accuracy below it do not matter; a fraction between 0 and 1,
        both excluded, fixed before the answers are seen.
    missing : {"drop", "wrong"}
        What becomes of a question with a failed cell, see `outcomes`.
    confidence : float
        Of all intervals, which are not adjusted, and of the verdicts, which are.

    Returns
    -------
    Ablation
        With a verdict for each level, and for each level on each task, see Notes.

    Raises
    ------
    CouldNotBeJudged
        When *run* lacks ``original``, a level that was named, or all of them.
    ValueError
        For a *margin* or *confidence* out of range.

    Notes
    -----
    ==================================================  ======================
    level - original, all p-values after Holm           verdict
    ==================================================  ======================
    equivalence within the margin shown (TOST)          ``FLAT``
    McNemar rejects "no change", the interval excludes  ``NOT FLAT``
    zero, and the estimate is beyond the margin
    more failed or unparsed than the run's caps allow   ``COULD NOT BE JUDGED``
    anything else                                       ``INCONCLUSIVE``
    ==================================================  ======================

    The levels over all tasks are one family, the levels on the tasks another. "Not
    significantly different" is never called flat: a small slice shows neither. Nor
    does flat mean that answers stay: see the stable share, and `Flips`.
    """
    run.require(ORIGINAL)
    chosen = _levels(run, levels)
    asked = _Asked(run=run, margin=margin, missing=missing, confidence=confidence)
    tasks = run.tasks if len(run.tasks) > 1 else ()
    return Ablation(
        slice_name=run.slice_name,
        checkpoint=run.checkpoint,
        levels=_judged([asked.about(c, None) for c in chosen], asked),
        by_task=_judged([asked.about(c, t) for t in tasks for c in chosen], asked),
        agreement=tuple(agreements(run, [ORIGINAL, *chosen], tasks, confidence)),
        margin=margin,
        confidence=confidence,
        missing=missing,
    )


def _levels(run: Run, levels: Sequence[str] | None) -> tuple[str, ...]:
    if levels is not None:
        named = (levels,) if isinstance(levels, str) else tuple(dict.fromkeys(levels))
        if not named or ORIGINAL in named:
            raise ValueError(f"levels must be others than {ORIGINAL!r}, got {levels!r}")
        run.require(*named)
        return named
    found = [c for c in run.conditions if c.partition(":")[0] in LEVELS]
    if not found:
        raise CouldNotBeJudged(
            f"the run on slice {run.slice_name!r} holds no level to compare "
            f"({', '.join(run.conditions)}). It takes a run made with "
            "conditions=['original', 'compressed:28', 'compressed:38'], or with fps:R "
            "or sampled:F"
        )
    return tuple(sorted(found, key=_place))


def _place(condition: str) -> tuple[int, float, str]:
    name, _, number = condition.partition(":")
    try:
        return LEVELS.index(name), float(number), condition
    except ValueError:  # of a log that has levels of its own
        return LEVELS.index(name), 0.0, condition


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What the questions judged in a level and in the original came to."""

    paired: Paired
    flips: Flips
    tost: Equivalence


@dataclass(frozen=True, kw_only=True)
class _Counted:
    """A level before its verdict, which waits for the others of its family."""

    condition: str
    task: str | None
    problem: str | None
    """Why it cannot be judged; None where it can."""
    excluded: int
    frames: FramesShown | None
    found: _Found | None = None


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What all levels are counted by."""

    run: Run
    margin: float
    missing: Missing
    confidence: float

    def about(self, condition: str, task: str | None) -> _Counted:
        """Count one level, on one task or all."""
        found, excluded = None, len(self.run.selected(task))
        try:
            found = self.found(condition, task)
        except CouldNotBeJudged as error:
            problem: str | None = str(error)
        else:
            problem = problems(self.run, condition, ORIGINAL, task)
            excluded = len(found.paired.excluded)
        return _Counted(
            condition=condition,
            task=task,
            problem=problem,
            excluded=excluded,
            frames=frames_shown(self.run, condition, ORIGINAL, task),
            found=found,
        )

    def found(self, condition: str, task: str | None) -> _Found:
        """Pair a level with the original and count; may be impossible."""
        paired = pair(
            self.run,
            treated=condition,
            control=ORIGINAL,
            task=task,
            missing=self.missing,
        )
        flipped = flips(
            before=paired.control,
            after=paired.treated,
            clusters=paired.video_ids,
            questions=paired.asked_ids,
            confidence=self.confidence,
        )
        tost = self.equivalence(flipped.change)
        return _Found(paired=paired, flips=flipped, tost=tost)

    def equivalence(self, change: PairedDifference) -> Equivalence:
        """Test whether a change stays within the margin."""
        return tost_paired(
            treated_only=change.treated_only,
            control_only=change.control_only,
            n=change.n,
            margin=self.margin,
            confidence=self.confidence,
            design_effect=change.design_effect,
            df=change.df,
            questions=change.questions,
        )


def _judged(family: Sequence[_Counted], asked: _Asked) -> tuple[Level, ...]:
    """Return the levels of one *family* with their verdicts, after Holm."""
    rows = {str(i): each for i, each in enumerate(family)}
    judged = {i: r.found for i, r in rows.items() if r.found and not r.problem}
    p_flat = _adjusted({i: found.tost.pvalue for i, found in judged.items()})
    p_moved = _adjusted({i: found.flips.pvalue for i, found in judged.items()})
    return tuple(
        _level(row, p_flat.get(i, 1.0), p_moved.get(i, 1.0), asked)
        for i, row in rows.items()
    )


def _adjusted(pvalues: Mapping[str, float]) -> dict[str, float]:
    return holm(pvalues) if pvalues else {}


def _level(row: _Counted, p_flat: float, p_change: float, asked: _Asked) -> Level:
    verdict, why = _verdict(row, p_flat, p_change, asked)
    found = row.found
    return Level(
        condition=row.condition,
        task=row.task,
        verdict=verdict,
        why=why,
        excluded=row.excluded,
        measured=None if found is None else _measured(found, p_flat, p_change, asked),
        frames=row.frames,
    )


def _verdict(
    row: _Counted, p_flat: float, p_change: float, asked: _Asked
) -> tuple[Flatness, str]:
    found, alpha, margin = row.found, 1 - asked.confidence, asked.margin
    if found is None or row.problem is not None:
        return "COULD NOT BE JUDGED", row.problem or ""
    change = found.flips.change
    if found.paired.n_videos == 1:
        why = "all questions share one video, which says nothing of other videos"
        return "INCONCLUSIVE", why
    if found.tost.outcome == "equivalent" and p_flat <= alpha:
        why = f"shown to stay within {margin:g} (TOST p {p_flat:.2g} after Holm)"
        return "FLAT", why
    apart = change.low > 0 or change.high < 0
    if p_change <= alpha and apart and abs(change.estimate) > margin:
        why = f"changed, by more than {margin:g} (McNemar p {p_change:.2g} after Holm)"
        return "NOT FLAT", why
    why = f"neither shown to stay within {margin:g} (TOST p {p_flat:.2g}) nor to leave "
    return "INCONCLUSIVE", f"{why}it (McNemar p {p_change:.2g}), after Holm"


def _measured(found: _Found, p_flat: float, p_change: float, asked: _Asked) -> Measured:
    paired, change = found.paired, found.flips.change
    original, accuracy = (
        counted.share(right, paired.video_ids, asked.confidence, paired.asked_ids)
        for right in (paired.control, paired.treated)
    )
    return Measured(
        n=paired.extent.n,
        n_videos=paired.n_videos,
        original=original,
        accuracy=accuracy,
        flips=found.flips,
        equivalence=found.tost,
        p_flat=p_flat,
        p_change=p_change,
        smallest_detectable=smallest_detectable_paired_difference(
            treated_only=change.treated_only,
            control_only=change.control_only,
            n=change.n,
            confidence=asked.confidence,
            design_effect=change.design_effect,
            df=change.df,
            questions=change.questions,
        ),
        enrichment=enriched(asked.run, paired, asked.confidence),
        breaking=breaking(asked.run, paired, asked.confidence),
    )
