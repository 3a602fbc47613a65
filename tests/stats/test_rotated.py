"""Asking the same question again: no certainty gained, whatever is estimated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats import counted
from pytest_vdg.stats.agreement import agreement, shared_core
from pytest_vdg.stats.bootstrap import bootstrap_mean
from pytest_vdg.stats.categories import categories
from pytest_vdg.stats.clusters import cluster_mean, design_effect, worth
from pytest_vdg.stats.detectable import (
    smallest_detectable_difference,
    smallest_detectable_share,
)
from pytest_vdg.stats.equivalence import tost_cluster_mean, tost_paired
from pytest_vdg.stats.flips import flips
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import paired_difference
from pytest_vdg.stats.proportion import wilson
from pytest_vdg.stats.shortcut import blind_gap, visual_gain
from pytest_vdg.stats.spectrum import spectrum

EPS = 1e-9


class Ends(Protocol):
    """What all intervals have."""

    estimate: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float


@dataclass(frozen=True)
class Asked:
    """Scores, their videos, and how often each question is asked."""

    scores: list[int]
    videos: list[int]
    orders: int

    @property
    def again(self) -> tuple[list[int], list[int], list[int]]:
        """Scores, videos and questions of all askings."""
        turns = [i for i in range(len(self.scores)) for _ in range(self.orders)]
        return [self.scores[i] for i in turns], [self.videos[i] for i in turns], turns


@st.composite
def asked(draw: st.DrawFn, kinds: tuple[int, ...]) -> Asked:
    """Draw answers with and without variation, on own and on shared videos."""
    some = draw(st.sampled_from([kinds, kinds[:1], kinds[-1:], (0,)]))
    scores = draw(st.lists(st.sampled_from(some), min_size=1, max_size=40))
    n = len(scores)
    shared = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    own = st.just(list(range(n)))
    opposed = st.just([i // 2 for i in range(n)])
    return Asked(scores, draw(own | shared | opposed), draw(st.integers(2, 5)))


def require_no_narrower(again: Ends, once: Ends) -> None:
    """Hold the two apart as far as a law on rotations goes."""
    assert again.estimate == pytest.approx(once.estimate, abs=EPS)
    assert again.low <= once.low + EPS
    assert again.high >= once.high - EPS
    assert again.lower_bound <= once.lower_bound + EPS
    assert again.upper_bound >= once.upper_bound - EPS


def test_twenty_questions_without_a_change() -> None:
    """Four orders of each leave the interval where it was: z²/(20 + z²) = .161."""
    still, turns = [0] * 80, [i // 4 for i in range(80)]
    found = counted.difference(still, turns, questions=turns)
    assert found.high == pytest.approx(1.96**2 / (20 + 1.96**2), abs=1e-4)
    assert (found.questions, found.n, found.design_effect) == (20, 80, 4.0)
    assert not math.isfinite(found.df)


def test_videos_that_contradict_each_other_are_no_reason_to_trust_them_more() -> None:
    """One right and one wrong question a video, asked thrice: at least 3."""
    scores = [1, 1, 1, 0, 0, 0] * 5
    videos = [i // 6 for i in range(30)]
    questions = [i // 3 for i in range(30)]
    assert design_effect(scores, videos) == 1.0
    assert design_effect(scores, videos, questions) == 3.0


def test_who_is_asked_more_often_weighs_more() -> None:
    """Ten questions four times, ten once: 170 / 50 askings, so 14.7 questions."""
    questions = [i // 4 for i in range(40)] + list(range(10, 20))
    found = worth([0] * 50, questions, questions)
    assert found.design_effect == pytest.approx(170 / 50)
    assert found.questions == 20
    assert math.isfinite(found.df)


@given(asked((-1, 0, 1)))
def test_gaps(given: Asked) -> None:
    """Equal answers in all orders: the same gap, an interval no narrower."""
    scores, videos, questions = given.again
    once = counted.difference(given.scores, given.videos)
    require_no_narrower(counted.difference(scores, videos, questions=questions), once)


@given(asked((-2, -1, 0, 1, 2)))
def test_changes_of_gaps(given: Asked) -> None:
    """The same for the change between two runs, which has the same worth."""
    scores, videos, questions = given.again
    once = cluster_mean(given.scores, given.videos)
    again = cluster_mean(scores, videos, questions=questions)
    require_no_narrower(again, once)
    assert again.method == once.method
    assert again.sd == pytest.approx(once.sd)
    one = worth(given.scores, given.videos)
    many = worth(scores, videos, questions)
    assert many.df == pytest.approx(one.df)
    assert many.design_effect == pytest.approx(given.orders * one.design_effect)


@given(asked((0, 1)))
def test_accuracies(given: Asked) -> None:
    """Equal answers in all orders: the same share, an interval no narrower."""
    scores, videos, questions = given.again
    once = counted.share(given.scores, given.videos)
    require_no_narrower(counted.share(scores, videos, questions=questions), once)


@given(asked((-1, 0, 1)))
def test_resampled_videos(given: Asked) -> None:
    """Resampled videos, held to the score's limits, give an interval no narrower."""
    scores, videos, questions = given.again
    once = bootstrap_mean(given.scores, given.videos, seed=1, resamples=50)
    again = bootstrap_mean(scores, videos, seed=1, resamples=50, questions=questions)
    require_no_narrower(again, once)


