"""Is the promised power there? The planner's number of questions, drawn anew.

Apart from the planner because a promise is not checked by its own arithmetic:
samples are drawn and decided here by other code, that of the bench, which its
other parts hold against the public functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.validity.arrays import interval_and_bounds, mean_sides, totals
from bench.validity.draws import Design, draw, generator
from bench.validity.exact import Misses
from bench.validity.grid import CONFIDENCE
from bench.validity.losses import no_loss
from bench.validity.worlds import Floats, Ints
from pytest_vdg.stats.planning import (
    Answers,
    Videos,
    floor_outlook,
    no_loss_outlook,
    questions_needed,
)

POWER = 0.8
TOLERANCE = 0.03
"""By how much a promise may be missed, Monte-Carlo error included."""
LAYOUTS = ((1, 0.0), (3, 0.1), (3, 0.3), (10, 0.1))
"""Questions a video, and the correlation of two of them."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A claim to plan for: the truth, and what it is held to."""

    claim: str
    setting: str
    per_video: int
    correlation: float
    gained: float
    """Share of questions right with the video only."""
    lost: float
    """Share of questions right without it only."""
    floor: float | None = None
    margin: float | None = None
    mean_square: float = 0.0
    """Mean squared change of a question's gap between the two runs."""

    @property
    def videos(self) -> Videos:
        """The layout as the planner takes it."""
        return Videos(sizes=(self.per_video,) * 10, correlation=self.correlation)

    @property
    def answers(self) -> Answers:
        """Baseline and new run, of equal gap."""
        return Answers.unchanged(
            gained=self.gained, lost=self.lost, mean_square=self.mean_square
        )

    def promised(self, n: int) -> float:
        """Return the power that the planner promises for *n* questions."""
        if self.floor is not None:
            return floor_outlook(
                gained=self.gained,
                lost=self.lost,
                n=n,
                floor=self.floor,
                videos=self.videos,
            ).passes
        return no_loss_outlook(
            answers=self.answers, n=n, margin=self.margin or 0.0, videos=self.videos
        ).passes


def plans() -> Iterator[Plan]:
    """Yield floors and margins, near and far, on every layout."""
    for per_video, correlation in LAYOUTS:
        for gained, lost, floor in (
            (0.36, 0.05, 0.20),
            (0.20, 0.05, 0.05),
            (0.12, 0.08, -0.02),
            (0.90, 0.01, 0.80),
        ):
            yield Plan(
                claim="gap above a floor",
                setting=f"gap {gained - lost:+.2f} ({gained + lost:.0%} discordant), "
                f"floor {floor:+.2f}",
                per_video=per_video,
                correlation=correlation,
                gained=gained,
                lost=lost,
                floor=floor,
            )
        for mean_square, margin, what in (
            (0.03, 0.05, "near-identical runs"),
            (0.10, 0.05, "fine-tuned"),
            (0.44, 0.10, "different checkpoints"),
        ):
            yield Plan(
                claim="no loss beyond a margin",
                setting=f"{what} (mean square {mean_square:g}), margin {margin:g}",
                per_video=per_video,
                correlation=correlation,
                gained=0.35,
                lost=0.05,
                margin=margin,
                mean_square=mean_square,
            )


@dataclass(frozen=True, kw_only=True)
class PlanCell:
    """What was promised and what came."""

    claim: str
    setting: str
    layout: str
    n: int
    promised: float
    found: Misses
    """``above``: the claim passed."""

    @property
    def off(self) -> float:
        """Found minus promised power."""
        return self.found.above - self.promised


def plan_cell(plan: Plan, *, replicates: int, seed: int) -> PlanCell:
    """Ask the planner for a number of questions and draw as many."""
    n = questions_needed(plan.promised, power=POWER)
    if n is None:
        raise ArithmeticError(f"the planner finds no slice for {plan}")
    design = Design(n=n, per_video=plan.per_video, correlation=plan.correlation)
    rng = generator("plan", plan, seed=seed)
    probabilities, then, change = _kinds(plan)
    passed = [
        _passes(plan, counts, then, change)
        for counts in draw(probabilities, design, replicates=replicates, rng=rng)
    ]
    return PlanCell(
        claim=plan.claim,
        setting=plan.setting,
        layout=f"{plan.per_video} a video, r {plan.correlation:g}",
        n=n,
        promised=plan.promised(n),
        found=Misses(
            above=float(np.concatenate(passed).mean()),
            below=0.0,
            replicates=replicates,
        ),
    )


def _kinds(plan: Plan) -> tuple[Floats, Ints, Ints]:
    """Return kinds of questions: how often, gap then (or only), change."""
    if plan.floor is not None:
        shares = np.array([plan.gained, plan.lost, 1 - plan.gained - plan.lost])
        gaps = np.array([1, -1, 0])
        return shares, gaps, np.zeros_like(gaps)
    kinds = [(share, then, now - then) for (then, now), share in plan.answers.shares]
    shares, then, change = (np.array(column) for column in zip(*kinds, strict=True))
    return shares / shares.sum(), then, change


def _passes(plan: Plan, counts: Ints, then: Ints, change: Ints) -> np.ndarray:
    gap = totals(counts, then)
    _, bounds = interval_and_bounds(mean_sides, gap, plan.floor or 0.0, CONFIDENCE)
    if plan.floor is not None:
        return bounds.above
    margin = plan.margin or 0.0
    held, _ = no_loss(totals(counts, change), margin)
    return held & bounds.above & (gap.mean > margin)
