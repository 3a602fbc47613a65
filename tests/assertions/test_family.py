"""Several claims at once: Holm over tasks, and parts that must all hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from pytest_vdg.assertions import (
    ClaimFailed,
    assert_accuracy_above,
    assert_no_dissociation_regression,
    assert_temporal_delta,
    assert_vdg_above,
)
from pytest_vdg.assertions._bounds import Bounds
from pytest_vdg.assertions._decide import above_floor
from pytest_vdg.assertions._explain import Statement
from pytest_vdg.assertions._family import all_of, settle, shared
from pytest_vdg.assertions._gap_claim import Delta, gap_above
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.runs import Run, TaskFilter
from pytest_vdg.stats.holm import holm
from pytest_vdg.verdicts import Finding, Verdict, collect_findings
from tests.assertions.build import NO_CAPS, arms, make_run, outcome

TASKS = ("count", "order")
SIX = tuple("uvwxyz")


def dealt(**tasks: str) -> Run:
    """Return a run whose tasks have these cells: + right with the video only.

    A dot is right always, - never, and a letter ! failed under black.
    """
    names = tuple(tasks)
    (length,) = {len(letters) for letters in tasks.values()}
    drawn = [tasks[name][i] for i in range(length) for name in names]
    original = "".join({"-": "W"}.get(letter, "C") for letter in drawn)
    black = "".join({".": "C", "!": "F"}.get(letter, "W") for letter in drawn)
    return make_run({"original": original, "black": black}, tasks=names, caps=NO_CAPS)


def every(claim: Callable[[], Finding]) -> tuple[list[Finding], Exception | None]:
    """Return all findings that *claim* published, and what it raised."""
    raised: Exception | None = None
    with collect_findings() as found:
        try:
            claim()
        except (ClaimFailed, CouldNotBeJudged) as error:
            raised = error
    return found, raised


def test_each_task_has_its_finding() -> None:
    """All tasks are judged and published, also after one has failed.

    Where all answers change, Tango's lower end is (n - z²)/(n + z²): 88.0 of 60.
    """
    run = dealt(count="." * 60, order="+" * 60)
    found, raised = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    assert [(f.task, f.verdict, f.n) for f in found] == [
        ("count", Verdict.BELOW_FLOOR, 60),
        ("order", Verdict.PASS, 60),
    ]
    assert isinstance(raised, ClaimFailed)
    assert raised.finding.summary == (
        "BELOW FLOOR VDG +0.0pp [-6.0, +6.0] vs floor +10.0pp "
        "(task count, n=60 questions, 60 videos; 1 of 2 tasks not ok, Holm)"
    )
    lines = str(raised).splitlines()
    assert lines[1] == "  tasks     BELOW FLOOR  count  +0.0pp [-6.0, +6.0] n=60"
    assert lines[2].split() == ["ok", "order", "+100.0pp", "[+88.0,", "+100.0]", "n=60"]


def test_all_tasks_that_hold_pass_with_the_worst() -> None:
    """The finding returned is that of the task that comes nearest to failing."""
    run = dealt(count="+" * 50 + "." * 10, order="+" * 60)
    finding = assert_vdg_above(run, 0.1, per_task=True)
    assert finding.task == "count"
    assert finding.summary.endswith("; worst of 2 tasks, Holm)")
    assert finding.verdict is Verdict.PASS


def test_one_task_is_judged_as_ever() -> None:
    """A family of one needs no adjustment."""
    run = make_run(arms(both=10, treated_only=30, neither=20))
    (found,), _ = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    alone = assert_vdg_above(run, 0.1, task="all")
    assert found == alone


def test_tasks_can_be_chosen() -> None:
    """Per task, of some tasks only."""
    run = dealt(count="." * 60, order="+" * 60)
    finding = assert_vdg_above(run, 0.1, task=["order"], per_task=True)
    assert finding.task == "order"
    with pytest.raises(ValueError, match="no task 'ordr'"):
        assert_vdg_above(run, 0.1, task="ordr", per_task=True)


def test_a_false_alarm_among_many_tasks_is_not_raised() -> None:
    """What one task alone would fail is undecided among six.

    Eight of 60 need the video: the upper bound is 23 points at 95 % and 26 at
    99.17 %, with the floor between them.
    """
    weak, strong = "+" * 8 + "." * 52, "+" * 60
    run = dealt(**dict.fromkeys(SIX[1:], strong), u=weak)
    assert outcome(lambda: assert_vdg_above(run, 0.24, task="u")).verdict is (
        Verdict.BELOW_FLOOR
    )
    found, raised = every(lambda: assert_vdg_above(run, 0.24, per_task=True))
    assert {f.task: f.verdict for f in found}["u"] is Verdict.INCONCLUSIVE
    assert isinstance(raised, ClaimFailed)
    assert raised.finding.verdict is Verdict.INCONCLUSIVE
    assert "(Holm over 6 tasks, here 6 open)" in " ".join(str(raised).split())


def test_the_interval_shown_is_that_of_the_task_alone() -> None:
    """Tasks stay comparable with each other and with the claim on one task."""
    run = dealt(count="+" * 40 + "." * 20, order="+" * 60)
    found, _ = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    alone = assert_vdg_above(run, 0.1, task="count")
    assert (found[0].low, found[0].high) == (alone.low, alone.high)
    assert found[0].confidence == 0.95


def test_a_task_that_cannot_be_judged_is_an_error() -> None:
    """The other tasks are judged and told; nothing passes for want of answers."""
    run = dealt(count="!" * 60, order="+" * 60)
    found, raised = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    assert [f.task for f in found] == ["order"]
    text = str(raised)
    assert text.startswith("COULD NOT BE JUDGED: 1 of 2 tasks (count); count: no quest")
    assert not isinstance(raised, ClaimFailed)
    assert "ok                   order" in text


def test_evidence_against_outweighs_a_task_that_cannot_be_judged() -> None:
    """One task that fails is enough, whatever the others would have been."""
    run = dealt(count="!" * 60, order="." * 60)
    _, raised = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    assert isinstance(raised, ClaimFailed)
    assert "COULD NOT BE JUDGED  count" in str(raised)


def test_runs_that_do_not_compare_are_refused_once() -> None:
    """Other settings are a matter of the runs, not of a task."""
    cells = arms(both=9, treated_only=9)
    other = make_run(cells, comparable={"seed": "1"}, tasks=TASKS)
    with pytest.raises(NotComparable, match="seed: 0, was 1"):
        assert_no_dissociation_regression(
            make_run(cells, tasks=TASKS), other, per_task=True
        )


def test_a_task_without_anything_to_lose_is_an_error() -> None:
    """It would be green on every night; the others are still told."""
    run = dealt(count="." * 120, order="+" * 120)
    found, raised = every(
        lambda: assert_no_dissociation_regression(run, run, per_task=True)
    )
    assert {f.task: f.verdict for f in found} == {
        "count": Verdict.COULD_NOT_BE_JUDGED,
        "order": Verdict.PASS,
    }
    assert isinstance(raised, CouldNotBeJudged)


def test_an_undecided_task_is_not_hidden_by_one_nearer_to_its_floor() -> None:
    """Three of three prove nothing; that 200 of 300 do must not make it a pass.

    The estimate of the few is the farther from the floor of 50 points.
    """
    tasks = ("few",) * 3 + ("many",) * 300
    cells = arms(treated_only=203, both=0, neither=100)
    run = make_run(cells, tasks=tasks)
    found, raised = every(lambda: assert_vdg_above(run, 0.5, per_task=True))
    assert {f.task: f.verdict for f in found} == {
        "few": Verdict.INCONCLUSIVE,
        "many": Verdict.PASS,
    }
    assert isinstance(raised, ClaimFailed)
    assert (raised.finding.task, raised.finding.verdict) == (
        "few",
        Verdict.INCONCLUSIVE,
    )


def test_what_cannot_be_judged_outweighs_what_is_undecided() -> None:
    """More questions would settle the one and not the other, which is an error."""
    then = dealt(count="." * 120, order="+" * 120)
    now = dealt(count="." * 120, order="+" * 116 + "-" * 4)
    found, raised = every(
        lambda: assert_no_dissociation_regression(now, then, per_task=True)
    )
    assert {f.task: f.verdict for f in found} == {
        "count": Verdict.COULD_NOT_BE_JUDGED,
        "order": Verdict.INCONCLUSIVE,
    }
    assert isinstance(raised, CouldNotBeJudged)
    assert str(raised).startswith("COULD NOT BE JUDGED: ")


def test_a_refused_task_outweighs_an_undecided_one() -> None:
    """The table still tells of both, the refused one with why."""
    run = dealt(count="!" * 60, order="+" * 6 + "." * 54)
    found, raised = every(lambda: assert_vdg_above(run, 0.1, per_task=True))
    assert [(f.task, f.verdict) for f in found] == [("order", Verdict.INCONCLUSIVE)]
    assert isinstance(raised, CouldNotBeJudged)
    table = str(raised).splitlines()[1:3]
    assert table[0].split()[:3] == ["tasks", "INCONCLUSIVE", "order"]
    assert "COULD NOT BE JUDGED  count  no question of slice sight was" in table[1]


def test_an_empty_slice_has_no_task() -> None:
    """No task is not all tasks passing."""
    run = make_run({"original": "", "black": ""})
    with pytest.raises(CouldNotBeJudged, match="holds no question"):
        assert_vdg_above(run, 0.1, per_task=True)


def test_estimates_are_compared_as_they_are() -> None:
    """Without an interval there is nothing to adjust."""
    run = make_run({"original": "CW" * 30}, tasks=TASKS)
    found, raised = every(lambda: assert_accuracy_above(run, 0.4, per_task=True))
    assert [(f.task, f.verdict) for f in found] == [
        ("count", Verdict.PASS),
        ("order", Verdict.BELOW_FLOOR),
    ]
    assert isinstance(raised, ClaimFailed)


def test_a_regression_of_one_task_is_named() -> None:
    """A loss that the whole slice hides."""
    then = make_run({"original": "C" * 300, "shuffled": "W" * 300}, tasks=TASKS)
    now = make_run({"original": "C" * 300, "shuffled": "WC" * 150}, tasks=TASKS)
    found, raised = every(
        lambda: assert_temporal_delta(now, baseline=then, per_task=True, margin=0.05)
    )
    assert {f.task: f.verdict for f in found} == {
        "count": Verdict.PASS,
        "order": Verdict.REGRESSION,
    }
    assert str(raised).startswith("REGRESSION temporal delta -100.0pp [")


VDG = Delta(
    claim="assert_vdg_above",
    measure="VDG",
    control="black",
    floor_advice=dict.fromkeys(Verdict, "x"),
)
RUN = make_run(arms(both=5, treated_only=5))
TEMPLATE = gap_above(VDG, RUN, 0.0, task=None, missing="drop")(0.95)


def normal(estimate: float, task: TaskFilter, confidence: float) -> Statement:
    """Return a claim that an estimate of standard error 1 is above zero."""
    z, two = float(ndtri(confidence)), float(ndtri((1 + confidence) / 2))
    interval = Bounds(
        estimate=estimate,
        low=estimate - two,
        high=estimate + two,
        lower_bound=estimate - z,
        upper_bound=estimate + z,
    )
    decision = above_floor(interval, 0.0, confidence=confidence)
    return replace(
        TEMPLATE,
        task=task,
        interval=interval,
        bound=0.0,
        verdict=decision.verdict,
        decided=decision.words,
    )


estimates = st.lists(st.floats(-5, 5), min_size=1, max_size=len(SIX))


@settings(deadline=None, max_examples=60)
@given(estimates, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_steps_are_those_of_holm(values: list[float], confidence: float) -> None:
    """Passed and failed are exactly the tasks whose adjusted p is below alpha."""
    tasks = dict(zip(SIX, values, strict=False))
    run = make_run({"original": "C" * len(values)}, tasks=tuple(tasks))
    found, _ = every(
        lambda: settle(
            lambda task: partial(normal, tasks[str(task)], task),
            run,
            task=None,
            per_task=True,
            confidence=confidence,
        )
    )
    verdicts = {f.task: f.verdict for f in found}
    above = holm({t: float(ndtr(-v)) for t, v in tasks.items()})
    below = holm({t: float(ndtr(v)) for t, v in tasks.items()})
    for task in tasks:
        alpha = 1 - confidence
        if min(abs(above[task] - alpha), abs(below[task] - alpha)) < 1e-9:
            continue  # at the bound, rounding decides
        expected = Verdict.INCONCLUSIVE
        if above[task] < alpha:
            expected = Verdict.PASS
        if below[task] < alpha:
            expected = Verdict.BELOW_FLOOR
        assert verdicts[task] is expected


@settings(deadline=None, max_examples=60)
@given(estimates)
@example([2.0, 3.0])  # above 1.645 both
@example([1.0, 3.0])
@example([-1.8, 3.0])  # below -1.645 but not below -1.960, that of two parts
@example([-2.0, -3.0])
def test_parts_pass_together_and_fail_alone(values: list[float]) -> None:
    """All at the confidence itself to pass, one at the shared to fail."""
    parts = [partial(normal, value, f"t{value}") for value in values]
    found = all_of(parts, 0.95)
    z, shared_z = float(ndtri(0.95)), float(ndtri(shared(0.95, len(values))))
    if min(values) > z:
        assert found.verdict is Verdict.PASS
    elif min(values) <= -shared_z:
        assert found.verdict is Verdict.BELOW_FLOOR
    else:
        assert found.verdict is Verdict.INCONCLUSIVE
    assert found.interval.estimate == min(values)


@given(st.floats(0.5, 0.999), st.integers(1, 50))
def test_sharing_out_never_lowers_a_confidence(level: float, number: int) -> None:
    """One claim keeps it, many share its error."""
    assert shared(level, number) >= level
    assert shared(level, 1) == level
