"""The claim that a gap between two conditions is above a floor.

Apart from ``vdg`` and ``temporal`` because it is the same claim about another
condition: only the names and the advice differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

from pytest_vdg.assertions._decide import above_floor_by
from pytest_vdg.assertions._evidence import (
    accuracy_line,
    arm_accuracies,
    detectable,
    gap,
    power_evidence,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._flipped import answered_alike
from pytest_vdg.assertions._losses import pair_losses
from pytest_vdg.assertions._tables import arms_evidence
from pytest_vdg.assertions._words import pp
from pytest_vdg.assertions.judge import first_words, require_judgeable
from pytest_vdg.outcomes import Missing, pair
from pytest_vdg.outcomes.columns import counted_in_all
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Verdict


@dataclass(frozen=True, kw_only=True)
class Delta:
    """A gap between two conditions, with what the messages call it."""

    claim: str
    measure: str
    treated: str = "original"
    control: str
    floor_advice: Mapping[Verdict, str] = field(default_factory=dict)
    """What to do where it was held against a floor."""
    lost: str = ""
    """What a baseline may have none of, e.g. ``temporal delta``."""
    change_advice: Mapping[Verdict, str] = field(default_factory=dict)
    """What to do where its change was."""


def gap_above(
    delta: Delta,
    run: Run,
    floor: float,
    *,
    task: TaskFilter,
    missing: Missing,
    by_estimate: bool = False,
    among: Sequence[str] = (),
) -> Decide:
    """Count for the claim that *delta* is above *floor*.

    Only questions judged in *among* too take part, for gaps that have to be
    over the same questions.
    """
    arms = (delta.treated, delta.control)
    require_judgeable(run, tuple(dict.fromkeys([*arms, *among])), task)
    with first_words():
        paired = pair(run, treated=arms[0], control=arms[1], task=task, missing=missing)
    if among:
        counted = counted_in_all(run, among, task, missing)
        paired = paired.kept({q.id for q in compress(run.selected(task), counted)})
    flipped = answered_alike(run, paired)
    lost = pair_losses(run, paired, task)
    remark = [] if among else _low_floor(floor, *arms)

    def decide(confidence: float) -> Statement:
        difference = gap(paired, confidence=confidence)
        decision = above_floor_by(
            difference, floor, by_estimate=by_estimate, confidence=confidence
        )
        smallest, effect = detectable(difference), difference.design_effect
        return Statement(
            claim=delta.claim,
            verdict=decision.verdict,
            measure=delta.measure,
            said_measure=delta.measure,
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
                arms_evidence(paired, effect=effect),
                power_evidence(smallest, effect, paired.n_videos),
                *lost,
                *remark,
            ),
            next_step=delta.floor_advice[decision.verdict],
            flipped=flipped,
        )

    return decide


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
