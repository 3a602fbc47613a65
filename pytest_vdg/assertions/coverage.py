"""The claim that a run is as complete as its plan.

Apart from the caps, which refuse a verdict on what is too full of holes,
because this one may ask for more, and says what is missing before a test of
the model leaves anyone wondering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from pytest_vdg.assertions import _check
from pytest_vdg.assertions._caps import condition_counts, reason_lines
from pytest_vdg.assertions._decide import (
    above_floor,
    estimate_above_floor,
    percents_apart,
)
from pytest_vdg.assertions._delta import UNDECIDED
from pytest_vdg.assertions._evidence import (
    detectable_share,
    judged_in_all,
    power_evidence,
)
from pytest_vdg.assertions._explain import Decide, Statement
from pytest_vdg.assertions._family import settle, worst_of
from pytest_vdg.assertions._judge import FIRST_WORDS, require_judgeable
from pytest_vdg.assertions._words import count, listed, percent, plain
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Outcome, Run, TaskFilter
from pytest_vdg.stats.clusters import video_effect
from pytest_vdg.stats.proportion import Proportion, wilson
from pytest_vdg.verdicts import Finding, Verdict

_NO_CAPS = Caps(failed=1, failed_difference=1, unparsed=1, unparsed_difference=1)
_OTHER_FRAMES = ("text_only", "sampled", "fps")
"""Conditions that show another number of frames on purpose."""


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
        How many questions must be judged under all *conditions*.
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
    _check.a_run("run", run)
    asked = _Asked(
        run=run,
        conditions=_conditions(run, conditions),
        floor=_check.fraction("floor", floor, low=0, high=1),
        questions=None
        if questions is None
        else _check.a_number_of("questions", questions),
        frames=None if frames is None else _check.a_number_of("frames", frames),
        by_estimate=_check.one_of("evidence", evidence, ("bound", "estimate"))
        == "estimate",
    )

    def judge(task: TaskFilter) -> Decide:
        return partial(_covered, asked, task)

    return settle(
        judge,
        run,
        task=task,
        per_task=per_task,
        confidence=_check.confidence_level(confidence),
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

    run: Run
    conditions: tuple[str, ...]
    floor: float
    questions: int | None
    frames: int | None
    by_estimate: bool


def _covered(asked: _Asked, task: TaskFilter, confidence: float) -> Statement:
    run = asked.run
    require_judgeable(run, asked.conditions, task, caps=_NO_CAPS)
    chosen = run.selected(task)
    worst = worst_of(
        [_condition(asked, c, chosen, task, confidence) for c in asked.conditions]
    )
    judged = judged_in_all(run, asked.conditions, [q.id for q in chosen], "drop")
    faults = [*_too_few(asked, len(judged)), *_other_frames(asked, chosen)]
    counts = (("cells", _cells(asked, chosen)), *_reasons(asked, chosen))
    worst = replace(worst, evidence=(*counts, *worst.evidence))
    if not faults:
        return worst
    return replace(
        worst,
        verdict=Verdict.BELOW_FLOOR,
        margin=plain(faults[0], 60),
        decided="; ".join(faults),
        next_step=_ADVICE[Verdict.BELOW_FLOOR],
    )


def _condition(
    asked: _Asked,
    condition: str,
    chosen: Sequence[AskedQuestion],
    task: TaskFilter,
    confidence: float,
) -> Statement:
    run = asked.run
    share, videos = _share(run, condition, chosen, confidence)
    if not asked.by_estimate:
        decision = above_floor(
            share, asked.floor, confidence=confidence, write=percents_apart
        )
    else:
        decision = estimate_above_floor(
            share, asked.floor, write=percents_apart, reached=True
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
        n=share.n,
        n_videos=videos,
        smallest_detectable=smallest,
        accuracies=(),
        decided=decision.words,
        evidence=(power_evidence(smallest, share.design_effect, videos),),
        next_step=_ADVICE[decision.verdict],
    )


def _share(
    run: Run, condition: str, chosen: Sequence[AskedQuestion], confidence: float
) -> tuple[Proportion, int]:
    meant = [
        q
        for q in chosen
        if run.cells[q.id, condition].outcome is not Outcome.NOT_APPLICABLE
    ]
    parsed = [
        run.cells[q.id, condition].outcome in (Outcome.CORRECT, Outcome.WRONG)
        for q in meant
    ]
    videos = [q.video for q in meant]
    share = wilson(
        successes=sum(parsed),
        n=len(parsed),
        confidence=confidence,
        design_effect=video_effect(parsed, videos),
    )
    return share, len(set(videos))


def _cells(asked: _Asked, chosen: Sequence[AskedQuestion]) -> str:
    lines = []
    for condition in asked.conditions:
        c = condition_counts(asked.run, condition, chosen)
        lines.append(
            f"{plain(condition)}: {c.correct + c.wrong} covered, {c.unparsed} "
            f"unparsed, {c.failed} failed, {c.not_applicable} not applicable"
        )
    return "\n".join(lines)


def _reasons(asked: _Asked, chosen: Sequence[AskedQuestion]) -> list[tuple[str, str]]:
    cells = [asked.run.cells[q.id, c] for q in chosen for c in asked.conditions]
    lost = [
        cell for cell in cells if cell.outcome in (Outcome.FAILED, Outcome.UNPARSED)
    ]
    texts = [line.split(None, 1)[-1] for line in reason_lines(lost)]
    return [("reasons", "\n".join(texts))] if texts else []


def _too_few(asked: _Asked, judged: int) -> list[str]:
    if asked.questions is None or judged >= asked.questions:
        return []
    found = f"{count(judged, 'question')} judged in all conditions"
    return [f"{found}, {asked.questions} needed"]


def _other_frames(asked: _Asked, chosen: Sequence[AskedQuestion]) -> list[str]:
    kept = [c for c in asked.conditions if c.split(":", 1)[0] not in _OTHER_FRAMES]
    cells = {
        q.id: [cell for c in kept if (cell := asked.run.cells[q.id, c]).outcome.judged]
        for q in chosen
    }
    if not any(cell.frames_seen for group in cells.values() for cell in group):
        if asked.frames is None:
            return []  # read from a log that knows no frames
        raise CouldNotBeJudged(
            f"{FIRST_WORDS}no number of frames was recorded on slice "
            f"{plain(asked.run.slice_name)}, so that {asked.frames} cannot be asked for"
        )
    wrong = sorted(q for q, group in cells.items() if _wrong_frames(asked, group))
    if not wrong:
        return []
    named = listed([plain(q) for q in wrong])
    return [f"{count(len(wrong), 'question')} saw other frames than planned: {named}"]


def _wrong_frames(asked: _Asked, cells: Sequence[CellResult]) -> bool:
    seen = {cell.frames_seen for cell in cells}
    least = asked.frames or 1
    return len(seen) > 1 or any(number < least for number in seen)


_ADVICE = {
    Verdict.PASS: "nothing to do",
    Verdict.BELOW_FLOOR: (
        "remove the causes listed above and run again: answered cells are not asked "
        "twice"
    ),
    Verdict.INCONCLUSIVE: UNDECIDED.format("questions", "lower the floor"),
}
