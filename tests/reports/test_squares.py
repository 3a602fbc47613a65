"""2x2 tables: they count what they say, and refuse what cannot be compared."""

from __future__ import annotations

import pytest

from pytest_vdg.errors import NotComparable
from pytest_vdg.reports.chapters import Part
from pytest_vdg.reports.html_files import draw_into, part_values
from pytest_vdg.reports.squares import against_baseline, against_black
from tests.assertions.build import arms, in_orders, make_run


def test_the_table_of_vdg_is_that_of_its_counts() -> None:
    """Counted by hand: 7 both, 8 original only, 1 black only, 2 neither."""
    cells = arms(both=7, treated_only=8, control_only=1, neither=2)
    found = against_black(make_run(cells))
    assert found is not None
    assert (found.both, found.treated_only, found.control_only) == (7, 8, 1)
    assert (found.neither, found.n, found.n_videos, found.excluded) == (2, 18, 18, 0)
    # 2 tails * (C(9, 8) + C(9, 9)) / 2**9 = 20 / 512
    assert found.pvalue == found.adjusted == pytest.approx(20 / 512)


def test_questions_that_were_not_judged_are_counted_out() -> None:
    """A failed cell leaves the table, and is told."""
    found = against_black(make_run({"original": "CCF", "black": "WCC"}))
    assert found is not None
    assert (found.n, found.excluded) == (2, 1)


def test_without_a_judged_question_there_is_no_table() -> None:
    """Nothing in the place of a table of zeros."""
    assert against_black(make_run({"original": "F", "black": "C"})) is None
    assert against_black(make_run({"original": "C"})) is None


def test_an_order_is_no_question() -> None:
    """Asked in four orders, the p-value is that of asking once."""
    run = make_run(arms(both=7, treated_only=8, control_only=1, neither=2))
    found = against_black(in_orders(run, 4))
    assert found is not None
    assert (found.n, found.treated_only) == (18, 32)
    assert found.pvalue == pytest.approx(20 / 512)


def test_both_arms_are_held_against_the_baseline_as_one_family() -> None:
    """Two p-values, adjusted together (Holm: the smaller counts twice)."""
    then = make_run({"original": "C" * 9, "black": "W" * 9})
    now = make_run({"original": "C" * 9, "black": "C" * 8 + "W"})
    original, black = against_baseline(now, then)
    assert (original.treated, original.control) == ("original now", "original then")
    assert (black.treated_only, black.neither) == (8, 1)
    assert black.pvalue == pytest.approx(2 / 256)
    assert black.adjusted == pytest.approx(4 / 256)


def test_runs_that_measure_other_things_are_refused() -> None:
    """Another seed is another experiment."""
    now, then = (
        make_run({"original": "C"}, comparable={"seed": seed}) for seed in ("0", "1")
    )
    with pytest.raises(NotComparable, match="seed"):
        against_baseline(now, then)


def test_a_condition_that_one_lacks_has_no_table() -> None:
    """The other one still has."""
    now = make_run({"original": "CC", "black": "CC"})
    (only,) = against_baseline(now, make_run({"original": "CC"}))
    assert only.treated == "original now"
    assert against_baseline(now, make_run({"shuffled": "CC"})) == ()


def test_a_table_of_a_page_is_told_with_its_interval_and_what_left_it() -> None:
    """The difference never stands alone; Holm's p-value only where it is another."""
    alone = against_black(make_run({"original": "CCCF", "black": "WWCC"}))
    assert alone is not None
    then = make_run({"original": "C" * 9, "black": "W" * 9})
    now = make_run({"original": "C" * 9, "black": "C" * 8 + "W"})
    pair = against_baseline(now, then)
    part = Part(title="", squares=(alone, *pair))
    words = [told for _, told in part_values(part, draw_into([]))["squares"]]
    for told, square in zip(words, (alone, *pair), strict=True):
        value = square.difference
        numbers = [100 * v for v in (value.estimate, value.low, value.high)]
        assert told.startswith(
            "{:+.1f} pp [{:+.1f}, {:+.1f}] [95% CI], n=".format(*numbers)
        )
    # 2 of 3 are right in one way only: 2 tails / 2**2
    assert words[0].endswith(", n=3 on 3 videos, McNemar p .500; 1 left out")
    assert words[1].endswith("McNemar p 1.000")
    # 2 / 2**8 = .0078, and twice that
    assert words[2].endswith("n=9 on 9 videos, McNemar p .008 (Holm .016)")
