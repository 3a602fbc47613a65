"""What a claim needs, and what the present slice can show, from stored runs.

Apart from ``plan`` and ``curve``, which show it as text and as a picture:
here the assumptions are made, and here they are named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.outcomes import Paired, pair, pair_runs
from pytest_vdg.reports._format import points
from pytest_vdg.reports._study import Assumption, Study, assumed_changes, rows
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats import counted
from pytest_vdg.stats.clusters import design_effect
from pytest_vdg.stats.paired import PairedDifference
from pytest_vdg.stats.planning import (
    Answers,
    Growth,
    Videos,
    floor_outlook,
    no_loss_outlook,
    questions_needed,
)

Kind = Literal["floor", "no loss"]

_SAFEGUARD = 0.8


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A claim, the run that it is planned from, and one or more assumptions."""

    checkpoint: str
    earlier: str | None
    """Checkpoint of the second run, where changes were measured."""
    slice_name: str
    task: str | None
    kind: Kind
    measure: str
    """``VDG`` or ``temporal delta``."""
    conditions: tuple[str, str]
    bound: float
    """The floor, or the margin."""
    power: float
    confidence: float
    stored: PairedDifference
    """The gap of the stored run; its `questions` are what was judged."""
    n_videos: int
    asked: int
    """Questions of the stored run, judged or not."""
    orders: tuple[int, int] = (1, 1)
    """Fewest and most orders of options under which one was asked."""
    askings: float = 1.0
    """Mean number of orders."""
    growth: Growth
    videos: Videos
    assumptions: tuple[Assumption, ...]
    """The one that is planned with comes first."""

    @property
    def main(self) -> Assumption:
        """The assumption that is planned with."""
        return self.assumptions[0]

    def cells(self, n: int) -> int:
        """Return the cells of one run that give *n* judged questions.

        As many are lost on the way as were lost in the stored run.
        """
        return math.ceil(len(self.conditions) * self.to_ask(n) * self.askings)

    def to_ask(self, n: int) -> int:
        """Return the questions to ask for *n* judged ones."""
        return -(-n * self.asked // self.stored.questions)


def forecast_floor(
    run: Run,
    *,
    floor: float,
    control: str = "black",
    measure: str = "VDG",
    task: TaskFilter = None,
    power: float = 0.8,
    confidence: float = 0.95,
    growth: Growth = "videos",
) -> Forecast:
    """Plan the claim that original - *control* is above *floor*.

    Two truths are assumed: the gap as stored; and, because a stored gap is
    itself uncertain, its one-sided 80 % lower bound with as many discordant
    questions (a safeguard: Perugini, Gallucci & Costantini 2014, Perspectives
    on Psychological Science 9:319-332).

    Raises
    ------
    CouldNotBeJudged
        When no question was judged in both conditions, or all on one video.
    """
    paired = pair(run, control=control, task=task)
    base = _Base.of(run, paired, task, growth)
    stored = base.gap(confidence)
    careful = base.gap(_SAFEGUARD).lower_bound
    truths = (
        (f"{measure} is {points(stored.estimate)}pp, as stored", stored.estimate),
        (f"{measure} is {points(careful)}pp, its 80% lower bound", careful),
    )
    discordant = (stored.treated_only + stored.control_only) / stored.n
    studies = []
    for name, gap in truths:
        moved = max(discordant, abs(gap))
        outlook = partial(
            floor_outlook,
            gained=(moved + gap) / 2,
            lost=(moved - gap) / 2,
            videos=base.videos,
            confidence=confidence,
        )
        studies.append(Study(name=name, at=outlook, bound=floor, argument="floor"))
    return base.forecast(
        studies, kind="floor", measure=measure, stored=stored, power=power
    )


def forecast_no_loss(
    run: Run,
    *,
    margin: float,
    earlier: Run | None = None,
    control: str = "black",
    measure: str = "VDG",
    task: TaskFilter = None,
    power: float = 0.8,
    confidence: float = 0.95,
    growth: Growth = "videos",
    change_rate: float | None = None,
    different_checkpoints: bool = False,
) -> Forecast:
    """Plan the claim that a new checkpoint lost no more than *margin*.

    It is assumed that nothing was lost. How many answers change all the same
    decides, and one run does not tell: with *earlier* it is measured, else
    assumed, see `assumed_changes`.

    Parameters
    ----------
    run, earlier : Run
        Over the same questions; of *run* the gap is taken.
    change_rate : float, optional
        Mean squared change of a question's gap, in (0, 1]: the share of
        questions whose gap changes, those that change by two counted four
        times.
    different_checkpoints : bool
        Plan for two models, not for two states of one.

    Raises
    ------
    CouldNotBeJudged
        When the runs are not comparable, no question was judged in all arms,
        or all on one video.
    """
    if earlier is None:
        base = _Base.of(run, pair(run, control=control, task=task), task, growth)
        gap = base.gap(confidence)
        named = assumed_changes(
            gained=gap.treated_only / gap.n,
            lost=gap.control_only / gap.n,
            rate=change_rate,
            different=different_checkpoints,
        )
    else:
        runs = pair_runs(run, earlier, control=control, task=task)
        now = runs.now
        effect = design_effect(runs.changes, now.video_ids, now.asked_ids)
        base = _Base.of(run, now, task, growth, effect=effect)
        measured = Answers.measured(
            then=runs.then.differences,
            now=now.differences,
            questions=now.extent.n,
        )
        named = [("changes are as measured", measured)]
    studies = []
    for name, answers in named:
        outlook = partial(
            no_loss_outlook,
            answers=answers,
            videos=base.videos,
            confidence=confidence,
        )
        studies.append(
            Study(
                name=name, at=outlook, bound=margin, argument="margin", answers=answers
            )
        )
    return base.forecast(
        studies,
        kind="no loss",
        measure=measure,
        stored=base.gap(confidence),
        power=power,
        earlier=None if earlier is None else earlier.checkpoint,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Base:
    """The stored run as a plan sees it, in questions.

    Orders of one question are taken to be answered alike, which is what all
    intervals do: a plan in questions holds for any number of orders.
    """

    run: Run
    paired: Paired
    task: TaskFilter
    videos: Videos

    @classmethod
    def of(
        cls,
        run: Run,
        paired: Paired,
        task: TaskFilter,
        growth: Growth,
        effect: float | None = None,
    ) -> _Base:
        if paired.n_videos < 2:
            raise CouldNotBeJudged(
                f"all questions of slice {run.slice_name!r} share one video, which "
                "says nothing of how answers vary over videos. Plan from a run over "
                "several"
            )
        if effect is None:
            effect = design_effect(
                paired.differences, paired.video_ids, paired.asked_ids
            )
        still = np.zeros(paired.n, dtype=np.int64)
        by_asking_again = design_effect(still, paired.video_ids, paired.asked_ids)
        once = dict(zip(paired.asked_ids, paired.video_ids, strict=True))
        effect = max(effect / by_asking_again, 1.0)
        videos = Videos.like(once.values(), design_effect=effect, growth=growth)
        return cls(run=run, paired=paired, task=task, videos=videos)

    def gap(self, confidence: float) -> PairedDifference:
        p = self.paired
        return counted.difference(p.differences, p.video_ids, confidence, p.asked_ids)

    @property
    def _task_name(self) -> str | None:
        if self.task is None or isinstance(self.task, str):
            return self.task
        return ", ".join(sorted(set(self.task)))

    def forecast(
        self,
        studies: list[Study],
        *,
        kind: Kind,
        measure: str,
        stored: PairedDifference,
        power: float,
        earlier: str | None = None,
    ) -> Forecast:
        needed = [questions_needed(study.power_at, power=power) for study in studies]
        extent = self.paired.extent
        shown = rows(extent.n, needed)
        return Forecast(
            checkpoint=self.run.checkpoint,
            earlier=earlier,
            slice_name=self.run.slice_name,
            task=self._task_name,
            kind=kind,
            measure=measure,
            conditions=(self.paired.treated_name, self.paired.control_name),
            bound=studies[0].bound,
            power=power,
            confidence=stored.confidence,
            stored=stored,
            n_videos=extent.n_videos,
            asked=len({q.question for q in self.run.selected(self.task)}),
            orders=extent.orders,
            askings=self.paired.n / extent.n,
            growth=self.videos.growth,
            videos=self.videos,
            assumptions=tuple(
                study.assumption(present=extent.n, needed=n, sizes=shown, power=power)
                for study, n in zip(studies, needed, strict=True)
            ),
        )
