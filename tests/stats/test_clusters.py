"""Tests of the clustered mean and of the design effect."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.clusters import (
    ClusterMean,
    cluster_mean,
    design_effect,
    worth,
)
from pytest_vdg.stats.counted import difference
from pytest_vdg.stats.paired import paired_difference
from tests.stats.strategies import clustered, levels


def changes(
    rng: np.random.Generator,
    *,
    videos: int,
    each: int,
    gained: float,
    lost: float,
    alike: float = 0.0,
) -> npt.NDArray[np.int64]:
    """Return made-up changes, shape (videos, each), in {-1, 0, 1}.

    A question takes over its video's own draw with probability *alike*.
    """

    def draw(shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
        u = rng.random(shape)
        return (u < gained).astype(np.int64) - (u > 1 - lost).astype(np.int64)

    own, shared = draw((videos, each)), draw((videos, 1))
    return np.where(rng.random((videos, each)) < alike, shared, own)


def two_model_changes() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return 600 made-up changes, four in ten of them not zero, on 200 videos."""
    rng = np.random.default_rng(5)
    drawn = changes(rng, videos=200, each=3, gained=0.20, lost=0.20, alike=0.3)
    sizes = np.where(rng.random(drawn.shape) < 0.15, 2, 1)
    return (drawn * sizes).ravel(), np.repeat(np.arange(200), 3)


def test_standard_error_agrees_with_statsmodels() -> None:
    """Standard error and t interval are those of a clustered regression on 1."""
    # statsmodels' small-sample factor is G/(G-1) * (n-1)/(n-k), here with k = 1
    # coefficient, so G/(G-1) as ours; its t has G - 1 degrees of freedom.
    values, videos = two_model_changes()
    reference = sm.OLS(values, np.ones(values.size)).fit(
        cov_type="cluster", cov_kwds={"groups": videos}, use_t=True
    )
    result = cluster_mean(values, videos.tolist())
    assert result.estimate == pytest.approx(reference.params[0])
    assert result.se == pytest.approx(reference.bse[0])
    # Where this many questions changed, the score ends add less than .02 points.
    low, high = reference.conf_int()[0]
    assert low - 2e-4 < result.low <= low + 1e-12
    assert high - 1e-12 <= result.high < high + 2e-4
    assert result.method == "cluster-robust"
    assert (result.n, result.n_clusters, result.df) == (600, 200, 199)


def test_uneven_clusters_agree_with_statsmodels() -> None:
    """The standard error is right when videos have different numbers of questions."""
    values = [1, 1, 0, 1, 0, 2, 0, 0, -1, -2, 0, 1]
    videos = [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 4]
    reference = sm.OLS(values, np.ones(12)).fit(
        cov_type="cluster", cov_kwds={"groups": videos}
    )
    result = cluster_mean(values, videos)
    assert result.se == pytest.approx(reference.bse[0])
    assert result.sd == pytest.approx(np.std(values, ddof=1))
    # Sizes 5, 2, 2, 1, 2: (12)² / (25 + 4 + 4 + 1 + 4) = 144 / 38 videos, less one.
    assert result.df == pytest.approx(144 / 38 - 1)


def test_one_question_a_video_is_the_plain_standard_error() -> None:
    """Without clusters the error is sd / sqrt(n) and the design effect is 1."""
    values = [1, 0, 0, -1, 0, 1, 1, 0]
    result = cluster_mean(values, "abcdefgh")
    assert result.se == pytest.approx(np.std(values, ddof=1) / math.sqrt(8))
    assert result.design_effect == 1.0


@pytest.mark.parametrize("n", [1, 20, 300])
def test_no_change_at_all_is_the_score_interval(n: int) -> None:
    """A run against itself has the interval of n pairs without discordance."""
    result = cluster_mean([0] * n, range(n))
    score = paired_difference(treated_only=0, control_only=0, n=n)
    assert (result.low, result.high) == (score.low, score.high)
    assert result.lower_bound == score.lower_bound
    assert result.method == "score"


def test_equal_changes_everywhere_are_no_certainty() -> None:
    """Where every question changed alike, the error is 0 but the interval is not."""
    result = cluster_mean([-2] * 50, range(50))
    whole = paired_difference(treated_only=0, control_only=50, n=50)
    assert (result.estimate, result.se, result.low) == (-2.0, 0.0, -2.0)
    assert result.high == 2 * whole.high


def test_one_video_counts_as_one_question() -> None:
    """With one video no error can be estimated: the interval is nearly the range."""
    result = cluster_mean([1, 0, 0, -1, 1, 0], ["clip.mp4"] * 6)
    assert (result.se, result.df, result.n_clusters) == (None, math.inf, 1)
    assert (result.method, result.design_effect) == ("score", 6.0)
    assert result.low < -0.6
    assert result.high > 0.8


