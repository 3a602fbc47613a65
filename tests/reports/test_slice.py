"""What is said of a slice before anyone is asked, number by number."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.benchmarks.pinned import PinnedSlice
from pytest_vdg.benchmarks.schema import Benchmark, Problem, Question
from pytest_vdg.benchmarks.slices import Slice, take
from pytest_vdg.reports.slice import pinned_lines, slice_lines
from pytest_vdg.stats.proportion import wilson
from tests.benchmarks.made import question


def slice_of(root: Path, *questions: Question, **fields: object) -> Slice:
    """Return the slice of all *questions*, in the order drawn."""
    benchmark = Benchmark(
        name="made",
        root=root,
        questions=questions,
        source="made.csv sha256:0",
        **fields,  # type: ignore[arg-type]
    )
    return take(benchmark)


def many(root: Path, answers: str) -> Slice:
    """Return a slice with one question for each answer, a video each."""
    return slice_of(
        root,
        *(
            question(f"q{i}", answer=a, video=f"{i}.mp4", text=f"Q{i}?")
            for i, a in enumerate(answers)
        ),
    )


def row(lines: list[str], name: str) -> list[str]:
    """Return the cells of the line that begins with *name*."""
    return next(line.split() for line in lines if line.split()[:1] == [name])


def test_key_balance_is_counted_with_its_interval(tmp_path: Path) -> None:
    """Twelve of twenty keys are A: Wilson's interval of 12/20 stands beside it."""
    lines = slice_lines(many(tmp_path, "A" * 12 + "B" * 5 + "C" * 3))
    p = wilson(successes=12, n=20)
    ends = f"[{p.low:.2f}, {p.high:.2f}]".replace("0.", ".")
    label, estimate, *interval, offered, chance = row(lines, "A")
    assert (label, estimate, " ".join(interval)) == ("A", ".600", ends)
    assert (offered, chance) == ("20", ".333")


def test_floor_of_a_constant_answer(tmp_path: Path) -> None:
    """The best constant label and the best constant text, whatever their places."""
    texts = ({"A": "yes", "B": "no"}, {"A": "no", "B": "yes"})
    made = slice_of(
        tmp_path,
        *(
            question(f"q{i}", texts=texts[i % 2], answer="BA"[i % 2], video=f"{i}.mp4")
            for i in range(6)
        ),
    )
    floors = [line for line in slice_lines(made) if line.startswith("floor")]
    assert "always the label 'A' earns .500" in floors[0]
    assert "always the text 'no' earns 1.00" in floors[1]


def test_label_that_few_offer_is_held_against_these(tmp_path: Path) -> None:
    """A label E of one question in three is no rare answer among three."""
    five = {label: f"text {label}" for label in "ABCDE"}
    made = slice_of(
        tmp_path,
        question("q1", texts=five, answer="E", video="1.mp4"),
        question("q2", video="2.mp4"),
        question("q3", video="3.mp4"),
    )
    assert row(slice_lines(made), "E")[-2:] == ["1", ".200"]


def test_duplicates_are_told_from_questions_alike(tmp_path: Path) -> None:
    """The same words about the same video repeat; about another they do not."""
    turned = {"A": "blue", "B": "Red ", "C": "green"}
    made = slice_of(
        tmp_path,
        question("q1"),
        question("q2", texts=turned, answer="B"),
        question("q3", video="other.mp4"),
    )
    (line,) = [each for each in slice_lines(made) if each.startswith("duplicates")]
    assert line.startswith("duplicates: 1 about the same video (first: q")
    assert line.endswith("; 3 in the same words about another video")


def test_tasks_videos_and_chance_are_counted(tmp_path: Path) -> None:
    """Of each task: drawn, there, on how many videos, and what guessing earns."""
    whole = slice_of(
        tmp_path,
        *(question(f"a{i}", task="a", video=f"{i // 2}.mp4") for i in range(4)),
        question("b", task="b", texts={"A": "x", "B": "y"}),
    )
    lines = slice_lines(whole)
    assert row(lines, "a") == ["a", "4", "4", "2", ".333"]
    assert row(lines, "b") == ["b", "1", "1", "1", ".500"]
    assert "videos 3, most questions about one 2, chance .367" in lines


def test_missing_videos_are_counted(tmp_path: Path) -> None:
    """Those on disk are not named; a link that leads out is, with the reason."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "0.mp4").touch()
    (tmp_path / "root" / "1.mp4").symlink_to(tmp_path / "elsewhere.mp4")
    lines = slice_lines(many(tmp_path / "root", "ABC"))
    (line,) = [each for each in lines if each.startswith("videos:")]
    assert line.startswith("videos: 2 of 3 are not under")
    assert "0.mp4" not in line
    (reason,) = [each for each in lines if "refused" in each]
    assert "1 refused: " in reason
    assert "'1.mp4' is a link to" in reason
    assert "videos: all 1 are there" in slice_lines(many(tmp_path / "root", "A"))


def problems(n: int) -> tuple[Problem, ...]:
    """Return *n* dropped records of one kind, and an odd one."""
    dropped = tuple(
        Problem(
            file="val.csv",
            record=f"line {i}",
            reason=f"answer '{i}' is none of the options (A. {i})",
            dropped=True,
        )
        for i in range(n)
    )
    odd = Problem(file="val.csv", record="line 99", reason="odd", dropped=False)
    return (*dropped, odd)


def test_problems_are_counted_by_kind(tmp_path: Path) -> None:
    """Many records of one kind are one entry with its first three."""
    made = slice_of(tmp_path, question(), problems=problems(7))
    lines = slice_lines(made)
    start = lines.index("records left out: 7")
    assert lines[start + 1].startswith("  7 like this: val.csv, line 0: answer '0'")
    assert lines[start + 4] == "  and 4 more; --all lists them"
    assert lines[start + 5] == "records odd, but used: 1"
    everything = slice_lines(made, every_problem=True)
    assert sum("line" in line for line in everything) == 8


def test_a_pinned_file_is_shown_by_itself() -> None:
    """Without its benchmark it still says what it holds and how it was drawn."""
    rows = tuple(
        {"id": f"q{i}", "digest": "0", "task": t, "video": "v.mp4"}
        for i, t in enumerate("aab")
    )
    lines = pinned_lines(
        PinnedSlice(
            name="nightly",
            benchmark="made",
            source="val.csv sha256:0",
            drawn={"seed": 3, "tasks": None},
            rows=rows,
        )
    )
    assert lines[0] == "slice nightly of benchmark made: questions 3, videos 1"
    assert "drawn with seed=3" in lines
    assert row(lines, "a") == ["a", "2"]


@pytest.mark.parametrize("text", ["\u001b[31m", "two\nlines", "\u202e"])
def test_foreign_text_stays_plain(tmp_path: Path, text: str) -> None:
    """What a file calls its files cannot paint on a terminal."""
    bad = Problem(file=text, record=text, reason=text, dropped=True)
    made = slice_of(tmp_path, question(), problems=(bad,))
    assert "".join(slice_lines(made, every_problem=True)).isascii()
    assert not any(
        c < " " for line in slice_lines(made, every_problem=True) for c in line
    )
