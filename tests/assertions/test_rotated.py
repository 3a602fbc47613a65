"""Questions under several orders: what is said of them, and what is not claimed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg import assertions as vdg
from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.reports.compare import compare_runs
from pytest_vdg.reports.forecast import forecast_floor, forecast_no_loss
from pytest_vdg.reports.ladder import ladder_lines
from pytest_vdg.reports.plan import plan_lines
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Finding, Verdict
from tests.assertions.build import NO_CAPS, arms, in_orders, make_run, outcome

Claim = Callable[[Run, Run], Finding]
CLAIMS: dict[str, Claim] = {
    "vdg": lambda run, then: vdg.assert_vdg_above(run, 0.1),
    "vdg per task": lambda run, then: vdg.assert_vdg_above(run, 0.1, per_task=True),
    "accuracy": lambda run, then: vdg.assert_accuracy_above(run, 0.4, evidence="bound"),
    "blind": lambda run, then: vdg.assert_blind_gap_below(run, 0.3, condition="black"),
    "no loss": vdg.assert_no_dissociation_regression,
    "equal": lambda run, then: vdg.assert_equivalent(run, then, 0.1),
    "equal gaps": lambda run, then: vdg.assert_equivalent(
        run, then, 0.2, against="black"
    ),
    "stable": lambda run, then: vdg.assert_stable_under(run, "black", 0.5, margin=0.2),
    "ratio": lambda run, then: vdg.assert_destructive_ratio_below(
        run, 2, against="black"
    ),
    "coverage": lambda run, then: vdg.assert_coverage(run, 0.8, evidence="bound"),
}


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[Run, Run]:
    """Draw a run and its baseline, often with little or no variation."""
    letters = draw(st.sampled_from(["C", "W", "CW", "CCCCCCCCCW", "CCWU"]))
    n = draw(st.integers(4, 40))
    per_video, tasks = draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 2]))

    def arm(of: str) -> str:
        return draw(st.text(alphabet=st.sampled_from(of), min_size=n, max_size=n))

    def made(of: str) -> Run:
        return make_run(
            {"original": arm(of), "black": arm("W" + of)},
            per_video=per_video,
            tasks=("a", "b")[:tasks],
            caps=NO_CAPS,
        )

    return made(letters), made(letters)


def verdict_of(claim: Claim, run: Run, then: Run) -> tuple[str, Finding | None]:
    """Return the verdict and the finding of *claim*, whatever it came to."""
    try:
        found = claim(run, then)
    except ClaimFailed as failed:
        found = failed.finding
    except CouldNotBeJudged:
        return str(Verdict.COULD_NOT_BE_JUDGED), None
    return str(found.verdict), found


@given(two_runs(), st.integers(2, 4), st.sampled_from(sorted(CLAIMS)))
@settings(max_examples=150)
def test_no_claim_is_better_shown_by_asking_again(
    runs: tuple[Run, Run], orders: int, name: str
) -> None:
    """Where all orders agree, nothing passes that did not, and n is the questions."""
    once, found = verdict_of(CLAIMS[name], *runs)
    turned = [in_orders(run, orders) for run in runs]
    again, many = verdict_of(CLAIMS[name], *turned)
    assert again == once or again != Verdict.PASS
    if found and many:
        assert many.n == found.n
        assert many.n_videos == found.n_videos
        assert many.estimate == pytest.approx(found.estimate, abs=1e-9)
        assert many.low <= found.low + 1e-9
        assert many.high >= found.high - 1e-9
        assert many.smallest_detectable >= found.smallest_detectable - 1e-9


RUN = make_run(arms(both=5, treated_only=10, control_only=1, neither=4))


def test_the_first_line_counts_questions() -> None:
    """Twenty questions in four orders are not eighty."""
    found = outcome(lambda: vdg.assert_vdg_above(in_orders(RUN, 4), 0.1))
    assert "(n=20 questions in 4 orders, 20 videos)" in found.summary
    assert (found.n, found.n_videos) == (20, 20)
    once = outcome(lambda: vdg.assert_vdg_above(RUN, 0.1))
    assert found.low == pytest.approx(once.low, abs=1e-9)


def test_questions_with_fewer_orders_are_told() -> None:
    """A question that cannot be turned is asked once."""
    turned = in_orders(RUN, 2)
    left = turned.questions[1].id
    some = replace(
        turned,
        questions=tuple(q for q in turned.questions if q.id != left),
        cells={key: cell for key, cell in turned.cells.items() if key[0] != left},
    )
    found = outcome(lambda: vdg.assert_vdg_above(some, 0.1))
    assert "n=20 questions in 1 to 2 orders" in found.summary


def test_mcnemar_counts_questions() -> None:
    """The p-value beside the table is that of 10 against 1, not of 40 against 4."""
    found = outcome(lambda: vdg.assert_vdg_above(in_orders(RUN, 4), 0.1))
    # 2 * (1 + 11) / 2**11 = .0117
    assert "McNemar exact p=0.012" in found.message
    assert "on questions, not orders: 10 and 1 right in one only" in found.message
    plain = outcome(lambda: vdg.assert_vdg_above(RUN, 0.1))
    assert "not orders" not in plain.message


def test_coverage_counts_questions() -> None:
    """Eighty askings of twenty questions are no eighty questions."""
    turned = in_orders(RUN, 4)
    assert vdg.assert_coverage(turned, questions=20).n == 20
    with pytest.raises(ClaimFailed, match=r"20 questions judged in all .*, 21 needed"):
        vdg.assert_coverage(turned, questions=21)


def test_runs_that_know_of_no_orders_are_not_compared_with_such() -> None:
    """A baseline in which each order counts as a question is refused."""
    turned = in_orders(RUN, 2)
    loose = replace(
        turned, questions=tuple(replace(q, of="") for q in turned.questions)
    )
    with pytest.raises(NotComparable, match="40 questions are not orders of the same"):
        vdg.assert_no_dissociation_regression(turned, loose)


def test_orders_of_a_question_are_about_one_video() -> None:
    """Else they would be no orders of one question."""
    turned = in_orders(RUN, 2)
    first, *others = turned.questions
    with pytest.raises(ValueError, match="orders of one question on several videos"):
        replace(turned, questions=(replace(first, video="other.mp4"), *others))


def test_a_plan_is_made_in_questions() -> None:
    """As many are needed as from one order of each; only the cells are more."""
    once = forecast_floor(RUN, floor=0.1)
    turned = forecast_floor(in_orders(RUN, 4), floor=0.1)
    assert turned.main.needed == once.main.needed
    assert turned.main.shows == once.main.shows
    assert turned.main.now == once.main.now
    assert turned.cells(100) == 4 * once.cells(100) == 800
    assert any("20 questions in 4 orders, 20 videos" in t for t in plan_lines(turned))


def test_a_plan_from_two_runs_is_made_in_questions() -> None:
    """Nothing changed in 20 questions: 80 askings of them do not show it better."""
    once = forecast_no_loss(RUN, margin=0.1, earlier=RUN)
    turned = in_orders(RUN, 4)
    again = forecast_no_loss(turned, margin=0.1, earlier=turned)
    assert again.main.now == once.main.now
    assert again.main.sd == pytest.approx(once.main.sd)


def test_reports_count_questions() -> None:
    """The ladder and the comparison of runs say 20, and test 20."""
    turned = in_orders(RUN, 4)
    assert "n=20 questions in 4 orders, 20 videos" in ladder_lines(turned)[2]
    flipped = make_run(arms(both=5, treated_only=2, control_only=9, neither=4))
    once = compare_runs([RUN, flipped])
    again = compare_runs([turned, in_orders(flipped, 4)])
    assert [t.n for t in again.tests] == [20] * len(again.tests)
    assert [t.pvalue for t in again.tests] == [t.pvalue for t in once.tests]
    (_, _, one), (_, _, many) = once.dissociations[0], again.dissociations[0]
    assert many.adjusted_black == one.adjusted_black


# What a verdict shows beside it, and what the planner says of such a slice.
@pytest.mark.parametrize("per_video", [1, 3])
def test_what_could_be_shown_is_what_the_planner_says(per_video: int) -> None:
    """The floor and the margin that four of five such slices would show.

    Within a question: the planner draws slices, in which counts are whole.
    """
    run = make_run(
        arms(both=60, treated_only=81, control_only=21, neither=78),
        per_video=per_video,
        order=None,
    )
    found = outcome(lambda: vdg.assert_vdg_above(run, 0.1))
    shown = forecast_floor(run, floor=0.1).main.shows
    assert shown is not None
    drop = found.estimate - shown
    assert found.smallest_detectable == pytest.approx(
        drop, abs=max(1 / 240, 0.05 * drop)
    )


def test_what_could_be_shown_of_a_change_is_what_the_planner_says() -> None:
    """The margin that would be held in four of five such pairs of runs."""
    then = make_run(arms(both=60, treated_only=100, control_only=20, neither=60))
    now = make_run(
        {
            c: letters[4:] + letters[:4]
            for c, letters in arms(
                both=60, treated_only=100, control_only=20, neither=60
            ).items()
        }
    )
    found = outcome(lambda: vdg.assert_no_dissociation_regression(now, then))
    margin = forecast_no_loss(now, margin=0.05, earlier=then).main.shows
    assert margin is not None
    assert found.smallest_detectable == pytest.approx(margin, abs=1 / 240)