def test_a_handful_of_changes_is_not_overconfident() -> None:
    """One loss in 300 leaves as much possible as Tango's interval does."""
    values = [-1] + [0] * 299
    result = cluster_mean(values, np.repeat(np.arange(150), 2).tolist())
    score = paired_difference(treated_only=0, control_only=1, n=300)
    assert result.method == "cluster-robust"
    assert result.low <= score.low
    assert result.high >= score.high
    # The t interval alone would claim twice the precision:
    assert result.se is not None
    assert result.high - result.low > 2 * (2 * 1.96 * result.se) * 0.99


def test_equal_sums_of_two_videos_are_no_certainty() -> None:
    """Two videos that happen to agree have the error of independent questions."""
    result = cluster_mean([1, 0, 0, 1], ["a", "a", "b", "b"])
    # sd / sqrt(n), sd² = 4 * .25 / 3
    assert result.se == pytest.approx(math.sqrt(1 / 3 / 4))
    assert result.high - result.low > 0.5


def ends(result: ClusterMean) -> tuple[float, float, float, float]:
    """Return the four limits from low to high."""
    return result.low, result.lower_bound, result.upper_bound, result.high


@given(clustered(), levels)
def test_every_interval_is_an_interval(
    sample: tuple[list[int], list[int]], confidence: float
) -> None:
    """Ends are numbers in [-2, 2] around the estimate, and never coincide."""
    values, videos = sample
    result = cluster_mean(values, videos, confidence=confidence)
    assert all(math.isfinite(end) for end in ends(result))
    assert -2 <= result.low <= result.lower_bound <= result.estimate + 1e-12
    assert result.estimate - 1e-12 <= result.upper_bound <= result.high <= 2
    assert result.lower_bound < result.upper_bound
    assert result.design_effect >= 1


@given(clustered())
def test_swapping_the_runs_mirrors_the_interval(
    sample: tuple[list[int], list[int]],
) -> None:
    """What one run gained on the other, the other lost on it."""
    values, videos = sample
    one = cluster_mean(values, videos)
    other = cluster_mean([-v for v in values], videos)
    assert ends(one) == pytest.approx([-end for end in reversed(ends(other))])


