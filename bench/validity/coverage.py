"""How often nominal 95 % intervals and bounds hold the truth.

Apart from the claims because an interval can be right where a verdict made of
it is not, and the other way round: both are measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np

from bench.validity import exact
from bench.validity.arrays import Sides, interval_and_bounds, totals
from bench.validity.crosscheck import require_same
from bench.validity.draws import draw, generator
from bench.validity.exact import Misses
from bench.validity.grid import (
    ACCURACIES,
    ACCURACY,
    ALIKE,
    CONFIDENCE,
    INDEPENDENT,
    PAIRED,
    SIZES,
    Cell,
    Measure,
    Method,
    Shape,
    pair_text,
)
from bench.validity.worlds import Floats, Ints, World, joint

CHECKED = 5
"""Replicates of each cell that the public functions are asked about too."""


def exact_cells(sizes: tuple[int, ...] = SIZES) -> Iterator[Cell]:
    """Yield the cells of independent questions, by summation.

    Accuracies above one half mirror those below, as losses mirror gains: only
    one of each is listed.
    """
    for n in sizes:
        for black, original in combinations_with_replacement(ACCURACIES, 2):
            for alike in ALIKE:
                yield _exact_pair(n, original, black, alike)
        for percent in range(2, 51, 2):
            yield _exact_proportion(n, percent / 100)


def _exact_pair(n: int, original: float, black: float, alike: float) -> Cell:
    gained, lost = discordance(joint(original, black, alike=alike))
    interval, bounds = exact.paired(
        treated_only=gained, control_only=lost, n=n, confidence=CONFIDENCE
    )
    return Cell(
        method=PAIRED.name,
        setting=pair_text(original, black, alike),
        shape=INDEPENDENT,
        n=n,
        videos=n,
        carrying=n * (1 - max(gained, lost, 1 - gained - lost)),
        interval=interval,
        bounds=bounds,
    )


def _exact_proportion(n: int, probability: float) -> Cell:
    interval, bounds = exact.proportion(
        probability=probability, n=n, confidence=CONFIDENCE
    )
    return Cell(
        method=ACCURACY.name,
        setting=f"{probability:g}",
        shape=INDEPENDENT,
        n=n,
        videos=n,
        carrying=n * min(probability, 1 - probability),
        interval=interval,
        bounds=bounds,
    )


def discordance(world: World) -> tuple[float, float]:
    """Return the true shares of treated-only and control-only questions."""
    scores = world.scores(1, -1)
    return (
        float(world.probabilities[scores == 1].sum()),
        float(world.probabilities[scores == -1].sum()),
    )


def simulated_cell(
    measure: Measure, shape: Shape, n: int, *, replicates: int, seed: int
) -> Cell:
    """Return the cell of *measure* on *n* questions of *shape*, by simulation."""
    design = shape.of(n)
    scores = measure.world.scores(*measure.weights)
    value = measure.world.truth(scores)
    outcomes, probabilities = collapsed(scores, measure.world)
    rng = generator(measure.method.name, measure.setting, shape.name, n, seed=seed)
    found: list[tuple[Sides, Sides]] = []
    for counts in draw(probabilities, design, replicates=replicates, rng=rng):
        sums = totals(counts, outcomes)
        found.append(interval_and_bounds(measure.method.test, sums, value, CONFIDENCE))
        if len(found) == 1:
            _check(measure.method, counts, outcomes, value, found[0])
    intervals, bounds = zip(*found, strict=True)
    return Cell(
        method=measure.method.name,
        setting=measure.setting,
        shape=shape.name,
        n=n,
        videos=design.videos,
        carrying=n * (1 - float(probabilities.max())),
        interval=misses(intervals),
        bounds=misses(bounds),
    )


def collapsed(scores: Ints, world: World) -> tuple[Ints, Floats]:
    """Return the distinct scores of a world and how often each comes.

    Parts of a Dirichlet distribution that are added up are again one, so that
    draws of the scores are draws of the outcomes.
    """
    outcomes, where = np.unique(scores, return_inverse=True)
    shares = np.zeros(len(outcomes))
    np.add.at(shares, where, world.probabilities)
    return outcomes, shares


def misses(sides: Sequence[Sides]) -> Misses:
    """Return how often the intervals of many slices lay on either side."""
    above = np.concatenate([s.above for s in sides])
    below = np.concatenate([s.below for s in sides])
    return Misses(
        above=float(above.mean()), below=float(below.mean()), replicates=len(above)
    )


def _check(
    method: Method,
    counts: Ints,
    outcomes: Ints,
    value: float,
    sides: tuple[Sides, Sides],
) -> None:
    """Hold the first replicates against the public function."""
    for at in range(min(CHECKED, len(counts))):
        interval = method.public(counts[at], outcomes, CONFIDENCE)
        require_same(interval, value, sides=sides[0], at=at)
        require_same(interval, value, sides=sides[1], at=at, bounds=True)