@given(asked((-1, 0, 1)), st.sampled_from([0.02, 0.1, 0.3]))
def test_equivalence(given: Asked, margin: float) -> None:
    """Two runs are no more equivalent for having been asked more often."""
    scores, videos, questions = given.again
    once = tost_cluster_mean(given.scores, given.videos, margin=margin)
    again = tost_cluster_mean(scores, videos, margin=margin, questions=questions)
    assert again.low <= once.low + EPS
    assert again.high >= once.high - EPS
    assert again.pvalue >= once.pvalue - EPS
    assert again.outcome in (once.outcome, "inconclusive")


@given(asked((-1, 0, 1)))
def test_what_could_be_shown(given: Asked) -> None:
    """The smallest detectable difference is no smaller."""
    scores, videos, questions = given.again
    one, many = (
        cluster_mean(given.scores, given.videos),
        cluster_mean(scores, videos, questions=questions),
    )
    found = [
        smallest_detectable_difference(
            sd=mean.sd,
            n=mean.n,
            mean=mean.estimate,
            design_effect=mean.design_effect,
            df=mean.df,
            questions=mean.questions,
        )
        for mean in (one, many)
    ]
    assert found[1] >= found[0] - EPS


@given(asked((-1, 0, 1)))
def test_a_sign_test_counts_questions(given: Asked) -> None:
    """McNemar's p-value is that of asking once."""
    scores, _, questions = given.again
    gained, lost = counted.signs(scores, questions)
    assert (gained, lost) == (given.scores.count(1), given.scores.count(-1))
    once = mcnemar(
        treated_only=given.scores.count(1), control_only=given.scores.count(-1)
    )
    again = mcnemar(treated_only=gained, control_only=lost)
    assert again.pvalue == once.pvalue


@pytest.mark.parametrize(
    "count",
    [
        lambda q: paired_difference(treated_only=0, control_only=0, n=80, questions=q),
        lambda q: wilson(successes=0, n=80, questions=q),
    ],
)
def test_counts_alone_know_of_questions_too(
    count: Callable[[int | None], Ends],
) -> None:
    """Whoever says that 80 askings are of 20 questions gets the interval of 20."""
    assert count(20).high > 2.5 * count(None).high
    with pytest.raises(ValueError, match="questions must not exceed n, got 81 > 80"):
        count(81)


def test_other_counts_take_them_as_well() -> None:
    """Equivalence and detectable differences of 80 askings of 20 questions."""
    twenty = tost_paired(treated_only=0, control_only=0, n=80, margin=0.2, questions=20)
    assert (
        twenty.low == tost_paired(treated_only=0, control_only=0, n=20, margin=0.2).low
    )
    assert smallest_detectable_share(successes=40, n=80, questions=20) == pytest.approx(
        smallest_detectable_share(successes=10, n=20)
    )


@dataclass(frozen=True)
class Arms:
    """Two arms of questions, and whose askings they are."""

    first: npt.NDArray[np.bool_]
    second: npt.NDArray[np.bool_]
    groups: list[str]
    questions: list[int] | None = None

    def asked(self, orders: int) -> Arms:
        """Return the same with each question asked so often."""
        turns = [i for i in range(len(self.first)) for _ in range(orders)]
        groups = [self.groups[i] for i in turns]
        return Arms(self.first[turns], self.second[turns], groups, turns)

    @property
    def videos(self) -> list[int]:
        """A video for every two questions."""
        asked = self.questions or range(len(self.first))
        return [i // 2 for i in asked]


def _flips(a: Arms) -> tuple[list[Ends], list[float]]:
    found = flips(
        before=a.first, after=a.second, clusters=a.videos, questions=a.questions
    )
    return [found.stable_share, found.change], [found.pvalue]


def _categories(a: Arms) -> tuple[list[Ends], list[float]]:
    found = categories(
        treated=a.first, control=a.second, clusters=a.videos, questions=a.questions
    )
    return [found.sighted_only_share, found.both_share, found.neither_share], []


def _spectrum(a: Arms) -> tuple[list[Ends], list[float]]:
    found = spectrum(
        treated=a.first,
        control=a.second,
        groups=a.groups,
        videos=a.videos,
        questions=a.questions,
    )
    rows = [found.overall, *(found.row(name) for name in ("a", "b"))]
    return list(rows), [row.adjusted_pvalue for row in rows]


def _agreement(a: Arms) -> tuple[list[Ends], list[float]]:
    found = agreement(
        first=a.first, second=a.second, clusters=a.videos, questions=a.questions
    )
    core = shared_core([a.first, a.second], clusters=a.videos, questions=a.questions)
    return [found.same, core.all_gain, core.all_still], []


def _shortcut(a: Arms) -> tuple[list[Ends], list[float]]:
    blind = blind_gap(
        correct=a.second,
        options=[4] * len(a.second),
        clusters=a.videos,
        questions=a.questions,
    )
    gain = visual_gain(
        video=a.first, text_only=a.second, clusters=a.videos, questions=a.questions
    )
    return [blind, gain], []


@pytest.mark.parametrize(
    "count", [_flips, _categories, _spectrum, _agreement, _shortcut]
)
def test_what_counts_questions_takes_them(
    count: Callable[[Arms], tuple[list[Ends], list[float]]],
) -> None:
    """Every statistic over runs leaves intervals and p-values as of asking once."""
    first = np.array([True, True, False, True] * 6)
    second = np.array([False, True, False, False] * 5 + [True, False, True, False])
    once = Arms(first, second, ["a", "b", "b"] * 8)
    ends, pvalues = count(once)
    again, repeated = count(once.asked(3))
    for wide, narrow in zip(again, ends, strict=True):
        require_no_narrower(wide, narrow)
    assert repeated == pytest.approx(pvalues)