@given(clustered(), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(
    sample: tuple[list[int], list[int]], order: random.Random
) -> None:
    """The result is the same, bit for bit, in any order and for any names."""
    values, videos = sample
    pairs = [(v, f"video {c}") for v, c in zip(values, videos, strict=True)]
    order.shuffle(pairs)
    shuffled = cluster_mean([v for v, _ in pairs], [c for _, c in pairs])
    assert shuffled == cluster_mean(values, videos)


@given(clustered())
def test_more_confidence_is_wider(sample: tuple[list[int], list[int]]) -> None:
    """Who wants to err less often must claim less."""
    results = [cluster_mean(*sample, confidence=level) for level in (0.8, 0.95, 0.99)]
    for less, more in pairwise(results):
        assert more.low <= less.low
        assert more.high >= less.high


@given(clustered())
def test_never_narrower_than_independent_pairs(
    sample: tuple[list[int], list[int]],
) -> None:
    """For changes by one, Tango's interval lies inside, whatever the clusters."""
    values, videos = [max(-1, min(1, v)) for v in sample[0]], sample[1]
    result = cluster_mean(values, videos)
    pair = paired_difference(
        treated_only=values.count(1), control_only=values.count(-1), n=len(values)
    )
    assert result.low <= pair.low + 1e-9
    assert result.high >= pair.high - 1e-9


@given(clustered(), levels)
def test_a_gap_has_one_interval(
    sample: tuple[list[int], list[int]], confidence: float
) -> None:
    """From scores or from counts: for differences of one it is the same."""
    values, videos = [max(-1, min(1, v)) for v in sample[0]], sample[1]
    mean = cluster_mean(values, videos, confidence=confidence)
    gap = difference(values, videos, confidence)
    assert ends(mean) == (gap.low, gap.lower_bound, gap.upper_bound, gap.high)


@given(
    st.lists(st.integers(-2, 2), min_size=2, max_size=30).filter(
        lambda values: len(set(values)) > 1
    ),
    st.integers(2, 10),
)
def test_more_questions_on_one_video_add_no_certainty(
    values: list[int], times: int
) -> None:
    """Asking about the same videos several times over does not narrow the interval."""
    once = cluster_mean(values, range(len(values)))
    again = cluster_mean(values * times, list(range(len(values))) * times)
    assert again.se == pytest.approx(once.se)
    for less, more in zip(ends(once), ends(again), strict=True):
        # Away from the estimate, on either side.
        assert abs(more - once.estimate) >= abs(less - once.estimate) - 1e-9


def test_thirty_videos_of_three_equal_answers_have_a_design_effect_of_three() -> None:
    """Three answers a video that are always equal are worth one."""
    rng = np.random.default_rng(3)
    by_video = changes(rng, videos=30, each=1, gained=0.3, lost=0.1)
    effect = design_effect(np.repeat(by_video, 3), np.repeat(np.arange(30), 3).tolist())
    # G/(G-1) * (n-1)/n * 3 with G = 30, n = 90
    assert effect == pytest.approx(30 / 29 * 89 / 90 * 3)


def test_answers_that_balance_out_earn_no_discount() -> None:
    """Videos whose questions contradict each other count as independent."""
    assert design_effect([1, -1] * 10, np.repeat(np.arange(10), 2).tolist()) == 1.0


@pytest.mark.parametrize(
    ("values", "videos", "expected"),
    [([0, 0, 0], "abc", 1.0), ([1, 1], "aa", 2.0), ([1, 0, 1], "aaa", 3.0)],
)
def test_an_undefined_design_effect(
    values: list[int], videos: str, expected: float
) -> None:
    """Without variation it is 1; questions that all share a video are one."""
    assert design_effect(values, videos) == expected


def test_a_design_effect_takes_correctness() -> None:
    """Booleans are scores, so that an accuracy has a design effect too."""
    correct = np.array([True, True, False, False])
    assert design_effect(correct, "aabb") == 3.0


def miss_rates(
    *, videos: int, each: int, lost: float, alike: float, samples: int = 600
) -> tuple[float, float]:
    """Return how often a 95 % lower bound lies above the true mean.

    First for the t interval alone, then for ours.
    """
    rng = np.random.default_rng(11)
    groups = np.repeat(np.arange(videos), each).tolist()
    textbook = ours = 0
    for _ in range(samples):
        drawn = changes(
            rng, videos=videos, each=each, gained=0.0, lost=lost, alike=alike
        )
        result = cluster_mean(drawn.ravel(), groups)
        textbook += result.estimate - 1.645 * (result.se or 0.0) > -lost
        ours += result.lower_bound > -lost
    return textbook / samples, ours / samples


def test_rare_losses_are_not_missed() -> None:
    """Where 1 in 100 was lost, the bound misses it as often as 5 % allows, not 20 %."""
    textbook, ours = miss_rates(videos=300, each=1, lost=0.01, alike=0.0)
    assert textbook > 0.15
    assert ours < 0.07  # 5 % plus two standard errors of 600 samples


def test_few_videos_are_not_overconfident() -> None:
    """With twenty videos of three like questions the bound stays near its level."""
    textbook, ours = miss_rates(videos=20, each=3, lost=0.10, alike=0.5)
    assert textbook > 0.12
    assert ours < 0.07


@pytest.mark.parametrize(
    ("values", "videos", "error", "message"),
    [
        ([], [], ValueError, "nothing to compare: values is empty"),
        ([0, 3], "ab", ValueError, r"whole numbers in \[-2, 2\], got 3 at position 1"),
        ([0.5, 1], "ab", ValueError, "got 0.5 at position 0"),
        ([0, math.nan], "ab", ValueError, "got nan at position 1"),
        (["a", "b"], "ab", TypeError, "values must be numbers"),
        ([[0, 1]], "ab", ValueError, r"values must have shape \(n,\)"),
        ([0, 1], "abc", ValueError, "2 questions need as many clusters, got 3"),
    ],
)
def test_impossible_arguments_are_named(
    values: object, videos: object, error: type[Exception], message: str
) -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(error, match=message):
        cluster_mean(values, videos)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        design_effect(values, videos)  # type: ignore[arg-type]


def test_questions_on_one_video_are_worth_one() -> None:
    """Asking more about the same video teaches nothing of others, alike or not."""
    assert worth([1, 1, 1, 1], "aaaa")[:2] == (4.0, math.inf)
    assert worth([1, 0, 1, 0], "aaaa")[:2] == (4.0, math.inf)


def test_a_video_each_leaves_nothing_to_estimate() -> None:
    """A design effect of one is then known, and quantiles are normal."""
    assert worth([1, 0, 1, 0], "abcd") == (1.0, math.inf, 4)


def test_videos_that_have_most_questions_count_most() -> None:
    """One of four videos with 13 of 16 questions: 256 / 172 videos, less one."""
    values = [0, 1] * 8
    assert worth(values, [0] * 13 + [1, 2, 3]).df == pytest.approx(256 / 172 - 1)
    assert worth(values, list(range(4)) * 4).df == 3
