"""The claim that a gap between two conditions is above a floor.

Apart from ``vdg`` and ``temporal`` because it is the same claim about another
condition: only the names and the advice differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from pytest_vdg.assertions._decide import above_floor, estimate_above_floor
from pytest_vdg.assertions._evidence import (
    accuracy_line,
    arm_accuracies,
    arms_table,
    detectable,
    excluded_evidence,
    excluded_line,
    gap,
    power_evidence,
    table_evidence,
    unmatched_evidence,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._flipped import answered_alike
from pytest_vdg.assertions._words import pp
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.outcomes import Missing, Paired, pair
from pytest_vdg.outcomes.columns import counted_in_all
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Verdict


def gap_above(
    run: Run,
    floor: float,
    *,
    claim: str,
    measure: str,
    treated: str = "original",
    control: str,
    task: TaskFilter,
    advice: Mapping[Verdict, str],
    by_estimate: bool = False,
    missing: Missing = "drop",
    among: Sequence[str] = (),
) -> Decide:
    """Count for the claim that *treated* - *control* is above *floor*.

    Only questions judged in *among* too take part, for gaps that have to be
    over the same questions.
    """
    arms = (treated, control)
    conditions = tuple(dict.fromkeys([*arms, *among]))
    require_judgeable(run, conditions, task)
    with first_words():
        paired = pair(run, treated=treated, control=control, task=task, missing=missing)
    if among:
        counted = counted_in_all(run, among, task, missing)
        paired = paired.kept({q.id for q in compress(run.selected(task), counted)})
    flipped = answered_alike(run, paired)
    losses = _losses(run, paired, task)
    remark = [] if among else _low_floor(floor, treated, control)

    def decide(confidence: float) -> Statement:
        difference = gap(paired, confidence=confidence)
        if by_estimate:
            decision = estimate_above_floor(difference, floor)
        else:
            decision = above_floor(difference, floor, confidence=confidence)
        smallest = detectable(difference)
        return Statement(
            claim=claim,
            verdict=decision.verdict,
            measure=measure,
            said_measure=measure,
            interval=difference,
            confidence=confidence,
            bound=floor,
            versus=f"floor {pp(floor)}" + (" by estimate only" if by_estimate else ""),
            missing=missing,
            run=run,
            task=task,
            **paired.extent._asdict(),
            smallest_detectable=smallest,
            accuracies=arm_accuracies(paired),
            decided=decision.words,
            evidence=(
                ("accuracy", accuracy_line(paired, confidence=confidence)),
                table_evidence(
                    {"": arms_table(paired)}, effect=difference.design_effect
                ),
                power_evidence(smallest, difference.design_effect, paired.n_videos),
                *losses,
                *remark,
            ),
            next_step=advice[decision.verdict],
            flipped=flipped,
        )

    return decide


def _losses(run: Run, paired: Paired, task: TaskFilter) -> tuple[tuple[str, str], ...]:
    arms = (paired.treated_name, paired.control_name)
    asked = len(run.selected(task))
    lost = excluded_line(run, arms, task, left=asked - paired.n, missing=paired.missing)
    return *excluded_evidence(lost), *unmatched_evidence(paired, of=asked)


def _low_floor(floor: float, treated: str, control: str) -> list[tuple[str, str]]:
    """Return a remark on a floor that asks for little."""
    if floor > 0 or treated != "original":
        return []
    text = (
        "a floor of zero asks for any difference at all, however small: state how "
        "much you need"
    )
    if floor < 0:
        text = f"a floor of {pp(floor)} is passed by a model that is right just as "
        text += f"often under {control}"
    return [("note", text)]
