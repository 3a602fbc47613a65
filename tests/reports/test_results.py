"""What a session came to, as every report reads it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vdg.reports.results import Results, TestResult, joined
from pytest_vdg.verdicts import Verdict
from tests.reports.session import (
    LET_PASS,
    LOST,
    NOW,
    REGRESSED,
    RESULTS,
    SEES,
    SKIPPED,
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("suite/video/test_a.py::test_sees", "test_a.py::test_sees"),
        ("suite/test_a.py::test_sees[runs/a]", "test_a.py::test_sees[runs/a]"),
        ("vdg-sight::Qwen/Qwen2.5-VL-7B-Instruct",) * 2,
        ("sees",) * 2,
    ],
)
def test_a_short_name_leaves_out_the_folders_of_the_file(name: str, short: str) -> None:
    """And of nothing else: what follows the file tells tests apart."""
    assert TestResult(name=name, outcome="passed").short_name == short


SILENT = TestResult(name="quiet", outcome="passed")
BROKEN = TestResult(name="broken", outcome="failed", message="KeyError: 'x'")


@pytest.mark.parametrize(
    ("tests", "faults", "green"),
    [
        ((SEES,), (), True),
        ((SEES, LET_PASS, SKIPPED, SILENT), (), True),
        ((SEES,), ("nothing was judged",), False),
        ((SEES, REGRESSED), (), False),
        ((SEES, BROKEN), (), False),
        ((SEES, LOST), (), False),
        ((SILENT, SKIPPED), (), False),
        ((), (), False),
    ],
)
def test_green_is_judged_and_without_a_failure(
    tests: tuple[TestResult, ...], faults: tuple[str, ...], green: object
) -> None:
    """An exit code follows it, so that nothing is green because something is absent."""
    assert replace(RESULTS, tests=tests, faults=faults).green is green


@pytest.mark.parametrize(
    ("tests", "verdict"),
    [
        ((SEES, REGRESSED, LOST), Verdict.COULD_NOT_BE_JUDGED),
        ((replace(SEES, outcome="error"),), Verdict.COULD_NOT_BE_JUDGED),
        ((SEES, REGRESSED, LET_PASS), Verdict.REGRESSION),
        ((SEES, LET_PASS, SKIPPED), Verdict.INCONCLUSIVE),
        ((SILENT, SEES), Verdict.PASS),
        ((SILENT, SKIPPED, BROKEN), None),
    ],
)
def test_the_gravest_verdict_stands_for_all(
    tests: tuple[TestResult, ...], verdict: Verdict | None
) -> None:
    """In any order; a test in error was not judged, whatever it found before."""
    for ordered in (tests, tests[::-1]):
        assert replace(RESULTS, tests=ordered).verdict is verdict


def test_results_in_one_hold_all_of_each() -> None:
    """Tests keep apart by the names given, and what both say is said once."""
    other = Results(
        origin="vdg run",
        created="2026-12-01T08:00:00+00:00",
        command="vdg run",
        tests=(SEES,),
        runs=RESULTS.runs,
        notes=(*RESULTS.notes, "wrote x"),
        faults=("nothing was judged",),
        asked=4,
        cached=7,
    )
    for several in ((RESULTS, other), (other, RESULTS)):
        whole = joined(several, ("a", "b"))
        assert [t.name for t in whole.tests] == [
            f"{name}: {test.name}"
            for name, each in zip("ab", several, strict=True)
            for test in each.tests
        ]
        assert [found.run for found in whole.runs] == [NOW, NOW]
        assert sorted(whole.notes) == sorted(other.notes)
        assert (whole.asked, whole.cached, whole.faults) == (100, 7, other.faults)
        assert whole.created == other.created
        assert set(whole.command.split("; ")) == {"pytest -m vdg", "vdg run"}


def test_results_alone_stay_the_very_same() -> None:
    """Names tell several apart; one needs none."""
    assert joined([RESULTS], ["a"]) is RESULTS


def test_an_outcome_that_no_report_shows_is_refused() -> None:
    """A file of a later version must not lose a test."""
    with pytest.raises(ValueError, match="outcome 'flaky' of 'x' is not known"):
        TestResult(name="x", outcome="flaky")  # type: ignore[arg-type]
