"""False verdicts of every public assertion, on whole runs.

Apart from the arrays because here nothing is computed by the bench: runs are
made, the assertions are called, and their verdicts are counted. It is slow, so
that each claim is judged in one place of the grid only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.validity.draws import Design, draw, generator
from bench.validity.exact import Misses
from bench.validity.staged import AGAINST, answers, found, run_of
from bench.validity.worlds import Ints, World
from pytest_vdg.verdicts import Finding, Verdict

DESIGN = Design(n=150, per_video=3, correlation=0.1)

Call = Callable[..., Finding]


@dataclass(frozen=True, eq=False, kw_only=True)
class Claim:
    """An assertion on runs of which it is known what it should say."""

    name: str
    truth: str
    """What is so, in words."""
    conditions: tuple[str, ...]
    world: World
    """Arms in the order of `conditions`; twice, if there is a baseline."""
    call: Call
    may_pass: float | None
    """How often it may pass; None where passing is right."""
    may_fail: float
    """How often the evidence may be called against it."""
    baseline: bool = False
    tasks: int = 1
    design: Design = field(default=DESIGN)


@dataclass(frozen=True, kw_only=True)
class ClaimCell:
    """Verdicts of one claim over many slices."""

    name: str
    truth: str
    n: int
    verdicts: Misses
    """``above``: passed. ``below``: against. A family counts as one."""
    refused: float
    """Could not be judged."""
    may_pass: float | None
    may_fail: float


def claim_cell(claim: Claim, *, replicates: int, seed: int) -> ClaimCell:
    """Call the assertion on *replicates* slices and count its verdicts."""
    rng = generator("claim", claim.name, claim.truth, seed=seed)
    tally: Counter[str] = Counter()
    probabilities = claim.world.probabilities
    for counts in draw(probabilities, claim.design, replicates=replicates, rng=rng):
        tally.update(_verdict(claim, one) for one in counts)
    return ClaimCell(
        name=claim.name,
        truth=claim.truth,
        n=claim.design.n,
        verdicts=Misses(
            above=tally["pass"] / replicates,
            below=tally["against"] / replicates,
            replicates=replicates,
        ),
        refused=tally["refused"] / replicates,
        may_pass=claim.may_pass,
        may_fail=claim.may_fail,
    )


def _verdict(claim: Claim, counts: Ints) -> str:
    right, videos = answers(claim.world, counts)
    arms = len(claim.conditions)
    now = run_of(right[:, :arms], videos, claim.conditions, tasks=claim.tasks)
    runs = [now]
    if claim.baseline:
        then = run_of(
            right[:, arms:],
            videos,
            claim.conditions,
            tasks=claim.tasks,
            checkpoint="old",
        )
        runs.append(then)
    verdicts = {finding.verdict for finding in found(claim.call, *runs)}
    # One wrong verdict among the tasks is an error of the family.
    if verdicts & AGAINST:
        return "against"
    if Verdict.PASS in verdicts:
        return "pass"
    return "undecided" if Verdict.INCONCLUSIVE in verdicts else "refused"
