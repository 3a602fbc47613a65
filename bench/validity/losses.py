"""How often "no loss beyond the margin" errs, in either direction.

Apart from the intervals because its two verdicts rest on different ends and
on the estimate: what holds for each end does not say what holds for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.validity.arrays import (
    Bools,
    Totals,
    interval_and_bounds,
    mean_sides,
    totals,
)
from bench.validity.coverage import collapsed
from bench.validity.draws import draw, generator
from bench.validity.exact import Misses
from bench.validity.grid import CONFIDENCE, TWO_SIDED, Shape, change_text
from bench.validity.worlds import World, two_runs

MARGIN = 0.05
RUNS = (
    (0.7, 0.35, 0.02),
    (0.7, 0.35, 0.1),
    (0.7, 0.35, 1.0),
    (0.98, 0.02, 0.1),
    (0.98, 0.9, 1.0),
    (0.3, 0.2, 0.1),
)
"""Original, black, and the share of questions that the new run answers anew."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a new run is to its baseline."""

    setting: str
    world: World
    lost: float


def truths() -> Iterator[Truth]:
    """Yield runs that lost nothing, and runs that lost the margin exactly."""
    for original, black, redrawn in RUNS:
        for lost in (0.0, MARGIN):
            world = two_runs(
                original=original, black=black, alike=0.5, redrawn=redrawn, lost=lost
            )
            text = change_text(original, black, redrawn, lost)
            yield Truth(setting=text, world=world, lost=lost)


@dataclass(frozen=True, kw_only=True)
class LossCell:
    """Verdicts of "no loss beyond the margin" in one place."""

    setting: str
    shape: str
    n: int
    videos: int
    lost: float
    """True loss of the gap; the margin is `MARGIN`."""
    verdicts: Misses
    """``above``: passes. ``below``: called a regression."""

    @property
    def error(self) -> float:
        """Share of wrong verdicts: alarms at no loss, passes at the margin."""
        return self.verdicts.above if self.lost else self.verdicts.below

    @property
    def level(self) -> float:
        """What the share may be: that of the end of the interval it rests on."""
        return 1 - CONFIDENCE if self.lost else 1 - TWO_SIDED


def loss_cell(
    truth: Truth, shape: Shape, n: int, *, replicates: int, seed: int
) -> LossCell:
    """Return the verdicts on *n* questions of *shape*, by simulation."""
    design = shape.of(n)
    outcomes, probabilities = collapsed(truth.world.scores(1, -1, -1, 1), truth.world)
    rng = generator("loss", truth.setting, shape.name, n, seed=seed)
    passes, against = [], []
    for counts in draw(probabilities, design, replicates=replicates, rng=rng):
        held, lost = no_loss(totals(counts, outcomes), MARGIN)
        passes.append(held)
        against.append(lost)
    verdicts = Misses(
        above=float(np.concatenate(passes).mean()),
        below=float(np.concatenate(against).mean()),
        replicates=replicates,
    )
    return LossCell(
        setting=truth.setting,
        shape=shape.name,
        n=n,
        videos=design.videos,
        lost=truth.lost,
        verdicts=verdicts,
    )


def no_loss(sums: Totals, margin: float) -> tuple[Bools, Bools]:
    """Return where the claim passes, and where the verdict is against it.

    The table of `assertions._decide.no_loss`, over arrays.
    """
    _, at_margin = interval_and_bounds(mean_sides, sums, -margin, CONFIDENCE)
    at_zero, _ = interval_and_bounds(mean_sides, sums, 0.0, CONFIDENCE)
    return at_margin.above, (sums.mean < -margin) & at_zero.below
