"""What a claim needs, forecast from runs whose counts are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.reports.forecast import Forecast, forecast_floor, forecast_no_loss
from pytest_vdg.runs import Run
from tests.assertions.build import NO_CAPS, arms, make_run
from tests.assertions.test_published_runs import published

# VDG .25 with .35 discordant, as of the published 7B models.
RUN = make_run(arms(both=70, treated_only=60, control_only=10, neither=60))


def test_the_stored_run_and_its_bound_are_the_two_truths() -> None:
    """A plan on the estimate, and a careful one on its 80 % lower bound.

    By the normal approximation 2.4865² * (.35 - .25²) / .15² = 79 questions, and
    1 / .15 = 7 more for the half question of the bound (Casagrande, Pike & Smith
    1978, Biometrics 34:483-486). The bound is .25 - .8416 * sqrt(.2875 / 200)
    - .5 / 200 = .216.
    """
    plan = forecast_floor(RUN, floor=0.10)
    assert [a.name for a in plan.assumptions] == [
        "VDG is +25.0pp, as stored",
        "VDG is +21.6pp, its 80% lower bound",
    ]
    needed = [a.needed for a in plan.assumptions]
    assert needed[0] == pytest.approx(86, abs=6)
    assert needed[1] is not None
    assert needed[1] > 1.4 * 86
    assert plan.cells(79) == 158


def test_the_present_slice_is_judged_by_the_same_rules() -> None:
    """Of 200 questions: the floor that four slices in five would show."""
    plan = forecast_floor(RUN, floor=0.10)
    shown = plan.main.shows
    assert shown is not None
    # .25 - 2.4865 * sqrt(.2875 / 200) = .156
    assert shown == pytest.approx(0.156, abs=0.01)
    again = forecast_floor(RUN, floor=shown)
    assert again.main.now.passes == pytest.approx(0.8, abs=0.02)
    assert plan.main.now.n == 200


def test_a_gap_below_the_floor_is_never_enough() -> None:
    """More questions only show the better that it is not there."""
    plan = forecast_floor(RUN, floor=0.30)
    assert plan.main.needed is None
    assert plan.main.now.against > 0.2


def test_one_run_is_planned_with_assumed_changes() -> None:
    """The published 2 to 6 %, twice that, and the published other models."""
    plan = forecast_no_loss(RUN, margin=0.05)
    assert [a.name for a in plan.assumptions] == [
        "6% of answers change",
        "2% of answers change",
        "12% of answers change",
        "checkpoints differ",
    ]
    six, two, twelve, other = (a.needed or 0 for a in plan.assumptions)
    assert two < six < twelve < other
    sds = [a.sd for a in plan.assumptions]
    # sqrt of .06, .02, .12; and .65 where the gap's own is .57: here .536.
    assert sds == pytest.approx([0.245, 0.141, 0.346, 0.65 * 0.536 / 0.57], abs=0.002)


def test_what_is_asked_for_is_planned_with() -> None:
    """A rate of one's own stands alone beside the other models."""
    plan = forecast_no_loss(RUN, margin=0.05, change_rate=0.3)
    assert plan.main.name == "30% of answers change"
    assert len(plan.assumptions) == 2
    plan = forecast_no_loss(RUN, margin=0.05, different_checkpoints=True)
    assert [a.name for a in plan.assumptions] == ["checkpoints differ"]


def test_the_margin_that_is_shown_has_the_power() -> None:
    """Held to the margin it names, the present slice passes four times in five."""
    plan = forecast_no_loss(RUN, margin=0.05, change_rate=0.1)
    shown = plan.main.shows
    assert shown is not None
    again = forecast_no_loss(RUN, margin=shown, change_rate=0.1)
    assert again.main.now.passes == pytest.approx(0.8, abs=0.02)


def test_the_loss_that_is_found_is_larger_than_the_margin() -> None:
    """A regression is a loss beyond the margin, seen."""
    found = forecast_no_loss(RUN, margin=0.05, change_rate=0.1).main.finds
    assert found is not None
    assert 0.05 < found < 0.15


