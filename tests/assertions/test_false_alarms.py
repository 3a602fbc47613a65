"""The same model twice: how often the claims cry wolf, by simulation."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import numpy.typing as npt

from pytest_vdg.assertions import (
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run, outcome

NIGHTS = 200
QUESTIONS = 90
PER_VIDEO = 3
AGAINST = {Verdict.BELOW_FLOOR, Verdict.REGRESSION, Verdict.DISSOCIATION}


def night(rng: np.random.Generator, odds: dict[str, npt.NDArray[np.float64]]) -> Run:
    """Return one run of a model that is right with these odds a question."""
    return make_run(
        {
            condition: "".join(
                "C" if u < p else "W"
                for u, p in zip(rng.random(QUESTIONS), chances, strict=True)
            )
            for condition, chances in odds.items()
        },
        per_video=PER_VIDEO,
    )


def odds(
    rng: np.random.Generator, means: dict[str, float]
) -> dict[str, npt.NDArray[np.float64]]:
    """Return odds around *means* that questions on one video share."""
    videos = rng.uniform(-0.25, 0.25, QUESTIONS // PER_VIDEO)
    return {
        condition: np.clip(np.repeat(videos, PER_VIDEO) + mean, 0, 1)
        for condition, mean in means.items()
    }


def test_the_same_model_twice_seldom_regresses() -> None:
    """A verdict against an unchanged model is an error on few nights.

    It needs an estimate beyond the margin and a two-sided 95 % interval below
    zero: at most 2.5 % of nights by construction. In 200 nights, 11 or more
    happen once in 100 at that rate (binomial).
    """
    rng = np.random.default_rng(7)
    alarms: Counter[str] = Counter()
    for _ in range(NIGHTS):
        chances = odds(rng, {"original": 0.7, "black": 0.35, "shuffled": 0.5})
        now, then = night(rng, chances), night(rng, chances)
        vdg = outcome(partial(assert_no_dissociation_regression, now, then))
        temporal = outcome(partial(assert_temporal_delta, now, baseline=then))
        alarms["vdg"] += vdg.verdict in AGAINST
        alarms["temporal"] += temporal.verdict in AGAINST
    assert max(alarms.values()) <= 10


def test_a_model_at_the_floor_seldom_passes_it() -> None:
    """Where the true VDG is the floor, both decided verdicts are errors.

    Of at most 5 % each; in 200 nights, 18 or more happen once in 100 at that
    rate.
    """
    rng = np.random.default_rng(11)
    decided: Counter[Verdict] = Counter()
    for _ in range(NIGHTS):
        chances = odds(rng, {"original": 0.65, "black": 0.35})
        run = night(rng, chances)
        decided[outcome(partial(assert_vdg_above, run, 0.30)).verdict] += 1
    assert decided[Verdict.PASS] <= 17
    assert decided[Verdict.BELOW_FLOOR] <= 17


def test_a_model_that_stopped_looking_is_caught() -> None:
    """A loss of 40 points is found on nearly every night with 90 questions."""
    rng = np.random.default_rng(13)
    caught = 0
    for _ in range(50):
        chances = odds(rng, {"original": 0.7, "black": 0.3})
        now = night(rng, {**chances, "black": chances["original"]})
        then = night(rng, chances)
        found = outcome(partial(assert_no_dissociation_regression, now, then))
        caught += found.verdict in AGAINST
    assert caught >= 45
