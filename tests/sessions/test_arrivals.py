"""Which folders are checkpoints, when they are whole, and what they lack."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.sessions.arrivals import (
    Settling,
    arrivals,
    lacking,
    stamp_of,
    step_of,
    whole,
)

MODEL = ("config.json", "model.safetensors")
PROCESSOR = ("processor_config.json", "chat_template.jinja")
WORDS = ("tokenizer.json", "tokenizer_config.json")


def made(folder: Path, *names: str) -> Path:
    """Make *folder* with files of these names, each holding its own path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(str(folder / name), encoding="utf-8")
    return folder


@given(numbers=st.lists(st.integers(0, 10**6), unique=True, max_size=5))
def test_checkpoints_come_in_natural_order(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[int]
) -> None:
    """By their numbers as numbers: 500 before 1000, whenever they were written."""
    folder = tmp_path_factory.mktemp("run")
    for number in numbers:
        made(folder / f"checkpoint-{number}")
    assert [step_of(path) for path in arrivals(folder)] == sorted(numbers)


def test_a_name_may_hold_what_only_looks_like_a_number(tmp_path: Path) -> None:
    """A raised two is a digit to some and a number to none: it ends no watch."""
    for name in ("lr²", "²", "2"):
        made(tmp_path / name, *MODEL)
    assert {path.name for path in arrivals(tmp_path)} == {"lr²", "²", "2"}


def test_only_checkpoints_are_taken(tmp_path: Path) -> None:
    """Logs, folders on their way and second names are none."""
    made(tmp_path / "best", *MODEL)
    made(tmp_path / "checkpoint-5")
    made(tmp_path / "runs", "events.out")
    made(tmp_path / "tmp-checkpoint-10", *MODEL)
    made(tmp_path / ".checkpoint-10.partial", *MODEL)
    (tmp_path / "checkpoint-notes.txt").touch()
    (tmp_path / "latest").symlink_to("checkpoint-5")
    (tmp_path / "checkpoint-all").symlink_to(".")
    assert [path.name for path in arrivals(tmp_path)] == ["best", "checkpoint-5"]


def test_a_model_saved_beside_its_checkpoints_is_the_last(tmp_path: Path) -> None:
    """What the training leaves at its end, in the folder itself, is judged too."""
    made(tmp_path, *MODEL)
    made(tmp_path / "checkpoint-5", *MODEL)
    assert arrivals(tmp_path) == [tmp_path / "checkpoint-5", tmp_path]


def test_an_adapter_saved_beside_its_checkpoints_is_the_last(tmp_path: Path) -> None:
    """A trainer that saves adapters writes no ``config.json``."""
    (tmp_path / "checkpoint-10").mkdir()
    (tmp_path / "adapter_config.json").write_text("{}")
    assert arrivals(tmp_path) == [tmp_path / "checkpoint-10"]
    (tmp_path / "adapter_model.safetensors").write_text("")
    assert arrivals(tmp_path) == [tmp_path / "checkpoint-10", tmp_path]


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    """A disk that is away for a moment does not end the watch."""
    assert arrivals(tmp_path / "gone") == []
    assert stamp_of(tmp_path / "gone") is None


def test_the_step_is_in_the_name_or_in_the_notes(tmp_path: Path) -> None:
    """A folder called otherwise has the step that its trainer noted."""
    best = made(tmp_path / "best")
    assert step_of(best) is None
    state = json.dumps({"global_step": 70})
    (best / "trainer_state.json").write_text(state, encoding="utf-8")
    assert step_of(best) == 70
    (best / "trainer_state.json").write_text('{"global_st', encoding="utf-8")
    assert step_of(best) is None


def test_a_folder_settles_when_nothing_is_written(tmp_path: Path) -> None:
    """Thirty seconds after its last file, and not before."""
    folder = made(tmp_path / "checkpoint-5", *MODEL)
    last = max(path.stat().st_ctime for path in folder.iterdir())
    stamp = stamp_of(folder)
    assert stamp is not None
    early = Settling(seconds=30, now=lambda: last + 29)
    late = Settling(seconds=30, now=lambda: last + 31)
    assert not early.settled(folder, stamp)
    assert late.settled(folder, stamp)


