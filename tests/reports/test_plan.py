"""A plan as text: the answer first, everything aligned, nothing unexplained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from pytest_vdg.reports.forecast import Forecast, forecast_floor, forecast_no_loss
from pytest_vdg.reports.plan import claim_words, plan_lines
from tests.assertions.build import NO_CAPS, arms, make_run

COUNTS = arms(both=70, treated_only=60, control_only=10, neither=60)
RUN = make_run(COUNTS, per_video=2)


@cache
def floor_plan() -> Forecast:
    """Return the plan of a claim above a floor; computed once, when first needed."""
    return forecast_floor(RUN, floor=0.15)


@cache
def no_loss_plan() -> Forecast:
    """Return the plan of a claim of no loss."""
    return forecast_no_loss(RUN, margin=0.08, change_rate=0.05)


def test_the_answer_comes_first() -> None:
    """Claim, source, what to ask for, and what the present slice would come to.

    Pairs of equal answers: 2 * (100 / 99) * (199 / 200) = 2.01.
    """
    lines = plan_lines(floor_plan())
    assert lines[0] == "plan  VDG above a floor of +15.0pp (bounds at 95%)"
    assert lines[1] == "from  new, slice sight"
    assert lines[2].startswith("      VDG +25.0pp [")
    text = " ".join(line.strip() for line in lines)
    assert "over 200 questions, 100 videos, design effect 2.01" in text
    n = floor_plan().main.needed
    assert f"ask   {n} questions on " in text
    assert f"{2 * (n or 0)} cells a run, for 80% power" in text
    assert "80% power if VDG is +25.0pp, as stored" in text
    assert "now   another such slice of 200 questions would be" in "\n".join(lines)


def test_every_assumption_has_its_row() -> None:
    """Questions, videos, cells, power now, and what the slice shows now."""
    lines = plan_lines(no_loss_plan())
    number, head = next(
        (i, line) for i, line in enumerate(lines) if line.startswith("if ")
    )
    assert head.split()[-4:] == ["SD", "power", "shown", "found"]
    assert lines[number - 1].split() == ["n=200:", "margin", "loss"]
    for assumption in no_loss_plan().assumptions:
        row = next(line for line in lines if line.startswith(assumption.name + " "))
        assert str(assumption.needed) in row.split()


def test_the_curve_rises_beside_its_bars() -> None:
    """A row a size, the present and the needed marked, a bar of 30 for 100 %."""
    lines = plan_lines(floor_plan())
    start = next(i for i, line in enumerate(lines) if line.startswith("questions"))
    rows = lines[start + 1 : lines.index("", start)]
    numbers = [int(row.split()[0]) for row in rows]
    assert numbers == sorted(numbers)
    for row, (n, power) in zip(rows, floor_plan().main.curve, strict=False):
        assert row.split()[:1] == [str(n)]
        assert row.split()[3] == f"{100 * power:.0f}%"
        filled = row.count("#")
        # The mark at 80 % stands in place of one sign.
        assert filled in (round(30 * power), round(30 * power) - 1)
    assert next(r for r in rows if "<- now" in r).split()[0] == "200"
    assert next(r for r in rows if "<- ask" in r).split()[0] == str(
        floor_plan().main.needed
    )


def test_the_curve_ends_soon_after_it_is_full() -> None:
    """Two rows past the first of 100 % tell that it stays there."""
    first, *rest = floor_plan().assumptions
    powers = (0.8, 0.99, *[1.0] * 12)
    curve = tuple((first.needed or 0, p) for p in powers[:1])
    curve += tuple((1000 * n, p) for n, p in enumerate(powers[1:], 1))
    long = replace(first, curve=curve)
    lines = plan_lines(replace(floor_plan(), assumptions=(long, *rest)))
    start = next(i for i, line in enumerate(lines) if line.startswith("questions"))
    rows = lines[start + 1 : lines.index("", start)]
    assert [row.split()[3] for row in rows] == ["80%", "99%", "100%", "100%", "100%"]


def test_a_bound_that_is_not_shown_is_explained() -> None:
    """A lone sign in the table has a line below it; without one there is none."""
    first, *rest = floor_plan().assumptions
    lost = replace(floor_plan(), assumptions=(replace(first, shows=None), *rest))
    told = "'-' in 'floor shown': no floor is shown with 80% power by 200 questions"
    assert told in plan_lines(lost)
    assert told not in plan_lines(floor_plan())


def test_a_loss_that_is_never_found_is_explained() -> None:
    """Not even a gap that is lost whole is a size of a loss this slice finds."""
    first, *rest = no_loss_plan().assumptions
    blind = replace(no_loss_plan(), assumptions=(replace(first, finds=None), *rest))
    told = "'-' in 'loss found': not even the loss of all is found with 80% power by"
    assert told in "\n".join(plan_lines(blind))
    assert told not in "\n".join(plan_lines(no_loss_plan()))


@pytest.mark.parametrize("measure", ["VDG", "temporal delta"])
@pytest.mark.parametrize("plan", [forecast_floor, forecast_no_loss])
def test_a_plan_fits_a_terminal_of_80_columns(
    plan: Callable[..., Forecast], measure: str
) -> None:
    """Of four digits of questions, with a long checkpoint, slice and task."""
    run = make_run(COUNTS, per_video=2, checkpoint="/models/Qwen2.5-VL-7B-Instruct-sft")
    bound = {"floor": 0.2} if plan is forecast_floor else {"margin": 0.02}
    lines = plan_lines(plan(run, measure=measure, **bound))
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (
            lambda: forecast_floor(RUN, floor=0.30),
            "power if VDG is +25.0pp, as stored: the assumed gap is not above",
        ),
        (
            lambda: forecast_no_loss(RUN, margin=0.3, change_rate=0.1),
            "the margin allows to lose all of the stored gap",
        ),
        (
            lambda: forecast_floor(RUN, floor=0.249),
            "the assumed gap is too near to the bound",
        ),
        (
            lambda: forecast_floor(RUN, floor=0.22, growth="questions"),
            "more questions on the same videos teach too little; add videos",
        ),
    ],
    ids=["below", "margin", "near", "same videos"],
)
def test_where_nothing_is_enough_it_says_why(
    plan: Callable[[], Forecast], told: str
) -> None:
    """The table has "never", and the answer has the reason."""
    lines = plan_lines(plan())
    assert told in " ".join(" ".join(lines).split())
    assert any("never" in line for line in lines)


def test_questions_that_are_lost_are_asked_for() -> None:
    """The answer names both the judged and the asked."""
    cells = {name: letters + "F" * 50 for name, letters in COUNTS.items()}
    plan = forecast_floor(make_run(cells, caps=NO_CAPS), floor=0.1)
    text = " ".join(" ".join(plan_lines(plan)).split())
    n = plan.main.needed or 0
    assert f"(to judge {n} ask {plan.to_ask(n)}: some are lost)" in text


def test_a_baseline_with_nothing_to_lose_is_announced() -> None:
    """The verdict that such a test would come to, in words."""
    run = make_run(arms(both=90, treated_only=6, control_only=4, neither=100))
    text = " ".join(
        " ".join(
            plan_lines(forecast_no_loss(run, margin=0.05, change_rate=0.02))
        ).split()
    )
    assert "COULD NOT BE JUDGED: the baseline shows nothing to lose" in text


def test_a_claim_in_words() -> None:
    """Title of the text and of the picture."""
    assert claim_words(floor_plan()) == "VDG above a floor of +15.0pp"
    assert claim_words(no_loss_plan()) == "no loss of VDG beyond 8.0pp"


@pytest.mark.parametrize("plan", [floor_plan, no_loss_plan])
def test_lines_are_plain_and_fit(plan: Callable[[], Forecast]) -> None:
    """Plain ASCII, at most 100 columns, no trailing blanks, never a NaN."""
    for line in plan_lines(plan()):
        assert line.isascii()
        assert len(line) <= 100
        assert line == line.rstrip()
        assert "nan" not in line.lower()
