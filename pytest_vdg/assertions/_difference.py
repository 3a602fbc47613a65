"""How far two runs are apart: by an accuracy, or by a gap.

Apart from the claim that they are equivalent because it measures, while that
decides and words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pytest_vdg.assertions._change import change_evidence, measure_change
from pytest_vdg.assertions._evidence import (
    arm_accuracies,
    detectable,
    gap,
    power_evidence,
)
from pytest_vdg.assertions._flipped import flips, moved
from pytest_vdg.assertions._losses import (
    excluded_evidence,
    excluded_line,
    unmatched_evidence,
)
from pytest_vdg.assertions._tables import runs_table, table_evidence
from pytest_vdg.assertions._words import plain
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.comparable import require_comparable
from pytest_vdg.outcomes import Missing, pair_answers
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats.equivalence import (
    Equivalence,
    tost_cluster_mean,
    tost_paired,
)
from pytest_vdg.stats.interval import Interval


@dataclass(frozen=True, kw_only=True)
class TwoRuns:
    """What is to be compared: the claim's arguments, checked."""

    run: Run
    baseline: Run
    condition: str
    against: str | None
    margin: float
    missing: Missing


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A difference between two runs, with what the message tells of it."""

    what: str
    interval: Interval
    tost: Equivalence
    extent: Extent
    smallest: float
    accuracies: tuple[tuple[str, float], ...]
    evidence: tuple[tuple[str, str], ...]
    flipped: tuple[tuple[str, str], ...]


def measure_difference(
    asked: TwoRuns, task: TaskFilter
) -> Callable[[float], Difference]:
    """Return the difference over the questions of *task*, at a confidence.

    Raises
    ------
    NotComparable
        When the two do not measure the same thing.
    CouldNotBeJudged
        When either allows no verdict.
    """
    return (_accuracies if asked.against is None else _gaps)(asked, task)


def _accuracies(asked: TwoRuns, task: TaskFilter) -> Callable[[float], Difference]:
    run, baseline, condition = asked.run, asked.baseline, asked.condition
    with first_words():
        require_comparable(run, baseline)
    require_judgeable(run, (condition,), task)
    require_judgeable(baseline, (condition,), task, caps=run.caps, name="baseline")
    with first_words():
        paired = pair_answers(
            run, baseline, condition=condition, task=task, missing=asked.missing
        )
    questions = len(run.selected(task))
    left = questions - paired.n
    now, then = (
        excluded_line(each, (condition,), task, left=left, missing=asked.missing)
        for each in (run, baseline)
    )
    table = runs_table(condition, paired.treated, paired.control, paired.asked_ids)
    flipped = moved(run, baseline, paired, condition)

    def at(confidence: float) -> Difference:
        difference = gap(paired, confidence=confidence)
        smallest, effect = detectable(difference), difference.design_effect
        return Difference(
            what=f"{plain(condition)} accuracy",
            interval=difference,
            tost=tost_paired(
                treated_only=paired.treated_only,
                control_only=paired.control_only,
                n=paired.n,
                margin=asked.margin,
                confidence=confidence,
                design_effect=effect,
                df=difference.df,
                questions=difference.questions,
            ),
            extent=paired.extent,
            smallest=smallest,
            accuracies=((condition, float(np.mean(paired.treated))),),
            evidence=(
                table_evidence({"": table}, effect=effect),
                power_evidence(smallest, effect, paired.n_videos),
                *excluded_evidence(now, then),
                *unmatched_evidence(paired, of=questions),
            ),
            flipped=flipped,
        )

    return at


def _gaps(asked: TwoRuns, task: TaskFilter) -> Callable[[float], Difference]:
    treated, control = asked.condition, str(asked.against)
    measured = measure_change(
        asked.run,
        asked.baseline,
        treated=treated,
        control=control,
        task=task,
        missing=asked.missing,
    )
    vdg = (treated, control) == ("original", "black")

    def at(confidence: float) -> Difference:
        change = measured(confidence)
        now = change.runs.now
        return Difference(
            what="VDG" if vdg else f"{plain(treated)} - {plain(control)}",
            interval=change.change,
            tost=tost_cluster_mean(
                change.runs.changes,
                now.video_ids,
                margin=asked.margin,
                confidence=confidence,
                questions=now.asked_ids,
            ),
            extent=now.extent,
            smallest=change.smallest_detectable,
            accuracies=arm_accuracies(now),
            evidence=tuple(change_evidence(change)),
            flipped=flips(asked.run, asked.baseline, change.runs),
        )

    return at
