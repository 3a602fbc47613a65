"""The claim that a gap between two conditions is above a floor.

Apart from ``vdg`` and ``temporal`` because it is the same claim about another
condition: only the names and the advice differ.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vdg.assertions._decide import above_floor, estimate_above_floor
from pytest_vdg.assertions._evidence import (
    accuracy_line,
    answered_alike,
    arm_accuracies,
    arms_table,
    detectable,
    detectable_line,
    excluded_line,
    gap,
    table_evidence,
)
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._judge import first_words, require_judgeable
from pytest_vdg.assertions._words import pp
from pytest_vdg.outcomes import Paired, pair
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.verdicts import Verdict


def gap_above(
    run: Run,
    floor: float,
    *,
    claim: str,
    measure: str,
    control: str,
    task: TaskFilter,
    confidence: float,
    advice: Mapping[Verdict, str],
    by_estimate: bool = False,
) -> Statement:
    """Return the decided claim that original - *control* is above *floor*."""
    arms = ("original", control)
    require_judgeable(run, arms, task)
    with first_words():
        paired = pair(run, control=control, task=task)
    difference = gap(paired, confidence=confidence)
    if by_estimate:
        decision = estimate_above_floor(difference, floor)
    else:
        decision = above_floor(difference, floor, confidence=confidence)
    return Statement(
        claim=claim,
        verdict=decision.verdict,
        measure=measure,
        said_measure=measure,
        interval=difference,
        confidence=confidence,
        bound=floor,
        versus=f"floor {pp(floor)}" + (" by estimate only" if by_estimate else ""),
        run=run,
        task=task,
        n=paired.n,
        n_videos=paired.n_videos,
        smallest_detectable=detectable(difference),
        accuracies=arm_accuracies(paired),
        decided=decision.words,
        evidence=_evidence(run, paired, difference, task, floor),
        next_step=advice[decision.verdict],
        flipped=answered_alike(run, paired),
    )


def _evidence(
    run: Run,
    paired: Paired,
    difference: PairedDifference,
    task: TaskFilter,
    floor: float,
) -> tuple[tuple[str, str], ...]:
    power = detectable_line(
        detectable(difference),
        effect=difference.design_effect,
        n_videos=paired.n_videos,
    )
    arms = (paired.treated_name, paired.control_name)
    lost = excluded_line(run, arms, task, left=len(paired.excluded))
    lines = [
        ("accuracy", accuracy_line(paired, confidence=difference.confidence)),
        table_evidence({"": arms_table(paired)}, effect=difference.design_effect),
        ("power", power),
        ("excluded", lost),
    ]
    if floor <= 0:
        lines.append(("note", _low_floor(floor, paired.control_name)))
    return tuple(lines)


def _low_floor(floor: float, control: str) -> str:
    if floor < 0:
        return (
            f"a floor of {pp(floor)} is passed by a model that is right just as "
            f"often under {control}"
        )
    return (
        "a floor of zero asks for any difference at all, however small: state how "
        "much you need"
    )
