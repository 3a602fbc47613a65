"""The verdicts that the bench counts are those of the public assertions."""

from __future__ import annotations

import numpy as np
import pytest

from bench.validity.arrays import totals
from bench.validity.claims import Claim, claim_cell
from bench.validity.draws import Design, draw, generator
from bench.validity.edges import all_claims
from bench.validity.losses import MARGIN, no_loss
from bench.validity.resampled import SOURCES, Source, load, resample
from bench.validity.staged import AGAINST, answers, found, run_of
from bench.validity.worlds import two_runs
from pytest_vdg.assertions.dissociation import assert_no_dissociation_regression
from pytest_vdg.runs import Outcome
from pytest_vdg.verdicts import Verdict
from tests.realdata import real

SEED = 7
ARMS = ("original", "black")


def test_a_run_holds_the_answers_that_were_drawn() -> None:
    """Right answers choose the key, wrong ones another label."""
    right = np.array([[True, False], [False, True]])
    run = run_of(right, [4, 4], ARMS)
    told = [[run.cells[q.id, c].outcome for c in ARMS] for q in run.questions]
    assert told == [
        [Outcome.CORRECT, Outcome.WRONG],
        [Outcome.WRONG, Outcome.CORRECT],
    ]
    assert {q.video for q in run.questions} == {"v00004"}
    wrong = run.cells[run.questions[0].id, "black"]
    assert wrong.choice != run.questions[0].answer


@pytest.mark.parametrize(("redrawn", "lost"), [(0.1, 0.0), (1.0, 0.1), (0.1, 0.2)])
def test_losses_are_decided_as_the_assertion_does(redrawn: float, lost: float) -> None:
    """Over arrays and over runs, "no loss" comes to the same on every slice."""
    world = two_runs(original=0.7, black=0.3, alike=0.5, redrawn=redrawn, lost=lost)
    design = Design(n=90, per_video=3, correlation=0.3)
    rng = generator("losses", redrawn, lost, seed=SEED)
    (counts,) = draw(world.probabilities, design, replicates=12, rng=rng)
    passes, against = no_loss(totals(counts, world.scores(1, -1, -1, 1)), MARGIN)
    for one, held, fell in zip(counts, passes, against, strict=True):
        right, videos = answers(world, one)
        now = run_of(right[:, :2], videos, ARMS)
        then = run_of(right[:, 2:], videos, ARMS, checkpoint="old")
        (finding,) = found(
            assert_no_dissociation_regression, now, then, vdg_margin=MARGIN
        )
        assert (finding.verdict is Verdict.PASS) == held
        assert (finding.verdict in AGAINST) == fell


@pytest.mark.parametrize(
    "claim", list(all_claims()), ids=lambda claim: f"{claim.name}: {claim.truth}"
)
def test_every_claim_can_be_judged_at_its_edge(claim: Claim) -> None:
    """No claim is refused, and none errs on all of a few slices."""
    cell = claim_cell(claim, replicates=5, seed=SEED)
    assert cell.refused == 0
    if cell.may_pass is not None:
        assert cell.verdicts.above <= 0.6
    if cell.may_fail < 1:
        assert cell.verdicts.below <= 0.6


@pytest.mark.parametrize(
    "source", SOURCES, ids=lambda source: f"{source.model} {source.benchmark}"
)
def test_published_answers(source: Source) -> None:
    """No change seldom fires, blindness always does, and the gap is held.

    Bounds are five standard errors of 150 draws from what is allowed.
    """
    folder = real(f"vdg_annotations/{source.files[0]}").parents[1]
    shares = resample(load(folder, source), source, replicates=150, seed=SEED)
    assert shares.alarms <= 0.025 + 5 * 0.0127
    assert shares.held >= 0.93 - 5 * 0.0208
    assert max(shares.passed_own, shares.failed_own) <= 0.05 + 5 * 0.0178
    assert shares.passed == shares.caught == 1
