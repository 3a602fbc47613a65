"""The claim that a run is as complete as its plan.

Apart from the caps, which refuse a verdict on what is too full of holes,
because this one may ask for more, and says what is missing before a test of
the model leaves anyone wondering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Literal

from pytest_vdg.assertions import check
from pytest_vdg.assertions._caps import of_logs
from pytest_vdg.assertions._decide import above_floor_by, percents_apart
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    accuracy_of,
    detectable_share,
    power_evidence,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._family import settle, worst_of
from pytest_vdg.assertions._shortfalls import (
    Plan,
    cell_lines,
    lost_reasons,
    shortfalls,
)
from pytest_vdg.assertions._words import percent, plain
from pytest_vdg.assertions.judge import require_judgeable
from pytest_vdg.outcomes.columns import among, column
from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import Caps, Outcome, Run, TaskFilter
from pytest_vdg.stats.proportion import Proportion
from pytest_vdg.verdicts import Finding, Verdict

_NO_CAPS = Caps(failed=1, failed_difference=1, unparsed=1, unparsed_difference=1)


def assert_coverage(
    run: Run,
    floor: float = 0.98,
    *,
    questions: int | None = None,
    frames: int | None = None,
    conditions: Sequence[str] | None = None,
    task: TaskFilter = None,
    per_task: bool = False,
    confidence: float = 0.95,
    evidence: Literal["bound", "estimate"] = "estimate",
) -> Finding:
    """Claim that *run* has enough questions, replies that parse, and its frames.

    A cell is covered when its reply chose an option. Cells whose condition has
    no meaning for their clip are not asked for, but their questions do not
    count for *questions*. The caps do not apply: they are what this is about.

    Parameters
    ----------
    run : Run
        The run; only *conditions* and the questions of *task* count.
    floor : float
        A fraction in [0, 1] that the covered share of each condition must
        exceed or, with "estimate", reach.
    questions : int, optional
        How many questions must be judged under all *conditions*; asked under
        several orders of its options, each counts once.
    frames : int, optional
        How many frames each clip must have shown at least. In any case a
        question must have shown as many under each condition that keeps their
        number, and some.
    conditions : sequence of str, optional
        By default all that were run.
    task : str, collection of str, optional
        Restrict the claim to these tasks.
    per_task : bool
        Claim it of each task by itself, with Holm's adjustment over the tasks:
        one finding a task, and the claim fails where any does. *questions* are
        then those of each task.
    confidence : float
        Of the two-sided interval that is shown, and of each one-sided bound.
    evidence : {"bound", "estimate"}
        "estimate" judges this run, whose cells are all there is to count.
        "bound" takes them for a sample: will the next run be covered as well?

    Returns
    -------
    Finding
        The numbers, already published to `collect_findings`: the covered share
        of the condition that has least.

    Raises
    ------
    ClaimFailed
        ``BELOW FLOOR`` or ``INCONCLUSIVE``, see Notes.
    CouldNotBeJudged
        When there is no question, a condition was not run, or none was judged
        in all; when *frames* are asked of a run that did not record them; or
        when nothing done to the video changed any reply.
    ValueError
        When an argument is out of range, or *task* is unknown.

    Notes
    -----
    ====================================================  ================
    run                                                   verdict
    ====================================================  ================
    too few questions judged under all conditions, or     ``BELOW FLOOR``
    a question with other frames than planned
    "estimate": covered share of each condition >= floor  ``ok``
    "estimate": any below it                              ``BELOW FLOOR``
    "bound": as for `assert_accuracy_above`, for the      ``ok``, ``BELOW
    condition with the least share                        FLOOR`` or
                                                          ``INCONCLUSIVE``
    ====================================================  ================
    """
    __tracebackhide__ = True
    check.a_run("run", run)
    asked = _Asked(
        plan=Plan(
            run=run,
            conditions=_conditions(run, conditions),
            questions=None
            if questions is None
            else check.a_number_of("questions", questions),
            frames=None if frames is None else check.a_number_of("frames", frames),
        ),
        floor=check.fraction("floor", floor, low=0, high=1),
        by_estimate=check.one_of("evidence", evidence, ("bound", "estimate"))
        == "estimate",
    )

    return settle(
        partial(_covered, asked),
        run,
        task=task,
        per_task=per_task,
        confidence=confidence,
    )


def _conditions(run: Run, conditions: Sequence[str] | None) -> tuple[str, ...]:
    if conditions is None:
        return run.conditions
    names = (conditions,) if isinstance(conditions, str) else tuple(conditions)
    if not names:
        raise ValueError("no condition covers nothing; None is for all that were run")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The claim's arguments, checked."""

    plan: Plan
    floor: float
    by_estimate: bool


def _covered(asked: _Asked, task: TaskFilter) -> Decide:
    plan = asked.plan
    require_judgeable(plan.run, plan.conditions, task, caps=_NO_CAPS)
    faults = shortfalls(plan, task)
    counts = (("cells", cell_lines(plan, task)), *lost_reasons(plan, task))

    def decide(confidence: float) -> Statement:
        worst = worst_of(
            [_condition(asked, c, task, confidence) for c in plan.conditions]
        )
        worst = replace(worst, evidence=(*counts, *worst.evidence))
        if not faults:
            return worst
        return replace(
            worst,
            verdict=Verdict.BELOW_FLOOR,
            margin=plain(faults[0], 60),
            decided="; ".join(faults),
            next_step=_advice(plan.run, Verdict.BELOW_FLOOR),
        )

    return decide


def _condition(
    asked: _Asked,
    condition: str,
    task: TaskFilter,
    confidence: float,
) -> Statement:
    run = asked.plan.run
    share, extent = _share(run, condition, task, confidence)
    decision = above_floor_by(
        share,
        asked.floor,
        by_estimate=asked.by_estimate,
        confidence=confidence,
        write=percents_apart,
        reached=True,
    )
    smallest = detectable_share(share)
    return Statement(
        claim="assert_coverage",
        verdict=decision.verdict,
        measure=f"coverage {condition}",
        said_measure=f"coverage of {plain(condition)}",
        interval=share,
        confidence=confidence,
        bound=asked.floor,
        versus=f"floor {percent(asked.floor)}"
        + (" by estimate only" if asked.by_estimate else ""),
        is_share=True,
        run=run,
        task=task,
        **extent._asdict(),
        smallest_detectable=smallest,
        accuracies=(),
        decided=decision.words,
        evidence=(power_evidence(smallest, share.design_effect, extent.n_videos),),
        next_step=_advice(run, decision.verdict),
    )


def _advice(run: Run, verdict: Verdict) -> str:
    if verdict is Verdict.BELOW_FLOOR and of_logs(run):
        return _ADVICE_ON_LOGS
    return _ADVICE[verdict]


def _share(
    run: Run, condition: str, task: TaskFilter, confidence: float
) -> tuple[Proportion, Extent]:
    outcomes = column(run, condition, task)
    meant = ~among(outcomes, [Outcome.NOT_APPLICABLE])
    parsed = among(outcomes, [Outcome.CORRECT, Outcome.WRONG])[meant]
    asked = list(compress(run.selected(task), meant))
    return accuracy_of(parsed, asked, confidence=confidence), Extent.over(asked)


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "remove the causes listed above and run again: answered cells are not asked "
        "twice"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "lower the floor"),
}
_ADVICE_ON_LOGS = (
    "see how the replies were read (vdg parse-check LOG), or remove the causes listed "
    "above where the logs are made and import them again"
)
