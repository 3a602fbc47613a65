"""What else is read of the videos of a run, besides its own sampled frames.

Apart from the reel, which reads it, because it is asked for in several places
and must be the same in all of them: a clip is found again by what it was read for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_vdg.engine.plan import Plan, shows_video
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.conditions import Condition, view_of
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.view import check_reader


def samplings_besides(
    plan: Plan, known: Collection[tuple[str, str]], own: Sampling
) -> tuple[Sampling, ...]:
    """Return the samplings of conditions with cells that are not *known*.

    Each once, *own* left out, in the order of the plan. They are taken of every
    video in the pass that takes its sampled frames.
    """
    asked = (
        condition
        for condition in plan.conditions
        if shows_video(condition)
        and any(
            (question.id, str(condition)) not in known
            for video in plan.videos
            for question in video.questions
        )
    )
    found = dict.fromkeys(view_of(each, own).sampling for each in asked)
    found.pop(own, None)
    return tuple(found)


def check_views(conditions: Iterable[Condition], settings: RunSettings) -> None:
    """Raise `ConfigError` for conditions that *settings* cannot read."""
    for condition in conditions:
        check_reader(settings.reader, view_of(condition, settings.sampling).crf)
