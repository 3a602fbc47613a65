"""Runs side by side: tests, dissociation, and the questions that flipped."""

from __future__ import annotations

import pytest

from pytest_vdg.errors import CouldNotBeJudged, NotComparable
from pytest_vdg.reports.compare import compare_runs
from pytest_vdg.runs import Run
from pytest_vdg.stats.holm import holm
from tests.assertions.build import NO_CAPS, make_run


def published() -> tuple[Run, Run]:
    """Return Qwen2-VL and InternVL2 on the 547 questions both judged.

    Original: 129 both wrong, 88 only Qwen right, 66 only InternVL2 right, 264 both;
    black: 264, 105, 61, 117 (VDG paper; recounted from its per-question answers).
    """

    def cells(both: int, first: int, second: int, neither: int) -> tuple[str, str]:
        return (
            "C" * (both + first) + "W" * (second + neither),
            "C" * both + "W" * first + "C" * second + "W" * neither,
        )

    original = cells(264, 88, 66, 129)
    black = cells(117, 105, 61, 264)
    qwen, intern = (
        make_run({"original": original[i], "black": black[i]}, checkpoint=name)
        for i, name in enumerate(("Qwen2-VL", "InternVL2"))
    )
    return qwen, intern


def test_the_published_dissociation_is_found() -> None:
    """P .0903 and .00079 exact: the two differ on black frames only."""
    found = compare_runs(published())
    original, black = found.tests
    assert (original.condition, black.condition) == ("original", "black")
    assert original.pvalue == pytest.approx(0.0903, abs=5e-5)
    assert black.pvalue == pytest.approx(0.00079, abs=5e-6)
    assert original.difference.estimate == pytest.approx((66 - 88) / 547)
    ((first, second, dissociation),) = found.dissociations
    assert (first, second) == ("Qwen2-VL", "InternVL2")
    assert dissociation.dissociated
    assert any("DISSOCIATED: differ on black only" in line for line in found.lines())


def test_a_dissociation_is_told_with_its_tests() -> None:
    """P .0903 and .00079 of the paper's answers; Holm doubles the smaller one."""
    lines = compare_runs(published()).lines()
    start = lines.index("dissociation, reliable below 0.05 after Holm over 2 tests")
    assert lines[start + 1 : start + 4] == [
        "  Qwen2-VL -> InternVL2",
        "    DISSOCIATED: differ on black only",
        "    p original .090, black <.001; Holm-adjusted .090 and .002",
    ]
    three = compare_runs([*published(), published()[0]]).lines()
    assert "dissociation, reliable below 0.05 after Holm over 6 tests" in three


@pytest.mark.parametrize(
    ("original", "black", "said"),
    [
        ("C" * 20, "C" * 20, "neither shown to differ"),
        ("W" * 20, "W" * 20, "differ on both"),
        ("W" * 20, "C" * 20, "DISSOCIATED: differ on original only"),
        ("C" * 20, "W" * 20, "DISSOCIATED: differ on black only"),
    ],
)
def test_where_two_runs_differ_is_said(original: str, black: str, said: str) -> None:
    """Of 20 questions all or none flipped: p is 2 ** -19, or 1."""
    first = make_run({"original": "C" * 20, "black": "C" * 20}, checkpoint="old")
    second = make_run({"original": original, "black": black}, checkpoint="new")
    assert f"    {said}" in compare_runs([first, second]).lines()


def test_a_dissociation_is_over_what_was_judged_under_both() -> None:
    """A question that failed under one of the two counts in neither arm."""
    first = make_run({"original": "CCCC", "black": "CCCC"}, checkpoint="old")
    second = make_run(
        {"original": "WWWF", "black": "FWFW"}, checkpoint="new", caps=NO_CAPS
    )
    ((_, _, found),) = compare_runs([first, second]).dissociations
    assert (found.original.first_only, found.black.first_only) == (1, 1)
    second = make_run(
        {"original": "WWFF", "black": "FFWW"}, checkpoint="new", caps=NO_CAPS
    )
    assert compare_runs([first, second]).dissociations == ()


