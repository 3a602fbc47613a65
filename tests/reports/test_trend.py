"""Trends: only like beside like, and every number from the run itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.outcomes import pair
from pytest_vdg.reports.past import judged, lost_run, merged, past_of, past_run
from pytest_vdg.reports.results import Results, RunResult, TestResult
from pytest_vdg.reports.trend import gravest, trend_lines, trends
from pytest_vdg.store.history import past_runs, remember
from pytest_vdg.verdicts import Finding, Verdict
from tests.store.examples import question, run
from tests.store.test_history import level, past

Untyped = Any  # fields of a dataclass, each of its own type
NAMES = [f"q{number:02}" for number in range(12)]
MOMENT = "2026-03-01T12:00:00+00:00"


def finding(**changes: Untyped) -> Finding:
    """Return a finding about the run of `run`."""
    values: dict[str, Any] = {
        "claim": "assert_vdg_above",
        "verdict": Verdict.BELOW_FLOOR,
        "measure": "VDG",
        "estimate": 0.1,
        "low": 0.0,
        "high": 0.2,
        "confidence": 0.95,
        "bound": 0.25,
        "n": 12,
        "n_videos": 12,
        "smallest_detectable": 0.1,
        "slice_name": "sight-2",
        "checkpoint": "grounded",
        "message": "VDG BELOW FLOOR",
    }
    return Finding(**(values | changes))


def test_a_past_run_has_the_numbers_of_its_run() -> None:
    """Right under original, wrong under black: accuracies 1 and 0, VDG 1."""
    made = run(*map(question, NAMES))
    kept = past_run(made, origin="pytest", when=MOMENT, step=7)
    assert pair(made, treated="original", control="black").treated_only == 12
    assert [(each.name, each.estimate) for each in kept.accuracies] == [
        ("original", 1.0),
        ("black", 0.0),
    ]
    assert [(each.name, each.estimate, each.n) for each in kept.effects] == [
        ("VDG", 1.0, 12)
    ]
    assert (kept.questions, kept.videos, kept.step) == (12, 12, 7)
    assert (kept.weights, kept.slice_digest) == ("w1", "s1")


def test_only_judged_runs_are_kept() -> None:
    """A run that no claim was about is not what a session came to."""
    made = run(*map(question, NAMES))
    other = run(*map(question, NAMES), slice_name="other")
    results = Results(
        origin="vdg run",
        created=MOMENT,
        tests=(
            TestResult(name="sees", outcome="failed", findings=(finding(),)),
            TestResult(name="lost", outcome="error", message="COULD NOT BE JUDGED"),
        ),
        runs=(RunResult(run=made), RunResult(run=other)),
    )
    (kept,) = past_of(results, environment="h100")
    assert kept.slice_name == "sight-2"
    assert kept.verdicts == (("sees", "BELOW FLOOR"),)
    assert (kept.origin, kept.environment) == ("vdg run", "h100")


def test_parts_of_one_run_become_one() -> None:
    """Two processes that asked other conditions of one run give one past run."""
    one = past(accuracies=(level("original"), level("black")), effects=(level("VDG"),))
    other = past(accuracies=(level("original"), level("text_only")), effects=())
    (whole,) = merged([one, other])
    assert [each.name for each in whole.accuracies] == [
        "original",
        "black",
        "text_only",
    ]
    assert whole.effects == one.effects


def test_a_finding_of_another_checkpoint_is_not_its_own() -> None:
    """The same slice, asked of two checkpoints, has two sets of verdicts."""
    runs = [past(checkpoint=name, slice_name="sight-2") for name in ("old", "new")]
    found = {
        "old": [finding(checkpoint="old", verdict=Verdict.PASS)],
        "new": [finding(checkpoint="new")],
    }
    assert [(r.checkpoint, r.verdicts) for r in judged(runs, found)] == [
        ("old", (("old", "ok"),)),
        ("new", (("new", "BELOW FLOOR"),)),
    ]


@given(
    kinds=st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.sampled_from(["c1", "c2"]),
            st.sampled_from([None, "h100"]),
        ),
        max_size=12,
    )
)
def test_each_run_is_in_one_trend_of_its_like(kinds: list[tuple[Any, ...]]) -> None:
    """Trends divide the runs by slice, settings and environment, in their order."""
    runs = [
        past(slice_name=s, comparable=c, environment=e, step=place)
        for place, (s, c, e) in enumerate(kinds)
    ]
    found = trends(runs)
    steps = [[point.step for point in trend.points] for trend in found]
    assert sorted(step for part in steps for step in part if step is not None) == list(
        range(len(runs))
    )
    assert all(part == sorted(part, key=lambda step: step or 0) for part in steps)
    keys = [(t.slice_name, t.comparable, t.environment) for t in found]
    assert sorted(map(repr, keys)) == sorted(map(repr, set(kinds)))
    assert [part[-1] for part in steps] == sorted(
        (part[-1] for part in steps), key=lambda step: -(step or 0)
    )


def test_a_trend_reads_as_a_table() -> None:
    """Each run has a line with its VDG, interval and gravest verdict."""
    runs = [
        past(when="2026-03-01T12:00:00+00:00", verdicts=(("sees", "ok"),)),
        past(when="2026-03-02T12:00:00+00:00", step=1000, effects=()),
    ]
    title, heads, *rows = trend_lines(runs)
    assert title == "trend of sight, h100: 2 runs"
    wanted = [
        "when, 2026|checkpoint|n|orig|VDG, pp [95% CI]|verdict",
        "03-01 12:00|step-500|40|.750|+25.0 [+15.0, +35.0]|ok",
        "03-02 12:00|step-500 @1000|40|.750|-|BELOW FLOOR",
    ]
    assert [re.sub(r"  +", "|", line.strip()) for line in (heads, *rows)] == wanted


def test_runs_of_two_years_keep_their_year() -> None:
    """A day without its year would stand in two places."""
    runs = [past(when=f"{year}-03-01T12:00:00+00:00") for year in (2025, 2026)]
    lines = trend_lines(runs)
    assert lines[1].split()[:2] == ["when", "checkpoint"]
    assert [line.split()[0] for line in lines[2:]] == ["2025-03-01", "2026-03-01"]


def test_a_trend_fits_a_terminal_of_80_columns() -> None:
    """A long checkpoint goes below its run; what it came to stays in one line."""
    effects = (level("VDG"), level("temporal"))
    names = [f"runs/qwen2.5-vl-sft/checkpoint-{number}" for number in (500, 1000)]
    runs = [
        past(
            checkpoint=name,
            step=None,
            effects=effects,
            verdicts=(("a", "COULD NOT BE JUDGED"),),
        )
        for name in names
    ]
    lines = trend_lines(runs)
    assert max(map(len, lines)) <= 80
    assert [line.strip() for line in lines[3::2]] == names
    for line in lines[2::2]:
        assert "+25.0 [+15.0, +35.0]" in line
        assert line.endswith("COULD NOT BE JUDGED")


@given(st.text(min_size=1, max_size=200), st.text(max_size=80), st.integers(0, 10**7))
def test_whatever_names_are_a_trend_fits(name: str, word: str, step: int) -> None:
    """Names give way, numbers do not."""
    lines = trend_lines([past(checkpoint=name, step=step, verdicts=(("a", word),))])
    assert max(map(len, lines)) <= 80


def test_what_could_not_be_judged_stands_where_it_would_have() -> None:
    """It has no numbers and no settings, and is seen in the trend of its slice."""
    runs = [
        past(step=1),
        past(step=2, comparable="", questions=0, videos=0, accuracies=(), effects=()),
        past(step=3, slice_name="other"),
    ]
    other, found = trends(runs)
    assert [point.step for point in found.points] == [1, 2]
    assert [point.step for point in other.points] == [3]
    (alone,) = trends([runs[1]])
    assert alone.points[0].values == {}


def test_tests_that_came_to_nothing_are_kept_without_a_run() -> None:
    """One line for what could not be judged; none where all was."""
    lost = TestResult(name="sees", outcome="error", message="COULD NOT BE JUDGED: x")
    fine = TestResult(name="reads", outcome="passed", findings=(finding(),))
    results = Results(origin="vdg watch", created=MOMENT, tests=(lost, fine))
    (kept,) = lost_run(results, checkpoint="step-5", slice_name="sight", weights="w")
    assert kept.verdicts == (("sees", "COULD NOT BE JUDGED"),)
    assert (kept.questions, kept.weights) == (0, "w")
    judged_ = replace(results, tests=(fine,))
    assert not list(lost_run(judged_, checkpoint="step-5", slice_name="sight"))


def test_what_is_not_shown_is_counted() -> None:
    """A long trend shows its newest runs, and many trends say that there are more."""
    runs = [past(step=number) for number in range(20)]
    lines = trend_lines(runs, last=3)
    assert lines[0] == "trend of sight, h100: 20 runs, the last 3"
    assert [line.split()[3] for line in lines[2:]] == ["@17", "@18", "@19"]
    many = [past(slice_name=f"s{number}") for number in range(6)]
    assert trend_lines(many)[-1] == "and 2 trends of other slices or settings"


@pytest.mark.parametrize(
    ("words", "worst"),
    [
        (["ok", "BELOW FLOOR", "INCONCLUSIVE"], "BELOW FLOOR"),
        (["COULD NOT BE JUDGED", "DISSOCIATION"], "COULD NOT BE JUDGED"),
        (["ok", "GONE MAD"], "GONE MAD"),
        ([], ""),
    ],
)
def test_the_gravest_verdict_is_shown(words: list[str], worst: str) -> None:
    """No ``ok`` hides another verdict, not even one that is not known here."""
    assert gravest(words) == worst


def test_a_run_goes_through_the_file_unchanged(tmp_path: Path) -> None:
    """What the trend draws is what the session measured."""
    made = past_run(run(*map(question, NAMES)), origin="pytest", when=MOMENT)
    remember(tmp_path, [made])
    (again,) = past_runs(tmp_path)
    assert trends([again]) == trends([made])


def test_what_processes_judged_together_is_of_one_moment(tmp_path: Path) -> None:
    """Workers end one after the other; the next night their runs are no news."""
    for night in (1, 2, 3):
        ends = (f"2026-03-0{night}T12:00:0{second}+00:00" for second in (7, 8))
        both = [past(checkpoint=c, when=w) for c, w in zip("ab", ends, strict=True)]
        remember(tmp_path, merged(both))
    assert [run.when[8:19] for run in past_runs(tmp_path)] == ["01T12:00:08"] * 2