def test_a_copy_with_old_times_is_not_taken_for_old(tmp_path: Path) -> None:
    """A program that copies sets back the time of the content, not of the change."""
    folder = made(tmp_path / "checkpoint-5", *MODEL)
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    stamp = stamp_of(folder)
    assert stamp is not None
    assert not Settling(seconds=3600).settled(folder, stamp)


def test_a_clock_that_is_ahead_is_waited_out(tmp_path: Path) -> None:
    """Files from the future settle after they were seen unchanged for long enough."""
    folder = made(tmp_path / "checkpoint-5", *MODEL)
    ahead, now = folder.stat().st_ctime - 3600, [0.0]
    settling = Settling(seconds=30, now=lambda: ahead, steady=lambda: now[0])
    stamp = stamp_of(folder)
    assert stamp is not None
    assert not settling.settled(folder, stamp)
    now[0] += 31
    assert settling.settled(folder, stamp)
    made(folder, "more.safetensors")
    changed = stamp_of(folder)
    assert changed is not None
    assert not settling.settled(folder, changed)


def test_a_clock_that_is_set_back_holds_nothing_up(tmp_path: Path) -> None:
    """An hour that comes twice costs as long as any other moment."""
    folder = made(tmp_path / "checkpoint-5", *MODEL)
    wall, steady = [folder.stat().st_ctime + 1], [0.0]
    settling = Settling(seconds=30, now=lambda: wall[0], steady=lambda: steady[0])
    stamp = stamp_of(folder)
    assert stamp is not None
    assert not settling.settled(folder, stamp)
    wall[0], steady[0] = wall[0] - 3600 + 31, 31
    assert settling.settled(folder, stamp)


def test_an_empty_folder_never_settles(tmp_path: Path) -> None:
    """It has been made, and what goes into it is still to come; if it ever does."""
    folder = made(tmp_path / "checkpoint-5")
    now = [0.0]
    settling = Settling(seconds=30, steady=lambda: now[0])
    assert not settling.given_up(folder, ())
    now[0] = 31
    assert not settling.settled(folder, stamp_of(folder) or ())
    assert settling.given_up(folder, ())
    made(folder, *MODEL)
    assert not settling.given_up(folder, stamp_of(folder) or ())


def test_what_is_lacking_comes_from_the_folder_above(tmp_path: Path) -> None:
    """The checkpoint's own files come first; nothing is written to either folder."""
    made(tmp_path, *PROCESSOR, *WORDS)
    folder = made(tmp_path / "checkpoint-5", *MODEL, *WORDS)
    before = stamp_of(tmp_path), stamp_of(folder)
    assert lacking(folder) == ["processor"]
    with whole(folder, [tmp_path]) as (joined, source):
        assert joined.name == "checkpoint-5"
        read = {
            path.name: path.read_text(encoding="utf-8") for path in joined.iterdir()
        }
    assert source == f"processor of {tmp_path}"
    assert sorted(read) == sorted((*MODEL, *WORDS, *PROCESSOR))
    for name in (*MODEL, *WORDS):
        assert read[name] == str(folder / name)
    for name in PROCESSOR:
        assert read[name] == str(tmp_path / name)
    assert (stamp_of(tmp_path), stamp_of(folder)) == before
    assert not joined.exists()


def test_a_named_processor_comes_before_that_above(tmp_path: Path) -> None:
    """The first folder that lacks nothing is taken, and named."""
    made(tmp_path, *PROCESSOR, *WORDS)
    half, base = made(tmp_path / "half", *WORDS), made(tmp_path / "base", *PROCESSOR)
    made(base, *WORDS)
    folder = made(tmp_path / "checkpoint-5", *MODEL)
    with whole(folder, [half, base, tmp_path]) as (_, source):
        assert source == f"processor and tokenizer of {base}"


def test_a_whole_checkpoint_is_asked_where_it_lies(tmp_path: Path) -> None:
    """Also one that nobody can complete: what is wrong with it is then told."""
    folder = made(tmp_path / "checkpoint-5", *MODEL, *PROCESSOR, *WORDS)
    with whole(folder, [tmp_path]) as (asked, source):
        assert (asked, source) == (folder, "")
    bare = made(tmp_path / "checkpoint-6", *MODEL)
    with whole(bare, [tmp_path]) as (asked, source):
        assert (asked, source) == (bare, "")
