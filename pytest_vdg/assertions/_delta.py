"""The claim that a gap is above a floor, or no smaller than it was.

Apart from the assertions because each step of the ladder can be claimed both
ways: only the two conditions, the names and the advice differ.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_vdg.assertions import check
from pytest_vdg.assertions._change import (
    Change,
    change_evidence,
    margin_text,
    measure_change,
    nothing_to_lose,
    only_one_video,
)
from pytest_vdg.assertions._decide import Decision, no_loss
from pytest_vdg.assertions._evidence import arm_accuracies
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._family import settle
from pytest_vdg.assertions._flipped import flips
from pytest_vdg.assertions._gap_claim import Delta, gap_above
from pytest_vdg.assertions._words import plain
from pytest_vdg.outcomes import Missing
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.verdicts import Finding, Verdict

UNDECIDED = "undecided, not refuted: ask more {}, on more videos, or {}"
"""What to do next, for what to ask and what to give up."""


def floor_claim(
    delta: Delta,
    run: Run,
    floor: float,
    *,
    task: TaskFilter,
    per_task: bool,
    missing: Missing,
    confidence: float,
    evidence: str = "bound",
) -> Finding:
    """Claim that *delta* is above *floor*, by its bounds or its estimate."""
    __tracebackhide__ = True
    by = check.one_of("evidence", evidence, ("bound", "estimate"))
    floor = check.fraction("floor", floor, low=-1, high=1)

    def judge(task: TaskFilter) -> Decide:
        return gap_above(
            delta,
            run,
            floor,
            task=task,
            missing=missing,
            by_estimate=by == "estimate",
        )

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def delta_claim(
    delta: Delta,
    run: Run,
    floor: float | None,
    *,
    baseline: Run | None,
    margin: float,
    task: TaskFilter,
    per_task: bool,
    missing: Missing,
    confidence: float,
) -> Finding:
    """Claim that *delta* is above *floor*, or no *margin* below *baseline*'s."""
    __tracebackhide__ = True
    if (floor is None) == (baseline is None):
        raise ValueError(
            f"{delta.claim} needs either a floor or a baseline, got "
            f"floor={floor!r} and "
            f"{'no baseline' if baseline is None else 'a baseline'}"
        )
    if baseline is None:
        return floor_claim(
            delta,
            run,
            check.fraction("floor", floor, low=-1, high=1),
            task=task,
            per_task=per_task,
            missing=missing,
            confidence=confidence,
        )
    then = check.a_run("baseline", baseline)
    margin = check.fraction("margin", margin, low=0, high=1)

    def judge(task: TaskFilter) -> Decide:
        at = measure_change(
            run,
            then,
            treated=delta.treated,
            control=delta.control,
            task=task,
            missing=missing,
        )
        return lambda confidence: not_lost(at(confidence), margin, delta)

    return settle(judge, run, task=task, per_task=per_task, confidence=confidence)


def not_lost(
    change: Change,
    margin: float,
    delta: Delta,
    *,
    rename: Callable[[Change, Decision], Decision] | None = None,
) -> Statement:
    """Return the decided claim that *change* is no loss beyond *margin*.

    *rename* may give a regression its more telling name.
    """
    decision = only_one_video(
        change, no_loss(change.change, margin, confidence=change.change.confidence)
    )
    vacuous = nothing_to_lose(change, margin, delta.lost)
    versus = f"baseline {plain(change.baseline.slice_name)}"
    evidence = change_evidence(change)
    if vacuous and decision.verdict is Verdict.PASS:
        decision = Decision(verdict=Verdict.COULD_NOT_BE_JUDGED, words=vacuous)
        versus += ", which itself has none to lose"
    elif vacuous:
        evidence.append(("note", vacuous))
    if rename is not None and decision.verdict is Verdict.REGRESSION:
        decision = rename(change, decision)
    return Statement(
        claim=delta.claim,
        verdict=decision.verdict,
        measure=f"{delta.measure} change",
        said_measure=delta.measure,
        interval=change.change,
        confidence=change.change.confidence,
        bound=-margin,
        versus=versus,
        margin=margin_text(margin),
        missing=change.runs.now.missing,
        run=change.run,
        task=change.task,
        baseline=change.baseline,
        **change.runs.now.extent._asdict(),
        smallest_detectable=change.smallest_detectable,
        accuracies=arm_accuracies(change.runs.now),
        decided=decision.words,
        evidence=tuple(evidence),
        next_step=delta.change_advice[decision.verdict],
        flipped=flips(change.run, change.baseline, change.runs),
    )
