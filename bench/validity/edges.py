"""Every public assertion at the edge of what it claims.

Apart from how verdicts are counted because this is a list: an assertion that
is added to the package is added here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from bench.validity.claims import Call, Claim
from bench.validity.draws import Design
from bench.validity.grid import CONFIDENCE, TWO_SIDED
from bench.validity.worlds import World, joint, two_runs
from pytest_vdg.assertions.accuracy import assert_accuracy_above
from pytest_vdg.assertions.blind import assert_blind_gap_below
from pytest_vdg.assertions.dissociation import assert_no_dissociation_regression
from pytest_vdg.assertions.equivalence import assert_equivalent
from pytest_vdg.assertions.gain import (
    assert_accuracy_above_blind,
    assert_visual_gain_above,
)
from pytest_vdg.assertions.monotone import assert_ladder_monotone
from pytest_vdg.assertions.position import assert_no_position_bias
from pytest_vdg.assertions.ratio import assert_destructive_ratio_below
from pytest_vdg.assertions.stable import assert_stable_under
from pytest_vdg.assertions.steps import assert_diversity_delta, assert_spatial_delta
from pytest_vdg.assertions.temporal import assert_temporal_delta
from pytest_vdg.assertions.vdg import assert_vdg_above
from pytest_vdg.runs import Outcome, Run
from pytest_vdg.verdicts import Finding

LADDER = ("black", "single_frame", "shuffled", "original")
_ONE_SIDED = 1 - CONFIDENCE
_ONE_END = 1 - TWO_SIDED


def all_claims() -> Iterator[Claim]:
    """Yield every claim about to err: at its floor, or where nothing changed."""
    yield from _gaps()
    yield from _accuracies()
    yield from _ladders()
    yield from _robustness()
    yield _position()
    yield from _families()
    yield from _comparisons()


def _at_the_edge(
    call: Callable[[Run, float], Finding],
    conditions: tuple[str, ...],
    world: World,
    *weights: float,
) -> Claim:
    """Return the claim that a gap is above a floor, with the floor its truth."""
    truth = world.truth(world.scores(*weights))
    return Claim(
        name=call.__name__,
        truth=f"gap {truth:+.2f} is the floor",
        conditions=conditions,
        world=world,
        call=lambda run: call(run, truth),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )


def _gaps() -> Iterator[Claim]:
    pair = joint(0.7, 0.35, alike=0.5)
    blind = ("original", "text_only")
    yield _at_the_edge(assert_vdg_above, ("original", "black"), pair, 1, -1)
    yield _at_the_edge(assert_visual_gain_above, blind, pair, 1, -1)
    rungs = joint(0.35, 0.5, 0.62, 0.7, alike=0.6)
    yield _at_the_edge(assert_spatial_delta, LADDER, rungs, -1, 1, 0, 0)
    yield _at_the_edge(assert_diversity_delta, LADDER, rungs, 0, -1, 1, 0)
    yield _at_the_edge(assert_temporal_delta, LADDER, rungs, 0, 0, -1, 1)


def _accuracies() -> Iterator[Claim]:
    alone = joint(0.7, alike=0.0)
    yield Claim(
        name="assert_accuracy_above",
        truth="accuracy .70 is the floor (evidence='bound')",
        conditions=("original",),
        world=alone,
        call=lambda run: assert_accuracy_above(run, 0.7, evidence="bound"),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )
    yield Claim(
        name="assert_blind_gap_below",
        truth="blind gap +.10 is the ceiling",
        conditions=("text_only",),
        world=joint(0.35, alike=0.0),
        call=lambda run: assert_blind_gap_below(run, 0.10),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )
    three = joint(0.7, 0.35, 0.35, alike=0.5)
    floor = three.truth(three.scores(1, -1, 0))
    yield Claim(
        name="assert_accuracy_above_blind",
        truth=f"{floor:+.2f} above both blind arms, which is the floor",
        conditions=("original", "black", "text_only"),
        world=three,
        call=lambda run: assert_accuracy_above_blind(run, floor),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )


def _ladders() -> Iterator[Claim]:
    for truth, accuracies in (
        ("one step costs the margin", (0.40, 0.35, 0.55, 0.75)),
        ("each step costs the margin", (0.65, 0.60, 0.55, 0.50)),
    ):
        world = joint(*accuracies, alike=0.6)
        cost = -world.truth(world.scores(-1, 1, 0, 0))
        yield Claim(
            name="assert_ladder_monotone",
            truth=truth,
            conditions=LADDER,
            world=world,
            call=lambda run, cost=cost: assert_ladder_monotone(run, cost),
            may_pass=_ONE_SIDED,
            may_fail=_ONE_SIDED,
        )


def _robustness() -> Iterator[Claim]:
    harmed = joint(0.70, 0.66, alike=0.9)
    kept = harmed.probabilities @ (harmed.scores(1, -1) == 0)
    damaged = harmed.probabilities @ (harmed.scores(1, -1) == 1)
    ratio = float(damaged / (1 - kept - damaged))
    arms = ("original", "compressed:38")
    yield Claim(
        name="assert_destructive_ratio_below",
        truth=f"D:C {ratio:.1f} is the ceiling",
        conditions=arms,
        world=harmed,
        call=lambda run: assert_destructive_ratio_below(run, ratio, against=arms[1]),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )
    shaken = joint(0.7, 0.7, alike=0.9)
    stable = float(shaken.probabilities @ (shaken.scores(1, -1) == 0))
    yield Claim(
        name="assert_stable_under",
        truth=f"stable share {stable:.2f} is the floor",
        conditions=arms,
        world=shaken,
        call=lambda run: assert_stable_under(run, arms[1], stable),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
    )
    for now, margin in ((0.65, 0.05), (0.7, 0.05)):
        yield Claim(
            name="assert_equivalent",
            truth="worse by the margin" if now < 0.7 else "equal accuracy",
            conditions=("original",),
            world=joint(now, 0.7, alike=0.95),
            call=lambda run, baseline, margin=margin: assert_equivalent(
                run, baseline, margin
            ),
            may_pass=_ONE_SIDED if now < 0.7 else None,
            may_fail=1.0 if now < 0.7 else 2 * _ONE_END,
            baseline=True,
        )


def _position() -> Claim:
    """Return the claim on a model that answers A whenever it does not know."""
    accuracy = 0.7
    # It says A for every wrong answer but those whose key is A: of four equally
    # frequent keys, the excess of A is 3/4 - 1/4 of the wrong answers.
    excess = (1 - accuracy) / 2
    return Claim(
        name="assert_no_position_bias",
        truth=f"label A has an excess of {excess:.2f}, the ceiling",
        conditions=("original",),
        world=joint(accuracy, alike=0.0),
        call=lambda run: assert_no_position_bias(_leaning(run), excess),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
        design=Design(n=152, per_video=3, correlation=0.1),
    )


def _leaning(run: Run) -> Run:
    """Return *run* with A for every wrong answer, or B where A is the key."""
    keys = {q.id: q.answer for q in run.questions}
    cells = dict(run.cells)
    for place, cell in run.cells.items():
        if cell.outcome is Outcome.WRONG:
            choice = "B" if keys[cell.question_id] == "A" else "A"
            cells[place] = replace(cell, choice=choice, reply=choice)
    return replace(run, cells=cells)


def _families() -> Iterator[Claim]:
    pair = joint(0.7, 0.35, alike=0.5)
    floor = pair.truth(pair.scores(1, -1))
    design = Design(n=360, per_video=3, correlation=0.1)
    yield Claim(
        name="assert_vdg_above, per_task",
        truth="6 tasks, each with its gap at the floor",
        conditions=("original", "black"),
        world=pair,
        call=lambda run: assert_vdg_above(run, floor, per_task=True),
        may_pass=_ONE_SIDED,
        may_fail=_ONE_SIDED,
        tasks=6,
        design=design,
    )
    yield Claim(
        name="assert_no_dissociation_regression, per_task",
        truth="6 tasks, none changed (all answered anew)",
        conditions=("original", "black"),
        world=two_runs(original=0.7, black=0.35, alike=0.5, redrawn=1.0),
        call=lambda run, baseline: assert_no_dissociation_regression(
            run, baseline, per_task=True
        ),
        may_pass=None,
        may_fail=_ONE_END,
        baseline=True,
        tasks=6,
        design=design,
    )


def _comparisons() -> Iterator[Claim]:
    for redrawn, what in ((0.1, "10% answered anew"), (1.0, "all answered anew")):
        still = two_runs(original=0.7, black=0.35, alike=0.5, redrawn=redrawn)
        yield _compared(
            assert_no_dissociation_regression,
            "black",
            f"nothing lost, {what}",
            still,
            vdg_margin=0.05,
        )
        yield _compared(
            assert_temporal_delta,
            "shuffled",
            f"nothing lost, {what}",
            still,
            by_name=True,
            margin=0.03,
        )
        lost = two_runs(original=0.7, black=0.35, alike=0.5, redrawn=redrawn, lost=0.1)
        yield _compared(
            assert_no_dissociation_regression,
            "black",
            f"the margin (.10) is lost, {what}",
            lost,
            vdg_margin=0.10,
        )


def _compared(
    call: Call,
    control: str,
    truth: str,
    world: World,
    *,
    by_name: bool = False,
    **margin: float,
) -> Claim:
    """Return a claim about a run and its baseline."""
    lost = "is lost" in truth

    def both(run: Run, baseline: Run) -> Finding:
        if by_name:
            return call(run, baseline=baseline, **margin)
        return call(run, baseline, **margin)

    return Claim(
        name=f"{call.__name__}, baseline",
        truth=truth,
        conditions=("original", control),
        world=world,
        call=both,
        may_pass=_ONE_SIDED if lost else None,
        # A loss of the margin is a loss: to be called one is no error.
        may_fail=1.0 if lost else _ONE_END,
        baseline=True,
    )
