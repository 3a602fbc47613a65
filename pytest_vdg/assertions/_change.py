"""How a gap changed since a baseline, question by question, with evidence.

Apart from the assertions because the loss of a temporal delta and the loss of
VDG are the same measurement over another control condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.assertions._decide import Decision
from pytest_vdg.assertions._evidence import (
    accuracy,
    gap,
    gap_text,
    power_evidence,
)
from pytest_vdg.assertions._explain import one_sided
from pytest_vdg.assertions._losses import excluded_evidence, excluded_line
from pytest_vdg.assertions._tables import runs_table, table_evidence
from pytest_vdg.assertions._words import (
    apart,
    count,
    listed,
    listed_as,
    percent,
    percent_span,
    plain,
    pp,
    size,
    span,
)
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.comparable import require_comparable
from pytest_vdg.outcomes import (
    Missing,
    Paired,
    PairedRuns,
    pair_runs,
)
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.clusters import ClusterMean, cluster_mean
from pytest_vdg.stats.detectable import smallest_detectable_difference
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.verdicts import Verdict

Correct = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Change:
    """A gap now, in the baseline, and its change over the same questions."""

    run: Run
    baseline: Run
    task: TaskFilter
    runs: PairedRuns
    change: ClusterMean
    now: PairedDifference
    then: PairedDifference
    treated_change: PairedDifference
    """Accuracy with the real video, now minus then."""
    control_change: PairedDifference
    """Accuracy under the control condition, now minus then."""

    @property
    def arms(self) -> tuple[str, str]:
        """The two conditions, the real video first."""
        return self.runs.now.treated_name, self.runs.now.control_name

    @property
    def smallest_detectable(self) -> float:
        """Smallest drop of the gap that this slice would have shown."""
        return smallest_detectable_difference(
            sd=self.change.sd,
            n=self.change.n,
            size=self.change.size,
            confidence=self.change.confidence,
            design_effect=self.change.design_effect,
            df=self.change.df,
            questions=self.change.questions,
        )


def measure_change(
    run: Run,
    baseline: Run,
    *,
    treated: str = "original",
    control: str,
    task: TaskFilter,
    missing: Missing = "drop",
) -> Callable[[float], Change]:
    """Join *run* and *baseline* over the questions judged in all four arms.

    The change is returned with intervals at a confidence, when asked for it.

    Raises
    ------
    NotComparable
        When the two do not measure the same thing.
    CouldNotBeJudged
        When either allows no verdict; the baseline is held to the caps of
        *run*, so that a tightened cap covers both.
    """
    arms = (treated, control)
    with first_words():
        require_comparable(run, baseline)
    require_judgeable(run, arms, task)
    require_judgeable(baseline, arms, task, caps=run.caps, name="baseline")
    with first_words():
        runs = pair_runs(
            run, baseline, treated=treated, control=control, task=task, missing=missing
        )
    ids = runs.now.video_ids, runs.now.asked_ids

    def at(confidence: float) -> Change:
        return Change(
            run=run,
            baseline=baseline,
            task=task,
            runs=runs,
            change=cluster_mean(
                runs.changes, ids[0], confidence=confidence, questions=ids[1]
            ),
            now=gap(runs.now, confidence=confidence),
            then=gap(runs.then, confidence=confidence),
            treated_change=_accuracy_change(
                runs.now.treated, runs.then.treated, *ids, confidence=confidence
            ),
            control_change=_accuracy_change(
                runs.now.control, runs.then.control, *ids, confidence=confidence
            ),
        )

    return at


def _accuracy_change(
    now: Correct,
    then: Correct,
    videos: Sequence[str],
    questions: Sequence[str],
    *,
    confidence: float,
) -> PairedDifference:
    changes = now.astype(np.int64) - then
    return counted.difference(changes, videos, confidence, questions)


def only_one_video(change: Change, decision: Decision) -> Decision:
    """Return *decision*, undecided where all questions share one video."""
    if change.runs.now.n_videos > 1:
        return decision
    words = "all questions share one video, which says nothing of other videos"
    return Decision(verdict=Verdict.INCONCLUSIVE, words=words)


def nothing_to_lose(change: Change, margin: float, measure: str) -> str | None:
    """Return why holding this baseline protects nothing, or None if it does.

    A test that cannot fail must not be green. Where the baseline does not show
    the gap at all, or where the margin allows to lose all of it, "no loss
    beyond the margin" also holds for a model that uses nothing.
    """
    then = change.then
    if then.lower_bound <= 0:
        bound, _ = apart(then.lower_bound, 0.0)
        return (
            f"the baseline itself shows no {measure} to lose: {gap_text(then)}, "
            f"{one_sided(then.confidence)} lower bound {bound}"
        )
    if then.estimate <= margin:
        number, held = apart(then.estimate, margin)
        return (
            f"the margin {held[1:]} allows to lose all of the baseline's {measure} "
            f"of {number}"
        )
    return None


def change_evidence(change: Change) -> list[tuple[str, str]]:
    """Return the lines that show what changed, in the real and control arm."""
    now, then = change.runs.now, change.runs.then
    treated, control = change.arms
    tables = {
        treated: runs_table(treated, now.treated, then.treated, now.asked_ids),
        control: runs_table(control, now.control, then.control, now.asked_ids),
    }
    both = (
        f"{plain(treated)} {gap_text(change.treated_change)} | "
        f"{plain(control)} {gap_text(change.control_change)}"
    )
    return [
        ("gap", f"now {gap_text(change.now)} | baseline {gap_text(change.then)}"),
        ("accuracy", _accuracies(change)),
        ("change", both),
        table_evidence(
            tables,
            effect=max(
                change.treated_change.design_effect,
                change.control_change.design_effect,
            ),
        ),
        power_evidence(
            change.smallest_detectable, change.change.design_effect, now.n_videos
        ),
        *_losses(change),
        *_notes(change),
    ]


def _accuracies(change: Change) -> str:
    ids = change.runs.now.video_ids, change.runs.now.asked_ids

    def text(correct: Correct) -> str:
        share = accuracy(correct, *ids, confidence=change.change.confidence)
        return f"{percent(share.estimate)} {percent_span(share.low, share.high)}"

    def line(name: str, now: Correct, then: Correct) -> str:
        return f"{plain(name)} {text(now)}, was {text(then)}"

    now, then = change.runs.now, change.runs.then
    treated, control = change.arms
    return "\n".join(
        [
            line(treated, now.treated, then.treated),
            line(control, now.control, then.control),
        ]
    )


def _losses(change: Change) -> list[tuple[str, str]]:
    now = _left(change.run, change.runs.now, change)
    then = _left(change.baseline, change.runs.then, change)
    lines = excluded_evidence(now, then)
    if change.runs.dropped:
        number = count(len(change.runs.dropped), "question")
        shown = listed_as(plain, change.runs.dropped)
        lines.append(("dropped", f"{number} judged in one run only: {shown}"))
    return lines


def _left(run: Run, paired: Paired, change: Change) -> str:
    left, missing = len(paired.excluded), paired.missing
    return excluded_line(run, change.arms, change.task, left=left, missing=missing)


def _notes(change: Change) -> list[tuple[str, str]]:
    recorded = f", recorded {plain(change.baseline.created)}"
    lines = [
        (
            "baseline",
            f"checkpoint {plain(change.baseline.checkpoint)}"
            + (recorded if change.baseline.created else ""),
        )
    ]
    old = change.baseline.fingerprint.informative
    new = change.run.fingerprint.informative
    differing = [
        f"{plain(name)} {plain(new.get(name, 'none'))}, "
        f"was {plain(old.get(name, 'none'))}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    if differing:
        lines.append(("note", f"not the same versions: {listed(differing)}"))
    return lines


def change_line(difference: PairedDifference) -> str:
    """Return an accuracy change with its interval and one-sided lower bound."""
    return (
        f"{pp(difference.estimate)} {span(difference.low, difference.high)}, "
        f"{one_sided(difference.confidence)} lower bound {pp(difference.lower_bound)}"
    )


def margin_text(margin: float) -> str:
    """Return a margin as the brackets of the first line have it."""
    return f"margin {size(margin)}"
