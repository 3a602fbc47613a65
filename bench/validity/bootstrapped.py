"""How often the bootstrap over videos holds the truth.

Apart from the other intervals because nothing of it can be had from a test at
the truth: it is drawn, by the public function, for every slice.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.validity.arrays import Sides
from bench.validity.coverage import collapsed, misses
from bench.validity.crosscheck import questions
from bench.validity.draws import draw, generator
from bench.validity.grid import CONFIDENCE, Cell, Measure, Shape, measures
from pytest_vdg.stats.bootstrap import BootstrapMean, bootstrap_mean

NAME = "bootstrap over videos"
SIZES = (50, 100, 300)
RESAMPLES = 1000
_SETTINGS = (
    "0.7 against 0.35, alike 0.5",
    "0.98 against 0.9, alike 0.9",
    "0.7 against 0.35, 10% redrawn, lost 0.05",
)


def bootstrap_measures() -> Iterator[Measure]:
    """Yield a gap of ordinary size, one near the end of the scale, a change."""
    for measure in measures():
        if measure.setting in _SETTINGS:
            yield measure


def bootstrap_cell(
    measure: Measure, shape: Shape, n: int, *, replicates: int, seed: int
) -> Cell:
    """Return the cell of *measure*, its interval by resampling videos."""
    scores = measure.world.scores(*measure.weights)
    value = measure.world.truth(scores)
    outcomes, probabilities = collapsed(scores, measure.world)
    rng = generator(NAME, measure.setting, shape.name, n, seed=seed)
    design = shape.of(n)
    found: list[BootstrapMean] = []
    for counts in draw(probabilities, design, replicates=replicates, rng=rng):
        for one in counts:
            values, videos = questions(one, outcomes)
            interval = bootstrap_mean(
                values,
                videos.tolist(),
                seed=len(found),
                resamples=RESAMPLES,
                confidence=CONFIDENCE,
            )
            found.append(interval)
    return Cell(
        method=NAME,
        setting=measure.setting,
        shape=shape.name,
        n=n,
        videos=design.videos,
        carrying=n * (1 - float(probabilities.max())),
        interval=misses([_sides(f.low, f.high, value) for f in found]),
        bounds=misses([_sides(f.lower_bound, f.upper_bound, value) for f in found]),
    )


def _sides(low: float, high: float, value: float) -> Sides:
    return Sides(above=np.array([low > value]), below=np.array([high < value]))
