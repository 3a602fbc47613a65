"""The table: what each way took, what it answered, and how often as ours did.

Apart from the timing because figures are read by people and made by machines.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.against_lmms_eval.timed import Timed
from bench.against_lmms_eval.work import CONDITIONS
from pytest_vdg.benchmarks.slices import Slice


@dataclass(kw_only=True)
class Way:
    """One way through all cells, and its repeats so far."""

    name: str
    correct: bool = True
    """Whether each condition is asked about its own clips."""
    runs: list[Timed] = field(default_factory=list)

    @property
    def whole_s(self) -> float:
        """Median seconds of the whole process, or processes."""
        return statistics.median(run.whole_s for run in self.runs)

    @property
    def evaluating_s(self) -> float:
        """Median seconds after loading."""
        return statistics.median(run.evaluating_s for run in self.runs)


def lines(ways: Sequence[Way], slice_: Slice) -> Iterator[str]:
    """Yield the table; the first of *ways* is ours, the others are held against it."""
    ours = ways[0]
    heads = " ".join(f"{name:>12}" for name in CONDITIONS)
    yield (
        f"{'':<40} {'whole':>8} {'ratio':>6} {'after load':>10} {'ratio':>6} "
        f"{heads} {'as ours':>9}"
    )
    for way in ways:
        shares = " ".join(f"{share:>12.3f}" for share in accuracies(way, slice_))
        yield (
            f"{way.name:<40} {way.whole_s:>7.2f}s {way.whole_s / ours.whole_s:>5.1f}x "
            f"{way.evaluating_s:>9.2f}s {way.evaluating_s / ours.evaluating_s:>5.1f}x "
            f"{shares} {same(way, ours):>4}/{len(ours.runs[0].choices)}"
        )
    theirs = [way for way in ways if way.correct and way.name.startswith("lmms-eval")]
    for what in ("whole_s", "evaluating_s"):
        best = min(theirs, key=lambda way: float(getattr(way, what)))
        ratio = getattr(best, what) / getattr(ours, what)
        words = "whole process" if what == "whole_s" else "after loading"
        yield f"{words}: lmms-eval's fastest correct form is {best.name}, {ratio:.1f}x"


def accuracies(way: Way, slice_: Slice) -> list[float]:
    """Return the accuracy under each condition, of the first repeat."""
    choices = way.runs[0].choices
    return [
        statistics.mean(choices[q.id, name] == q.answer for q in slice_.questions)
        for name in CONDITIONS
    ]


def same(way: Way, ours: Way) -> int:
    """Return how many cells of the first repeats chose the same."""
    theirs = way.runs[0].choices
    return sum(theirs[key] == choice for key, choice in ours.runs[0].choices.items())
