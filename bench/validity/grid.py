"""Where intervals are measured, and how: methods, truths, designs, cells.

Apart from what is asked of a cell, because intervals and the bounds that
verdicts rest on are read off the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.validity.arrays import (
    Test,
    mean_sides,
    share_sides,
)
from bench.validity.crosscheck import (
    Interval,
    mean_interval,
    paired_interval,
    proportion_interval,
)
from bench.validity.draws import Design
from bench.validity.exact import Misses
from bench.validity.worlds import Ints, World, joint, two_runs

CONFIDENCE = 0.95
TWO_SIDED = (1 + CONFIDENCE) / 2
"""Level of each end of the two-sided interval."""
SIZES = (30, 50, 100, 300, 1000, 3000)
ACCURACIES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
ALIKE = (0.0, 0.5, 0.9, 0.99)
INDEPENDENT = "1 a video"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How questions lie on videos, whatever their number."""

    name: str
    per_video: int
    correlation: float
    uneven: bool = False
    missing: float = 0.0
    harsh: bool = False
    """Worse than slices that people use: measured to see where methods break."""

    def of(self, n: int) -> Design:
        """Return the design of *n* questions."""
        return Design(
            n=n,
            per_video=self.per_video,
            correlation=self.correlation,
            uneven=self.uneven,
            missing=self.missing,
        )


SHAPES = (
    Shape(name=INDEPENDENT, per_video=1, correlation=0.0),
    Shape(name="3 a video, r .1", per_video=3, correlation=0.1),
    Shape(name="3 a video, r .3", per_video=3, correlation=0.3),
    Shape(name="3 a video, r .3, 4% lost", per_video=3, correlation=0.3, missing=0.04),
    Shape(name="10 a video, r .1", per_video=10, correlation=0.1),
    Shape(name="6 a video, r .3", per_video=6, correlation=0.3, harsh=True),
    Shape(name="1 or 9, r .3", per_video=5, correlation=0.3, uneven=True, harsh=True),
    Shape(name="10 a video, r .5", per_video=10, correlation=0.5, harsh=True),
)
"""Of r: the correlation of two questions on one video. The published answers of
three 7B models on 407 videos (600 questions) have design effects of 0.92 to 1.07,
r below .15."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One interval in one place of the grid."""

    method: str
    setting: str
    """The truth it was drawn from, in words."""
    shape: str
    n: int
    videos: int
    carrying: float
    """Expected number of questions that carry the information: those whose
    outcome is not the commonest. Most often these are the changed ones of a
    difference and the rarer answers of a proportion; where nearly all
    questions changed alike, those that did not."""
    interval: Misses
    """Of the two-sided interval at 95 %."""
    bounds: Misses
    """Of the two one-sided bounds at 95 %, on which verdicts rest. If the truth
    is the floor, ``above`` passes in error and ``below`` fails in error."""

    @property
    def exact(self) -> bool:
        """Whether the shares are sums and not simulated."""
        return self.interval.replicates is None


@dataclass(frozen=True, kw_only=True)
class Method:
    """An interval: over arrays, and as the public function gives it."""

    name: str
    test: Test
    public: Callable[[Ints, Ints, float], Interval]


PAIRED = Method(name="gap", test=mean_sides, public=paired_interval)
ACCURACY = Method(name="accuracy", test=share_sides, public=proportion_interval)
CHANGE = Method(name="change of a gap", test=mean_sides, public=mean_interval)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A method on a weighted sum of the arms of a world."""

    method: Method
    setting: str
    world: World
    weights: tuple[float, ...]


def measures() -> Iterator[Measure]:
    """Yield what is measured under every shape."""
    for original, black, alike in (
        (0.7, 0.35, 0.5),
        (0.4, 0.35, 0.9),
        (0.5, 0.5, 0.99),
        (0.98, 0.02, 0.0),
        (0.98, 0.9, 0.9),
        (0.1, 0.02, 0.5),
    ):
        world = joint(original, black, alike=alike)
        text = pair_text(original, black, alike)
        yield Measure(method=PAIRED, setting=text, world=world, weights=(1, -1))
    for accuracy in (0.1, 0.4, 0.5, 0.7, 0.98):
        alone = joint(accuracy, alike=0.0)
        yield Measure(
            method=ACCURACY, setting=f"{accuracy:g}", world=alone, weights=(1,)
        )
    yield from _rungs()
    for setting, world in changes():
        yield Measure(
            method=CHANGE, setting=setting, world=world, weights=(1, -1, -1, 1)
        )


def pair_text(original: float, black: float, alike: float) -> str:
    """Return a pair of accuracies as the tables have it."""
    return f"{original:g} against {black:g}, alike {alike:g}"


def _rungs() -> Iterator[Measure]:
    rungs = joint(0.35, 0.5, 0.62, 0.7, alike=0.6)
    for name, weights in (
        ("ladder: spatial .15", (-1, 1, 0, 0)),
        ("ladder: diversity .12", (0, -1, 1, 0)),
        ("ladder: temporal .08", (0, 0, -1, 1)),
    ):
        yield Measure(method=PAIRED, setting=name, world=rungs, weights=weights)


def changes() -> Iterator[tuple[str, World]]:
    """Yield what two runs can be to each other, in words and as a world."""
    for original, black, redrawn, lost in (
        (0.7, 0.35, 0.02, 0.0),
        (0.7, 0.35, 0.1, 0.0),
        (0.7, 0.35, 1.0, 0.0),
        (0.7, 0.35, 0.1, 0.05),
        (0.7, 0.35, 1.0, 0.2),
        (0.1, 0.02, 1.0, 0.0),
        (0.98, 0.9, 1.0, 0.0),
        (0.98, 0.02, 0.1, 0.0),
    ):
        world = two_runs(
            original=original, black=black, alike=0.5, redrawn=redrawn, lost=lost
        )
        yield change_text(original, black, redrawn, lost), world


def change_text(original: float, black: float, redrawn: float, lost: float) -> str:
    """Return two runs as the tables have it."""
    return f"{original:g} against {black:g}, {redrawn:.0%} redrawn, lost {lost:g}"
