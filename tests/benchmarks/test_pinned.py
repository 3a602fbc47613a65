"""A slice in a file: small, whole, and loud when its questions changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.pinned import load_slice, read_pinned, save_slice
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.errors import BenchmarkError, StoreError
from tests.benchmarks.made import benchmark, question


@pytest.fixture
def made() -> Benchmark:
    """Return a benchmark of nine questions."""
    return benchmark({"a": 6, "b": 3})


@pytest.fixture
def path(made: Benchmark, tmp_path: Path) -> Path:
    """Return the file of a slice of four of them."""
    file = tmp_path / "slices" / "four.jsonl"
    save_slice(take(made, questions=4, seed=2), file)
    return file


def refusal(made: Benchmark, path: Path) -> str:
    """Return what loading the slice is refused with."""
    with pytest.raises(BenchmarkError) as caught:
        load_slice(made, path)
    return str(caught.value)


def changed(made: Benchmark, question_id: str, **fields: object) -> Benchmark:
    """Return the benchmark with one question changed."""
    return replace(
        made,
        questions=tuple(
            replace(q, **fields) if q.id == question_id else q  # type: ignore[arg-type]
            for q in made.questions
        ),
    )


def test_what_is_saved_is_loaded(made: Benchmark, path: Path) -> None:
    """Ids in the order drawn, name and how it was drawn; nothing to be told."""
    drawn, loaded = take(made, questions=4, seed=2), load_slice(made, path)
    assert (loaded.ids, loaded.name, loaded.digest) == (
        drawn.ids,
        drawn.name,
        drawn.digest,
    )
    assert loaded.drawn == drawn.drawn
    assert loaded.notes == ()


def test_the_file_is_for_reviewers(made: Benchmark, path: Path) -> None:
    """A header, then a short line a question; another file of the same is equal."""
    header, *rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert header["questions"] == len(rows) == 4
    assert [sorted(row) for row in rows] == [["digest", "id", "task", "video"]] * 4
    again = path.with_name("again.jsonl")
    save_slice(load_slice(made, path), again)
    assert again.read_bytes() == path.read_bytes()


def test_the_rest_of_the_benchmark_may_change(made: Benchmark, path: Path) -> None:
    """A corrected question outside the slice is told, and changes nothing."""
    pinned = load_slice(made, path).ids
    other = next(q.id for q in made.questions if q.id not in pinned)
    newer = replace(changed(made, other, text="Corrected?"), source="made 2")
    loaded = load_slice(newer, path)
    assert loaded.ids == pinned
    (note,) = loaded.notes
    assert "annotations changed" in note
    assert "none of its questions did" in note


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": "What now?"}, "its text, options, answer or excerpt changed"),
        ({"answer": "C"}, "its text, options, answer or excerpt changed"),
        ({"task": "other"}, "its task was 'a', is 'other'"),
        ({"video": "other.mp4"}, "is 'other.mp4'"),
    ],
)
def test_a_changed_question_is_noticed(
    made: Benchmark, path: Path, fields: dict[str, object], said: str
) -> None:
    """Each is named with what changed of it."""
    one = next(i for i in load_slice(made, path).ids if i.startswith("a"))
    message = refusal(changed(made, one, **fields), path)
    assert "1 of 4 questions" in message
    assert f"{one!r}: " in message
    assert said in message


def test_a_missing_question_is_noticed(made: Benchmark, path: Path) -> None:
    """An id that is gone is no reason to ask fewer questions."""
    one = load_slice(made, path).ids[0]
    fewer = replace(made, questions=tuple(q for q in made.questions if q.id != one))
    assert f"{one!r} is not there any more" in refusal(fewer, path)


def test_many_changes_are_counted(tmp_path: Path) -> None:
    """Another benchmark altogether is twenty lines, not thousands."""
    save_slice(take(benchmark({"a": 50})), tmp_path / "s.jsonl")
    message = refusal(benchmark({"b": 3}), tmp_path / "s.jsonl")
    assert "50 of 50 questions" in message
    assert "and 30 more" in message
    assert len(message.splitlines()) == 23


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: "", "is no file of `vdg slice --to`"),
        (lambda text: "[1]", "a line must hold one object"),
        (lambda text: "{", "not JSON"),
        (lambda text: '{"format": "pytest-vdg run"}', "is no file of `vdg slice"),
        (lambda text: text.replace('"version":1', '"version":2'), "version 2"),
        (lambda text: text.rsplit("\n", 2)[0], "cut off"),
        (lambda text: text[:-20], "not JSON"),
        (lambda text: text.replace('"task":"b"', '"tusk":"b"'), "a question has"),
        (lambda text: text.replace('"id":"b-', '"id":["b"],"x":"b-'), "a question has"),
        (lambda text: text.replace('"made"', "4"), "edited"),
    ],
)
def test_a_damaged_file_is_refused(path: Path, damage: object, said: str) -> None:
    """Half a file is no smaller slice."""
    path.write_text(damage(path.read_text()))  # type: ignore[operator]
    with pytest.raises(BenchmarkError, match=said):
        read_pinned(path)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """No content of a file raises anything but our own error."""
    path = tmp_path_factory.mktemp("any") / "s.jsonl"
    path.write_bytes(content)
    with pytest.raises(BenchmarkError):
        read_pinned(path)


def test_missing_files_and_places_are_said(made: Benchmark, tmp_path: Path) -> None:
    """What cannot be read or written is our error with its path."""
    assert "No such file" in refusal(made, tmp_path / "none.jsonl")
    (tmp_path / "nine.jsonl").write_text("")
    assert "Did you mean" in refusal(made, tmp_path / "nien.jsonl")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        save_slice(take(made), tmp_path / "file" / "s.jsonl")


def test_names_in_any_script_survive(tmp_path: Path) -> None:
    """Ids and videos are text of any language, written as people read it."""
    made = Benchmark(
        name="m\u00fcnchen",
        root=tmp_path,
        questions=(question("\u95ee1", video="\u00e4/\u95ee.mp4", task="t\u00fc"),),
        source="made",
    )
    save_slice(take(made), tmp_path / "s.jsonl")
    assert "\u95ee1" in (tmp_path / "s.jsonl").read_text(encoding="utf-8")
    assert load_slice(made, tmp_path / "s.jsonl").ids == ("\u95ee1",)
