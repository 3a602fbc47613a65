"""`clips`: what a run showed its model, made again without a model.

Apart from the job, which asks, because a report wants the pictures when all
answers are there: the plan, the reading and the conditions are the job's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.footage import Footage
from pytest_vdg.engine.plan import Plan, make_plan, shows_video
from pytest_vdg.engine.reel import Reel, uses_of
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.engine.views import samplings_besides
from pytest_vdg.errors import ConditionNotApplicable, MediaError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import Condition, apply, needs_partner, view_of
from pytest_vdg.frames.decoding import Decoders

Made = tuple[Question, str, Clip | MediaError | ConditionNotApplicable]
"""Question, condition, and what was shown or why nothing can be."""


def clips(
    slice_: Slice,
    conditions: Sequence[str],
    settings: RunSettings,
    *,
    block: int,
    ids: Collection[str] | None = None,
) -> Iterator[Made]:
    """Yield each cell with a video, grouped by video: each is read once.

    Parameters
    ----------
    slice_
        All that was asked: which video stands in for which depends on it.
    conditions, settings
        As for `evaluate`.
    block
        Frames that the model merges into one visual token.
    ids
        Questions that are wanted; None for all.

    Raises
    ------
    ConfigError
        For an unknown condition.
    """
    plan = make_plan(slice_, conditions, seed=settings.seed)
    unwanted = {
        (question.id, str(condition))
        for _, question, condition in plan.cells()
        if ids is not None and question.id not in ids
    }
    also = samplings_besides(plan, unwanted, settings.sampling)
    with Decoders(
        sampling=settings.sampling,
        reader=settings.reader,
        workers=settings.decode_workers,
        timeout_s=settings.decode_timeout_s,
    ) as decoders:
        uses = uses_of(plan, unwanted, settings.size, plan.videos, also)
        reel = Reel(uses, decoders)
        for video in plan.videos:
            footage = Footage(video, plan.paths, settings, reel, also)
            for question in video.questions:
                for condition in filter(shows_video, plan.conditions):
                    if (question.id, str(condition)) not in unwanted:
                        yield (
                            question,
                            str(condition),
                            _made(question, condition, footage, plan, settings, block),
                        )


def _made(  # noqa: PLR0917 - called once
    question: Question,
    condition: Condition,
    footage: Footage,
    plan: Plan,
    settings: RunSettings,
    block: int,
) -> Clip | MediaError | ConditionNotApplicable:
    try:
        view = view_of(condition, settings.sampling)
        source = footage.clip(question.excerpt, view)
        shown = altered(
            source,
            question,
            condition,
            footage,
            plan=plan,
            seed=settings.seed,
            block=block,
        )
    except (MediaError, ConditionNotApplicable) as error:
        return error
    assert shown is not None, "a condition without a video was asked for one"
    return shown


def altered(
    source: Clip,
    question: Question,
    condition: Condition,
    footage: Footage,
    *,
    plan: Plan,
    seed: int,
    block: int,
) -> Clip | None:
    """Return *source* as *condition* shows it to *question*; None for no video.

    Raises `ConditionNotApplicable`, and `MediaError` of the video that stands in.
    """
    partner = None
    if needs_partner(condition):
        if plan.no_partner is not None:
            raise ConditionNotApplicable(plan.no_partner)
        partner = footage.partner(question.excerpt)
    return apply(
        condition,
        source,
        question_id=question.id,
        seed=seed,
        block=block,
        partner=partner,
    )
