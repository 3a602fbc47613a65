"""What imported logs do not hold is said by every verdict. Logs are constructed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg import (
    CouldNotBeJudged,
    Run,
    assert_accuracy_above,
    assert_vdg_above,
    load_run,
    save_run,
)
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.errors import ConfigError
from pytest_vdg.logs.join import Joined, join
from pytest_vdg.logs.registry import read_log
from pytest_vdg.verdicts import Finding
from tests.logs.made import lines

OPTIONS = {"A": "red", "B": "blue"}
VIDEOS = (
    "not named in the logs: each question counts as its own, intervals may be too "
    "narrow; import with --benchmark"
)


def row(number: int, **more: object) -> dict[str, object]:
    """Return a row of a table, right throughout."""
    text = f"Which is number {number}?"
    named = {"id": f"q{number}", "question": text, "task": "uv"[number % 2]}
    return {**named, "options": OPTIONS, "answer": "A", "reply": "A", **more}


def imported(
    folder: Path,
    original: list[dict[str, object]],
    black: list[dict[str, object]] | None = None,
    **how: object,
) -> Joined:
    """Return what the rows come to; under black frames all are wrong by default."""
    black = [r | {"reply": "B"} for r in original] if black is None else black
    arms = {
        name: [read_log(lines(folder / f"{name}.jsonl", rows))]
        for name, rows in (("original", original), ("black", black))
    }
    return join(arms, checkpoint="c", slice_name="s", **how)  # type: ignore[arg-type]


def benchmark(folder: Path, n: int) -> Benchmark:
    """Return *n* questions of two tasks, two about each video."""
    options = tuple(Option(label=k, text=v) for k, v in OPTIONS.items())
    questions = tuple(
        Question(
            id=f"q{i}",
            text=f"Which is number {i}?",
            options=options,
            answer="A",
            task="uv"[i % 2],
            video=f"{i // 2}.mp4",
        )
        for i in range(n)
    )
    return Benchmark(name="mine", root=folder, questions=questions, source="")


def told_by(finding: Finding) -> str:
    """Return the message without its line ends and spaces."""
    return " ".join(finding.message.split())


def through_files(run: Run, folder: Path) -> list[Run]:
    """Return *run*, and as it is read back from a whole file and from a baseline."""
    found = [run]
    for full in (True, False):
        save_run(run, folder / "run.jsonl", full=full)
        found.append(load_run(folder / "run.jsonl"))
    return found


def test_unknown_videos_are_told_by_the_verdict(tmp_path: Path) -> None:
    """On the first line, among the evidence, and after any number of files."""
    result = imported(tmp_path, [row(i) for i in range(40)])
    assert f"videos {VIDEOS}" in result.notes
    for run in through_files(result.run, tmp_path):
        finding = assert_vdg_above(run, 0.1)
        assert finding.summary.endswith("(n=40 questions, videos unknown)")
        assert f" videos {VIDEOS}" in told_by(finding)


def test_known_videos_are_not_remarked_upon(tmp_path: Path) -> None:
    """Named by the rows or by the benchmark, or by one of two conditions."""
    rows = [row(i) for i in range(40)]
    named = [r | {"video": f"{i}.mp4"} for i, r in enumerate(rows)]
    for result in (
        imported(tmp_path, named),
        imported(tmp_path, rows, [r | {"reply": "B"} for r in named]),
        imported(tmp_path, rows, benchmark=benchmark(tmp_path, 40)),
    ):
        assert "videos" not in result.run.fingerprint.comparable
        finding = assert_vdg_above(result.run, 0.1)
        assert finding.summary.endswith(" videos)")
        assert "named in the logs" not in told_by(finding)


def test_some_unknown_videos_are_told_as_such(tmp_path: Path) -> None:
    """One row without a video is enough for an interval that is too narrow."""
    rows = [row(i, video=f"{i}.mp4") for i in range(39)] + [row(39)]
    finding = assert_vdg_above(imported(tmp_path, rows).run, 0.1)
    assert " videos not all named in the logs: each question" in told_by(finding)


def test_questions_without_a_row_are_counted(tmp_path: Path) -> None:
    """47 of 50, over all and over a task, also when read back; and nothing of 50."""
    fifty = benchmark(tmp_path, 50)
    rows = [row(i) for i in range(50) if i not in (3, 5, 8)]
    result = imported(tmp_path, rows, benchmark=fifty)
    for run in through_files(result.run, tmp_path):
        finding = assert_vdg_above(run, 0.1)
        assert (finding.n, finding.n_planned) == (47, 50)
        assert "(n=47 of 50 questions, " in finding.summary
        assert " asked the run holds 47 of 50 questions of its slice" in told_by(
            finding
        )
        seen = {t: assert_vdg_above(run, 0.1, task=t) for t in "uv"}
        assert [(f.n, f.n_planned) for f in seen.values()] == [(24, 25), (23, 25)]
    whole = imported(tmp_path, [row(i) for i in range(50)], benchmark=fifty).run
    finding = assert_accuracy_above(whole, 0.1)
    assert (whole.planned, finding.n_planned) == (None, None)
    assert "the run holds" not in told_by(finding)


def test_questions_of_one_condition_are_counted(tmp_path: Path) -> None:
    """Without any benchmark: the other condition says that they were there."""
    rows = [row(i) for i in range(100)]
    black = [r | {"reply": "B"} for r in rows[1:]]
    finding = assert_vdg_above(imported(tmp_path, rows, black).run, 0.1)
    assert (finding.n, finding.n_planned) == (99, 100)
    assert "(n=99 of 100 questions, " in finding.summary
    with pytest.raises(CouldNotBeJudged):
        assert_vdg_above(imported(tmp_path, rows, black[5:]).run, 0.1)


def test_what_was_not_needed_is_told(tmp_path: Path) -> None:
    """Whoever gave it believes that it mattered."""
    rows = [row(i) for i in range(4)]
    told = imported(tmp_path, rows, labels="ABCD").notes
    assert "--labels ABCD was not needed: the logs tell the options" in told
    bare = [{k: v for k, v in r.items() if k != "options"} for r in rows]
    told = imported(tmp_path, bare, labels="AB", benchmark=benchmark(tmp_path, 4)).notes
    assert any("not needed: benchmark 'mine' tells" in note for note in told)
    assert not any("--labels" in n for n in imported(tmp_path, bare, labels="AB").notes)
    one = [r | {"variant": "none"} for r in rows]
    told = imported(tmp_path, one, variant="none").notes
    assert "--take 'none' was not needed: there is no answer of another name" in told
    two = [*one, *(r | {"variant": "last", "reply": "B"} for r in rows)]
    assert not any("--take" in n for n in imported(tmp_path, two, variant="none").notes)


def test_a_variant_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Taking what there is instead would judge another answer."""
    rows = [row(i) for i in range(4)]
    with pytest.raises(ConfigError, match="--take 'none': no row is of that name"):
        imported(tmp_path, rows, variant="none")
    one = [r | {"variant": "none"} for r in rows]
    with pytest.raises(ConfigError, match="Did you mean 'none'"):
        imported(tmp_path, one, variant="nonee")
