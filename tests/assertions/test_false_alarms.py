"""The same model twice: how often the claims cry wolf, by simulation."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial

import numpy as np
import numpy.typing as npt

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above_blind,
    assert_blind_gap_below,
    assert_equivalent,
    assert_ladder_monotone,
    assert_no_dissociation_regression,
    assert_no_position_bias,
    assert_stable_under,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict, collect_findings
from tests.assertions.build import make_run, outcome

NIGHTS = 200
HALF = 100
QUESTIONS = 90
PER_VIDEO = 3
AGAINST = {
    Verdict.BELOW_FLOOR,
    Verdict.ABOVE_CEILING,
    Verdict.REGRESSION,
    Verdict.DISSOCIATION,
}


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


def test_no_task_of_many_is_called_wrongly() -> None:
    """Six tasks at the floor: any verdict on any of them is an error of the family.

    Of at most 5 % each way; 12 or more in 100 nights happen once in 200.
    """
    rng = np.random.default_rng(17)
    alarms: Counter[Verdict] = Counter()
    for _ in range(HALF):
        run = make_run(
            {c: letters(rng, p, 240) for c, p in (("original", 0.65), ("black", 0.35))},
            tasks=tuple("uvwxyz"),
        )
        with collect_findings() as found, suppress(ClaimFailed):
            assert_vdg_above(run, 0.30, per_task=True)
        alarms.update({f.verdict for f in found})
    assert alarms[Verdict.PASS] <= 11
    assert alarms[Verdict.BELOW_FLOOR] <= 11


def test_claims_at_their_bound_are_seldom_decided() -> None:
    """Where the truth is the bound itself, both decided verdicts are errors.

    Of at most 5 % each; 12 or more in 100 nights happen once in 200. The ladder
    costs its margin at one step, and of two blind conditions the one at the
    floor decides.
    """
    rng = np.random.default_rng(19)
    decided: Counter[tuple[str, Verdict]] = Counter()
    for _ in range(HALF):
        run = make_run(
            {
                c: letters(rng, p, 120)
                for c, p in (
                    ("original", 0.8),
                    ("shuffled", 0.6),
                    ("single_frame", 0.35),
                    ("black", 0.45),
                    ("text_only", 0.5),
                )
            }
        )
        claims = {
            "ladder": partial(assert_ladder_monotone, run, 0.10),
            "blind": partial(assert_blind_gap_below, run, 0.25),
            "lead": partial(assert_accuracy_above_blind, run, 0.30),
        }
        decided.update((name, outcome(claim).verdict) for name, claim in claims.items())
    for name in ("ladder", "blind", "lead"):
        assert decided[name, Verdict.PASS] <= 11
        assert sum(decided[name, verdict] for verdict in AGAINST) <= 11


def test_at_its_margin_equivalence_is_seldom_claimed() -> None:
    """A difference of ten points is called smaller on at most 5 % of nights."""
    rng = np.random.default_rng(23)
    claimed = 0
    for _ in range(NIGHTS):
        was = rng.random(200)
        now = np.where(rng.random(200) < 0.10, 1.0, was)
        then = make_run({"original": "".join("C" if u < 0.6 else "W" for u in was)})
        run = make_run({"original": "".join("C" if u < 0.6 else "W" for u in now)})
        margin = 0.06  # a tenth of the answers become wrong, of which 60 % were right
        found = outcome(partial(assert_equivalent, run, then, margin))
        claimed += found.verdict is Verdict.PASS
    assert claimed <= 17


def test_without_bias_or_loss_there_is_seldom_an_alarm() -> None:
    """Wrong answers that fall anywhere, and flips that go both ways alike."""
    rng = np.random.default_rng(29)
    alarms: Counter[str] = Counter()
    for _ in range(NIGHTS):
        before = letters(rng, 0.6, 120)
        flip = rng.random(120) < 0.1
        swap = {"C": "W", "W": "C"}
        after = "".join(
            swap[x] if f and rng.random() < (0.4 if x == "C" else 0.6) else x
            for x, f in zip(before, flip, strict=True)
        )
        run = make_run({"original": before, "compressed:28": after})
        claims = {
            "bias": partial(assert_no_position_bias, run),
            "stable": partial(assert_stable_under, run, "compressed:28", 0.85),
        }
        for name, claim in claims.items():
            verdict = outcome(claim).verdict
            alarms[name] += verdict in AGAINST
    assert max(alarms.values()) <= 17


def letters(rng: np.random.Generator, chance: float, n: int) -> str:
    """Return *n* independent cells that are right with this chance."""
    return "".join("C" if u < chance else "W" for u in rng.random(n))