def test_the_papers_test_can_be_chosen() -> None:
    """P .0906 and .00085 with the continuity correction, as printed."""
    original, black = compare_runs(published(), method="vdg-paper").tests
    assert original.pvalue == pytest.approx(0.0906, abs=5e-5)
    assert black.pvalue == pytest.approx(0.00085, abs=5e-6)


def test_all_tests_are_one_family() -> None:
    """Three runs under two conditions are six tests, adjusted together."""
    qwen, intern = published()
    found = compare_runs([qwen, intern, qwen])
    assert [(t.first, t.second, t.condition) for t in found.tests] == [
        ("Qwen2-VL #1", "InternVL2", "original"),
        ("Qwen2-VL #1", "InternVL2", "black"),
        ("Qwen2-VL #1", "Qwen2-VL #3", "original"),
        ("Qwen2-VL #1", "Qwen2-VL #3", "black"),
        ("InternVL2", "Qwen2-VL #3", "original"),
        ("InternVL2", "Qwen2-VL #3", "black"),
    ]
    raw = {str(i): t.pvalue for i, t in enumerate(found.tests)}
    assert [t.adjusted for t in found.tests] == list(holm(raw).values())
    assert len(found.dissociations) == 3


def test_flipped_questions_have_both_choices() -> None:
    """Old and new answer of each, and who was right."""
    first = make_run({"original": "CWC"}, checkpoint="old")
    second = make_run({"original": "CCW"}, checkpoint="new")
    (test,) = compare_runs([first, second]).tests
    gained, lost = test.flipped
    assert (gained.question_id, gained.first_choice, gained.second_choice) == (
        "q0001",
        "C",
        "B",
    )
    assert not gained.first_right
    assert (lost.question_id, lost.first_right) == ("q0002", True)


def test_the_text_is_whole() -> None:
    """Header, one line a test, and the flips; word for word."""
    first = make_run({"original": "CCCCW"}, checkpoint="old")
    second = make_run({"original": "CCWCC"}, checkpoint="new")
    lines = compare_runs([first, second]).lines()
    assert lines[:2] == [
        "2 runs on slice sight, failed dropped; McNemar (exact) with Holm over 1 test,",
        "  differences are second - first in points",
    ]
    assert lines[3] == "first old, second new"
    assert lines[4].split()[:4] == ["condition", "n", "1st", "2nd"]
    assert lines[5].split()[:4] == ["original", "5", ".800", ".800"]
    assert lines[-2] == "  original, old -> new: lost 1: q0002 (C->D)"
    assert lines[-1] == "  original, old -> new: gained 1: q0004 (B->A)"
    assert all(line.isascii() for line in lines)


def test_many_flips_are_shortened() -> None:
    """The data hold them all, the text the first eight."""
    first = make_run({"original": "C" * 20}, checkpoint="old")
    second = make_run({"original": "W" * 20}, checkpoint="new")
    found = compare_runs([first, second])
    assert len(found.tests[0].flipped) == 20
    assert "lost 20: q0000 (A->B)" in "\n".join(found.lines())
    assert sum(line.endswith("and 12 more") for line in found.lines()) == 1


@pytest.mark.parametrize(("flips", "ending"), [(8, "(D->A)"), (9, "and 1 more")])
def test_what_is_left_out_is_counted(flips: int, ending: str) -> None:
    """Eight are shown whole; of nine, one is told of."""
    first = make_run({"original": "C" * flips}, checkpoint="old")
    second = make_run({"original": "W" * flips}, checkpoint="new")
    *_, last_lost, gained = compare_runs([first, second]).lines()
    assert gained == "  original, old -> new: gained 0"
    assert last_lost.endswith(ending)


def test_an_interval_says_its_level() -> None:
    """Above the column, in per cent."""
    pair = make_run({"original": "CW"}, checkpoint="a"), make_run({"original": "WC"})
    assert "[95% CI]" in compare_runs(pair).lines()[4]
    assert "[90% CI]" in compare_runs(pair, confidence=0.9).lines()[4]


