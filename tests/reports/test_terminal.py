"""What a session shows: aligned, plain, and nothing where nothing was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.outcomes.extent import VIDEOS
from pytest_vdg.reports.terminal import (
    WIDTH,
    header,
    headers,
    short_lines,
    table,
    unanswered_lines,
    unknown_lines,
    wrote,
)
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Finding, Verdict
from tests.assertions.build import NO_CAPS, make_run
from tests.reports.build import ACCURACY, CEILING, FLOOR, REGRESSION


def test_the_table_word_for_word() -> None:
    """Each row has its interval, its bound, what it could detect, its verdict."""
    lines = """
slice/task              measure     n  orig  black  value [95% CI]        bound  MDE  verdict
tvbench/Action Antonym  VDG       300  .523   .337  +18.6 [+12.1, +25.1]  +10.0  6.0  ok
tvbench                 accuracy  300  .523      -   .523 [.47, .58]       .500  6.0  ok
videomme                VDG chg   296  .610   .390   -9.5 [-14.2, -4.7]    -5.0  6.0  REGRESSION
"""  # noqa: E501
    assert table([FLOOR, ACCURACY, REGRESSION]) == lines.strip().splitlines()


def test_a_ceiling_is_marked() -> None:
    """The bound of a claim that holds below it is not taken for a floor."""
    (line,) = table([CEILING])[1:]
    assert " +10.0 [+4.8, +15.6]  <+2.0 " in line
    assert line.endswith("ABOVE CEILING")


def test_coverage_of_a_condition_is_not_cut() -> None:
    """The name of the condition is shortened as in the heads of the table."""
    (line,) = table([replace(FLOOR, measure="coverage original")])[1:]
    assert "  coverage orig  " in line


@pytest.mark.parametrize(
    "measure", ["coverage original", "accuracy black", "stable share", "broken share"]
)
def test_a_share_is_written_as_one(measure: str) -> None:
    """No share has a sign, and none is in points."""
    row = replace(FLOOR, measure=measure, estimate=1.0, low=0.63, high=1.0, bound=0.98)
    assert "  1.00 [.63, 1.0]   .980 " in table([row])[1]


@pytest.mark.parametrize("measure", ["accuracy change", "accuracy now-then"])
def test_what_lies_between_two_shares_is_none(measure: str) -> None:
    """A difference of accuracies may be below zero, and is in points."""
    (line,) = table([replace(REGRESSION, measure=measure)])[1:]
    assert " -9.5 [-14.2, -4.7]   -5.0 " in line


def test_several_tasks_are_told_by_their_number() -> None:
    """Three names in a row would be cut to something that no one can read."""
    assert table([replace(FLOOR, task="direction, first, growth")])[1].startswith(
        "tvbench/3 tasks  "
    )


def test_rows_of_several_checkpoints_say_whose_they_are() -> None:
    """The sight check of two would else be two rows that read the same."""
    heads, first, second = table([FLOOR, replace(FLOOR, checkpoint="older")])
    assert heads.endswith("  verdict  checkpoint")
    assert first.endswith("  ok       /models/qwen")
    assert second.endswith("  ok       older")
    assert not table([FLOOR])[0].endswith("checkpoint")


def test_what_was_not_judged_stands_beside_what_was() -> None:
    """Three missing videos are no smaller slice."""
    assert "  297/300  " in table([replace(FLOOR, n=297, n_planned=300)])[1]


def test_unknown_videos_are_told_once() -> None:
    """Of a run that names them there is nothing to say."""
    known = make_run({"original": "CW"})
    assert unknown_lines(known) == []
    unnamed = {VIDEOS: "not named in the logs"}
    (line,) = unknown_lines(
        replace(known, fingerprint=replace(known.fingerprint, comparable=unnamed))
    )
    assert line.startswith(f"videos of {known.slice_name} not named in the logs: each ")


def test_no_finding_no_table() -> None:
    """A session without claims shows no headings."""
    assert table([]) == []


def test_conditions_stand_in_ladder_order() -> None:
    """What was not measured is a dash, never a zero."""
    black = replace(FLOOR, task=None)
    shuffled = replace(black, accuracies=(("shuffled:blocks", 0.4), ("original", 0.5)))
    lines = table([shuffled, black])
    assert lines[0].split()[3:6] == ["orig", "black", "shuf:blocks"]
    assert lines[1].split()[3:6] == [".500", "-", ".400"]
    assert lines[2].split()[3:6] == [".523", ".337", "-"]


def test_several_confidences_are_all_named() -> None:
    """A column of intervals does not hide that they differ."""
    assert "[90%/95% CI]" in table([FLOOR, replace(FLOOR, confidence=0.9)])[0]


def test_long_names_are_cut_and_numbers_are_not() -> None:
    """A line fits the terminal as long as names can give way."""
    long = replace(REGRESSION, slice_name="s" * 90 + "1", task="t" * 90)
    lines = table([long])
    assert max(map(len, lines)) <= WIDTH
    assert "-9.5 [-14.2, -4.7]" in lines[1]


def test_what_no_slice_could_show_has_no_number() -> None:
    """Nothing drops by more than 100 points: then the slice shows no drop at all."""
    all_ = replace(FLOOR, smallest_detectable=1.0)
    none = replace(FLOOR, smallest_detectable=1.138)
    assert [line.split()[-2] for line in table([all_, none])[1:]] == ["100.0", "none"]


names = st.text(min_size=1, max_size=40)
numbers = st.floats(-2, 2)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.builds(
            replace,
            st.just(FLOOR),
            verdict=st.sampled_from(Verdict),
            estimate=numbers,
            low=numbers,
            high=numbers,
            bound=numbers,
            smallest_detectable=st.floats(0, 5),
            slice_name=names,
            task=names,
            n=st.integers(1, 10**6),
            accuracies=st.tuples(st.tuples(names, st.floats(0, 1))),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_finding_gives_one_plain_line(rows: list[Finding]) -> None:
    """Whatever names are, each finding is one line of ASCII with its verdict."""
    lines = table(rows)
    assert len(lines) == len(rows) + 1
    for row, line in zip(rows, lines[1:], strict=True):
        assert line.isascii()
        assert line.isprintable()
        assert line.endswith(row.verdict.value)


def test_the_header_leaves_out_what_is_unknown() -> None:
    """No empty field, no None."""
    fields = {"checkpoint": "qwen", "device": None, "slice": "", "questions": 300}
    assert header(fields) == "vdg: checkpoint=qwen questions=300"


def test_each_model_that_was_asked_has_a_header() -> None:
    """With its slices, and how many questions each had of those planned."""
    one = {"checkpoint": "a", "weights": "sha256:0123456789abcdef", "backend": "hf"}
    two = {"checkpoint": "b", "slice": "s", "questions": "9"}
    runs = [
        {**one, "slice": "s", "questions": "300"},
        {},
        {**one, "slice": "t", "questions": "8", "planned": "12"},
        two,
        {**one, "slice": "s", "questions": "9", "device": "cuda"},
    ]
    assert headers(runs) == [
        "vdg: checkpoint=a@01234567 backend=hf slices=s:300,t:8/12",
        "vdg: checkpoint=b slices=s:9",
        "vdg: checkpoint=a@01234567 backend=hf device=cuda slices=s:9",
    ]
    assert headers([]) == []


def test_where_files_went_is_one_line() -> None:
    """Paths stay whole, so that they can be opened."""
    assert wrote(".vdg/last-run/report.json") == "vdg: wrote .vdg/last-run/report.json"


def test_lost_cells_are_told_by_condition() -> None:
    """Nothing lost, nothing said; otherwise counts with their caps."""
    run = make_run(
        {"original": "C" * 9, "black": "CFFU" + "C" * 5, "shuffled": "N" * 9},
        caps=NO_CAPS,
    )
    assert unanswered_lines(run) == [
        "no answer: sight black 2 failed, 1 unparsed of 9 (caps 100%, 100%)",
        "no answer: sight shuffled 9 not applicable of 9",
    ]


@pytest.mark.parametrize("row", [FLOOR, ACCURACY, REGRESSION])
def test_no_number_stands_without_an_interval(row: Finding) -> None:
    """Every value is followed by its brackets."""
    line = table([row])[1]
    assert "[" in line
    assert "]" in line


def shown(sampling: str, frames: int) -> Run:
    """Return three questions on three videos, each shown as *frames* frames."""
    run = make_run(
        {"original": "CCC", "black": "WWW"}, comparable={"sampling": sampling}
    )
    times = tuple(float(i) for i in range(frames))
    timed = {key: replace(cell, times_s=times) for key, cell in run.cells.items()}
    return replace(run, cells=timed)


def test_short_clips_are_told() -> None:
    """Whoever asks for more frames than there are hears that fewer were shown."""
    assert short_lines(shown("frames=900", 8)) == [
        "frames: 3 of 3 videos of sight hold fewer than 900; all were taken"
    ]
    assert short_lines(shown("frames=8", 8)) == []
    assert short_lines(shown("fps=4.0", 8)) == []


@pytest.mark.parametrize("level", ["sampled:4", "fps:1"])
def test_levels_that_show_fewer_frames_are_not_short_clips(level: str) -> None:
    """Of a rate it is the condition that shows fewer, not the video."""
    run = shown("frames=8", 8)
    cells = {
        (q, level): replace(cell, condition=level, times_s=(0.0, 1.0))
        for (q, _), cell in run.cells.items()
    }
    longer = (*run.conditions, level)
    run = replace(run, conditions=longer, cells={**run.cells, **cells})
    assert short_lines(run) == []
