"""The verdicts on published answers: no change must not fire, blindness must.

Apart from the simulation because real answers do not care for our worlds: how
questions share videos, and how the two conditions go together, is theirs. The
files are those of github.com/JaeLee18/accuracy-without-grounding (MIT).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.validity.arrays import interval_and_bounds, mean_sides, totals
from bench.validity.draws import generator
from bench.validity.grid import CONFIDENCE
from bench.validity.losses import MARGIN, no_loss
from bench.validity.staged import AGAINST, found, run_of
from bench.validity.worlds import Ints
from pytest_vdg.assertions import assert_no_dissociation_regression, assert_vdg_above
from pytest_vdg.outcomes import Paired, pair
from pytest_vdg.store.paper_answers import read_paper_answers
from pytest_vdg.verdicts import Verdict

FLOOR = 0.10
_SCORES = np.arange(-2, 3)
_CHECKED = 3


@dataclass(frozen=True, kw_only=True)
class Source:
    """Published answers of one model on one benchmark."""

    model: str
    benchmark: str
    files: tuple[str, ...]
    labels: str


SOURCES = (
    *(
        Source(
            model=name,
            benchmark="Video-MME",
            files=(
                f"full_study/{name}_results.json",
                f"full_study/{name}_black_results.json",
            ),
            labels="ABCD",
        )
        for name in ("qwen2vl", "llava", "internvl2")
    ),
    *(
        Source(
            model=name,
            benchmark="EgoSchema",
            files=(f"egoschema/{name}_egoschema_results.json",),
            labels="ABCDE",
        )
        for name in ("qwen2vl", "llava", "internvl2")
    ),
)


@dataclass(frozen=True, kw_only=True)
class Resampled:
    """Shares of verdicts over many slices of one model's questions."""

    model: str
    benchmark: str
    n: int
    """Questions that the model answered under both conditions."""
    videos: int
    gap: float
    replicates: int
    alarms: float
    """Halves of the questions against the other half: called a regression."""
    half_questions: float
    """Mean number of questions in a half."""
    slice_questions: float
    """Mean number of questions in a slice."""
    held: float
    """Slices whose 95 % interval holds the gap of all questions."""
    passed_own: float
    """Slices shown to be above the gap of all questions, an error."""
    failed_own: float
    """Slices shown to be below it, an error."""
    passed: float
    """Slices shown to be above `FLOOR`, as they should where the gap is."""
    caught: float
    """Slices on which the model, answering as under black, is caught."""


def load(root: Path, source: Source) -> Paired:
    """Return the answers under the real video and under black frames."""
    read = read_paper_answers(
        [root / name for name in source.files],
        checkpoint=source.model,
        slice_name=source.benchmark,
        labels=source.labels,
        conditions=("original", "black"),
    )
    return pair(read.run, control="black")


def resample(
    paired: Paired,
    source: Source,
    *,
    questions: int | None = None,
    replicates: int,
    seed: int,
) -> Resampled:
    """Return what the claims come to over many slices of these questions.

    A slice is of about as many *questions*, all the videos' of it; by default
    of as many as there are.
    """
    rng = generator("real", source.model, source.benchmark, questions, seed=seed)
    halves = np.stack([_half_against_half(paired, rng) for _ in range(replicates)])
    _, alarms = no_loss(totals(halves, _SCORES), MARGIN)
    videos = round(paired.n_videos * (questions or paired.n) / paired.n)
    slices = _slices(paired, videos, replicates, rng)
    gap = totals(slices, _SCORES)
    own = float(paired.differences.mean())
    interval, bounds = interval_and_bounds(mean_sides, gap, own, CONFIDENCE)
    _, at_floor = interval_and_bounds(mean_sides, gap, FLOOR, CONFIDENCE)
    _, caught = no_loss(totals(slices, -_SCORES), MARGIN)
    _check(paired, seed=seed)
    return Resampled(
        model=source.model,
        benchmark=source.benchmark,
        n=paired.n,
        videos=paired.n_videos,
        gap=own,
        replicates=replicates,
        alarms=float(alarms.mean()),
        half_questions=float(halves.sum(axis=(1, 2)).mean()),
        slice_questions=float(gap.n.mean()),
        held=float(1 - interval.above.mean() - interval.below.mean()),
        passed_own=float(bounds.above.mean()),
        failed_own=float(bounds.below.mean()),
        passed=float(at_floor.above.mean()),
        caught=float(caught.mean()),
    )


def _half_against_half(paired: Paired, rng: np.random.Generator) -> Ints:
    """Return counts of changes, shape ``(videos of a half, 5)``.

    Videos with as many questions are put in pairs at random, and of each pair
    one plays the baseline and the other the new run. Nothing changed between
    the two but chance, however the answers came about.
    """
    differences = paired.differences
    rows = []
    for members in _by_size(paired):
        order = rng.permutation(len(members))[: len(members) // 2 * 2]
        now, then = differences[members[order]].reshape(2, -1, members.shape[1])
        changes = now - then
        rows.append((changes[:, :, None] == _SCORES).sum(axis=1))
    return np.concatenate(rows)


def _by_size(paired: Paired) -> Iterator[npt.NDArray[np.intp]]:
    """Yield positions of questions, shape (videos, size), for each size."""
    places: dict[str, list[int]] = {}
    for at, video in enumerate(paired.video_ids):
        places.setdefault(video, []).append(at)
    for size in sorted({len(p) for p in places.values()}):
        yield np.array([p for p in places.values() if len(p) == size])


def _slices(
    paired: Paired, videos: int, replicates: int, rng: np.random.Generator
) -> Ints:
    """Return counts of gaps in slices of *videos*, drawn with repeats."""
    _, codes = np.unique(paired.video_ids, return_inverse=True)
    counts = np.zeros((paired.n_videos, len(_SCORES)), dtype=np.int64)
    np.add.at(counts, (codes, paired.differences - _SCORES[0]), 1)
    return counts[rng.integers(0, len(counts), size=(replicates, videos))]


def _check(paired: Paired, *, seed: int) -> None:
    """Hold the arrays' verdicts against the public assertions on a few slices."""
    rng = generator("check", paired.n, seed=seed)
    for _ in range(_CHECKED):
        kept = rng.choice(paired.n, size=paired.n // 2, replace=False)
        right = np.column_stack([paired.treated, paired.control])[kept]
        videos = np.unique(paired.video_ids, return_inverse=True)[1][kept]
        run = run_of(right, videos, ("original", "black"))
        blinded = run_of(right[:, [1, 1]], videos, ("original", "black"))
        verdicts = [
            found(assert_vdg_above, run, FLOOR)[0].verdict is Verdict.PASS,
            found(assert_no_dissociation_regression, blinded, run)[0].verdict
            in AGAINST,
        ]
        counts = np.zeros((videos.max() + 1, len(_SCORES)), dtype=np.int64)
        gaps = right[:, 0].astype(int) - right[:, 1].astype(int)
        np.add.at(counts, (videos, gaps - _SCORES[0]), 1)
        gap = totals(counts[None], _SCORES)
        _, bounds = interval_and_bounds(mean_sides, gap, FLOOR, CONFIDENCE)
        _, against = no_loss(totals(counts[None], -_SCORES), MARGIN)
        if verdicts != [bool(bounds.above[0]), bool(against[0])]:
            raise ArithmeticError(f"arrays and assertions disagree: {verdicts}")