def test_a_comparison_fits_a_terminal_of_80_columns() -> None:
    """Three runs of the published size, under all conditions that are common."""
    answers = "C" * 264 + "W" * 283
    names = "original", "black", "single_frame", "shuffled", "text_only", "mismatched"
    runs = [
        make_run(
            dict.fromkeys(names, answers[i:] + answers[:i]), checkpoint=f"step-{i}"
        )
        for i in (0, 100, 200)
    ]
    lines = compare_runs(runs).lines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.split()[:2] == ["shuffled", "547"]]
    assert len(rows) == 3
    assert all(len(row.split()) == 11 for row in rows)  # nothing left for another part


def test_the_policy_for_missing_answers_is_said() -> None:
    """Dropped by default; counted wrong if asked for."""
    first = make_run({"original": "CCF"}, checkpoint="old", caps=NO_CAPS)
    second = make_run({"original": "CCC"}, checkpoint="new")
    dropped = compare_runs([first, second])
    wrong = compare_runs([first, second], missing="wrong")
    assert (dropped.tests[0].n, dropped.tests[0].excluded) == (2, 1)
    assert wrong.tests[0].n == 3
    assert wrong.tests[0].flipped[0].first_choice == "failed"
    assert "failed counted wrong" in wrong.lines()[0]


def test_shared_videos_widen_the_interval_only() -> None:
    """The interval knows of videos, the exact test does not."""

    def runs(per_video: int) -> list[Run]:
        return [
            make_run({"original": letters}, checkpoint=name, per_video=per_video)
            for name, letters in (("a", "C" * 60), ("b", "C" * 40 + "W" * 20))
        ]

    apart = compare_runs(runs(1)).tests[0]
    together = compare_runs(runs(10)).tests[0]
    single = compare_runs(runs(60)).tests[0]
    assert together.pvalue == apart.pvalue
    assert single.difference.low < together.difference.low < apart.difference.low


def test_swapping_the_runs_mirrors_the_tests() -> None:
    """The same p-values, and differences of the other sign."""
    qwen, intern = published()
    one = compare_runs([qwen, intern]).tests
    other = compare_runs([intern, qwen]).tests
    for a, b in zip(one, other, strict=True):
        assert a.pvalue == pytest.approx(b.pvalue)
        assert a.difference.estimate == -b.difference.estimate
        assert a.difference.low == pytest.approx(-b.difference.high)


def test_without_black_frames_there_is_no_dissociation() -> None:
    """It is a claim about two conditions."""
    first = make_run({"original": "CW"}, checkpoint="old")
    found = compare_runs([first, make_run({"original": "WC"}, checkpoint="new")])
    assert found.dissociations == ()


def test_conditions_and_tasks_can_be_chosen() -> None:
    """By default what all runs hold; a named one must be in all."""
    first = make_run({"original": "CWCW", "black": "WWWW"}, tasks=("a", "b"))
    second = make_run({"original": "CCCC", "shuffled": "CCCC"}, tasks=("a", "b"))
    assert [t.condition for t in compare_runs([first, second]).tests] == ["original"]
    turned = make_run({"black": "CCCC", "original": "CCCC"}, tasks=("a", "b"))
    both = compare_runs([first, turned]).tests
    assert [t.condition for t in both] == ["original", "black"]
    assert compare_runs([first, second], task="a").tests[0].n == 2
    with pytest.raises(CouldNotBeJudged, match="'black' was not run"):
        compare_runs([first, second], conditions=["black"])
    with pytest.raises(ValueError, match="compares nothing"):
        compare_runs([first, second], conditions=())
    third = make_run({"shuffled": "CCCC"}, tasks=("a", "b"))
    with pytest.raises(CouldNotBeJudged, match="share no condition"):
        compare_runs([first, third])


def test_one_run_is_no_comparison() -> None:
    """Fewer than two runs have nothing to be compared with, and are refused."""
    with pytest.raises(ValueError, match="two runs or more, got 1"):
        compare_runs([make_run({"original": "C"})])


def test_other_questions_are_refused() -> None:
    """A longer slice is another measurement."""
    with pytest.raises(NotComparable, match="only in the baseline"):
        compare_runs([make_run({"original": "CCC"}), make_run({"original": "CC"})])