def test_two_runs_are_planned_with_what_changed() -> None:
    """Of 200 questions 20 change, ten each way: an SD of sqrt(.1)."""
    then = arms(both=70, treated_only=60, control_only=10, neither=60)
    now = dict(then)
    original = list(then["original"])
    for i in range(10):  # right under both becomes wrong in the video ...
        original[i] = "W"
        original[150 + i] = "C"  # ... and wrong under both becomes right.
    now["original"] = "".join(original)
    plan = forecast_no_loss(
        make_run(now), margin=0.05, earlier=make_run(then, checkpoint="old")
    )
    assert plan.earlier == "old"
    assert [a.name for a in plan.assumptions] == ["changes are as measured"]
    assert plan.main.sd == pytest.approx(0.1**0.5)
    # 2.4865² * .1 / .05² = 247, and some more
    assert plan.main.needed == pytest.approx(270, abs=25)


def test_runs_over_other_questions_are_refused() -> None:
    """Changes are of the same questions or of none."""
    fewer = make_run(arms(both=70, treated_only=60, control_only=10))
    with pytest.raises(NotComparable):
        forecast_no_loss(RUN, margin=0.05, earlier=fewer)


def test_lost_questions_are_asked_for_as_well() -> None:
    """Of 200 questions 40 failed: to judge 80 one asks 100, which is 200 cells."""
    cells = arms(both=60, treated_only=60, control_only=10, neither=30)
    cells = {name: letters + "F" * 40 for name, letters in cells.items()}
    plan = forecast_floor(make_run(cells, caps=NO_CAPS), floor=0.1)
    assert (plan.stored.n, plan.asked) == (160, 200)
    assert plan.to_ask(80) == 100
    assert plan.cells(80) == 200


def test_one_video_allows_no_plan() -> None:
    """Of how answers vary over videos, one says nothing."""
    with pytest.raises(CouldNotBeJudged, match="share one video"):
        forecast_floor(make_run(arms(treated_only=9), per_video=9), floor=0.1)


def test_the_same_videos_run_out() -> None:
    """With a design effect, more questions on ten videos are soon worth nothing."""
    # Video by video all or nothing: the questions on one are one question.
    letters = "".join("CCCC" if i % 2 else "WWWW" for i in range(10))
    run = make_run({"original": letters, "black": "W" * 40}, per_video=4)
    grown = forecast_floor(run, floor=0.35, growth="questions")
    assert grown.main.needed is None
    assert forecast_floor(run, floor=0.35).main.needed is not None


def test_a_task_is_planned_alone() -> None:
    """The questions, and the gap, of that task only."""
    run = make_run(arms(both=40, treated_only=40, neither=40), tasks=("a", "b"))
    plan = forecast_floor(run, floor=0.1, task="b")
    assert (plan.stored.n, plan.asked, plan.task) == (60, 60, "b")
    with pytest.raises(ValueError, match="no task"):
        forecast_floor(run, floor=0.1, task="c")


def published_plan(run: Run, earlier: Run | None = None) -> Forecast:
    """Return the plan for five points between two published models."""
    return forecast_no_loss(
        run, margin=0.05, earlier=earlier, different_checkpoints=earlier is None
    )


def test_the_published_models_need_a_thousand_questions() -> None:
    """LLaVA to InternVL2: SD .65, 1050 to 1150 questions; assumed or measured."""
    llava, internvl2 = (
        published(model, "original", "black") for model in ("llava", "internvl2")
    )
    measured = published_plan(llava, replace(internvl2, caps=llava.caps))
    assert measured.main.sd == pytest.approx(0.65, abs=0.005)
    assert measured.main.needed == pytest.approx(1100, abs=60)
    assumed = published_plan(llava)
    assert assumed.main.needed == pytest.approx(1100, abs=100)
