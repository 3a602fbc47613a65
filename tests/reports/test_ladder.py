"""The ladder of a run as text: complete, aligned, honest about gaps."""

from __future__ import annotations

import pytest

from pytest_vdg.reports.ladder import ladder_lines
from pytest_vdg.runs import Run
from tests.assertions.build import NO_CAPS, make_run

FULL = make_run(
    {
        "text_only": "C" * 25 + "W" * 75,
        "black": "C" * 30 + "W" * 70,
        "single_frame": "C" * 45 + "W" * 55,
        "shuffled": "C" * 60 + "W" * 40,
        "reversed": "C" * 50 + "W" * 50,
        "original": "C" * 80 + "W" * 20,
    }
)


def row(lines: list[str], name: str) -> list[str]:
    """Return the words of the first line that begins with *name*."""
    return next(line.split() for line in lines if line.strip().startswith(name + " "))


def test_a_full_ladder_word_for_word() -> None:
    """Accuracies with Wilson's interval, effects with Tango's, in one block.

    Wilson for 80 of 100: (.8 + .0192 -+ 1.96 sqrt(.0016 + .000096)) / 1.0384.
    """
    lines = ladder_lines(FULL)
    assert lines[0] == "checkpoint new, slice sight"
    assert lines[2] == "all tasks: n=100 questions, 100 videos, chance .250"
    assert lines[3] == (
        "  condition     accuracy [95% CI]  right  judged  unparsed  failed  n/a"
    )
    assert row(lines, "original") == [
        "original",
        ".800",
        "[.71,",
        ".87]",
        "80",
        "100",
        "0",
        "0",
        "0",
    ]
    assert [line.split()[0] for line in lines[4:10]] == [
        "text_only",
        "black",
        "single_frame",
        "shuffled",
        "reversed",
        "original",
    ]


def test_the_blind_gap_is_accuracy_less_chance_at_each_end() -> None:
    """Of 100 questions with four options 40 are guessed right: .40 [.31, .50].

    Wilson for 40 of 100: (.4 + .0192 -+ 1.96 sqrt(.0024 + .000096)) / 1.0384, which
    is .3094 and .4980; the one-sided lower bound is Clopper and Pearson's, .3175.
    """
    run = make_run({"text_only": "C" * 40 + "W" * 60, "original": "C" * 100})
    line = next(x for x in ladder_lines(run) if x.strip().startswith("blind gap"))
    numbers = line.replace("[", "").replace("]", "").replace(",", "").split()[2:7]
    assert numbers == ["+15.0", "+5.9", "+24.8", "+6.8", "100"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VDG", "+50.0"),
        ("spatial", "+15.0"),
        ("diversity", "+15.0"),
        ("temporal", "+20.0"),
        ("order", "+30.0"),
    ],
)
def test_steps_sum_to_vdg(name: str, value: str) -> None:
    """15 + 15 + 20 points are the 50 between black and original."""
    assert row(ladder_lines(FULL), name)[1] == value


def test_blind_gap_and_visual_gain() -> None:
    """Text alone is right 25 times in 100, as chance is with four options."""
    lines = ladder_lines(FULL)
    assert "blind gap" in "\n".join(lines)
    assert next(x for x in lines if "visual gain" in x).split()[2] == "+55.0"
    assert next(x for x in lines if "blind gap" in x).split()[2] == "+0.0"


def test_what_was_not_run_is_a_dash() -> None:
    """No zero stands for a condition that nobody asked."""
    lines = ladder_lines(FULL.only(["original", "black"]))
    assert row(lines, "single_frame") == ["single_frame", *"------"]
    assert row(lines, "temporal")[1:4] == ["-", "-", "-"]
    assert row(lines, "VDG")[1] == "+50.0"


def test_what_was_not_judged_is_a_dash() -> None:
    """A condition that failed everywhere has no accuracy, and no gap."""
    run = make_run({"original": "C" * 9, "black": "F" * 9}, caps=NO_CAPS)
    lines = ladder_lines(run)
    assert row(lines, "black") == ["black", "-", "-", "0", "0", "9", "0"]
    assert row(lines, "VDG")[1] == "-"


def test_unparsed_and_failed_are_counted() -> None:
    """They stand beside the accuracy that they change."""
    run = make_run({"original": "CCCUF", "shuffled": "CCWNN"}, caps=NO_CAPS)
    lines = ladder_lines(run)
    assert row(lines, "original")[1] == ".750"
    assert row(lines, "original")[-5:] == ["3", "4", "1", "1", "0"]
    assert row(lines, "shuffled")[-5:] == ["2", "3", "0", "0", "2"]


def test_each_task_has_its_block() -> None:
    """Overall first, then tasks in the order of the slice."""
    run = make_run({"original": "CW" * 30, "black": "WW" * 30}, tasks=("seen", "not"))
    lines = ladder_lines(run)
    heads = [line.split(":")[0] for line in lines if "questions" in line]
    assert heads == ["all tasks", "seen", "not"]
    assert ladder_lines(run, task="seen")[2].startswith("seen: n=30")


def test_steps_over_fewer_questions_say_so() -> None:
    """Where clips have no other order the steps sum to another VDG, shown."""
    run = make_run(
        {
            "black": "W" * 40,
            "single_frame": "C" * 10 + "W" * 30,
            "shuffled": "C" * 20 + "W" * 10 + "N" * 10,
            "original": "C" * 30 + "W" * 10,
        }
    )
    lines = ladder_lines(run)
    assert row(lines, "VDG")[1] == "+75.0"
    total = next(line for line in lines if "sum of steps" in line)
    assert "+100.0" in total
    assert "VDG where all four were judged" in total
    assert row(lines, "temporal")[1] == "+33.3"


def test_one_video_gives_no_narrow_steps() -> None:
    """A hundred questions on one video count as one in every interval."""
    cells = dict.fromkeys(FULL.conditions, "CCWW") | {"original": "CCCC"}
    lines = ladder_lines(make_run(cells, per_video=4))
    # Tango's lower end with all of one effective question gained:
    # (1 - z²)/(1 + z²), z² = 3.8415, is below that of any half.
    assert row(lines, "temporal")[1] == "+50.0"
    assert float(row(lines, "temporal")[2].strip("[,")) < 0


def test_conditions_with_an_argument_take_their_rung() -> None:
    """The middle frame repeated is a single frame; the line says which."""
    run = make_run(
        {"black": "W" * 20, "single_frame:middle": "C" * 20, "compressed:28": "C" * 20}
    )
    lines = ladder_lines(run)
    assert row(lines, "spatial")[-3:] == ["single_frame:middle", "-", "black"]
    assert row(lines, "compressed:28")[1] == "1.00"


@pytest.mark.parametrize(
    "run",
    [
        FULL,
        make_run({"original": "C", "black": "W"}),
        make_run({"original": "CCC", "black": "CCC"}, per_video=3),
        make_run({"original": "UUU"}),
        make_run({"original": ""}),
    ],
)
def test_lines_are_plain_and_without_nan(run: Run) -> None:
    """One question, one video, no variation, no answer, nothing at all."""
    lines = ladder_lines(run)
    assert all(line.isascii() and "nan" not in line for line in lines)
    assert all(len(line) <= 100 for line in lines)


def test_one_question_on_one_video_is_no_plural() -> None:
    """Numbers agree with their nouns."""
    told = ladder_lines(make_run({"original": "C"}))[2]
    assert told.startswith("all tasks: n=1 question, 1 video, ")
