"""Where a benchmark's files lie: found, or said what was looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.source import Source
from pytest_vdg.errors import BenchmarkError
from tests.benchmarks.published import touch


def test_first_pattern_with_a_file_decides(tmp_path: Path) -> None:
    """Parts of one table come together and in order, other forms are left."""
    touch(tmp_path, "t/b-1.parquet", "t/b-0.parquet", "val.csv")
    found = annotation_files(tmp_path, "none.json", "t/*.parquet", "val.csv")
    assert [path.name for path in found] == ["b-0.parquet", "b-1.parquet"]
    assert annotation_files(tmp_path / "val.csv", "none.json")[0].name == "val.csv"


def test_wrong_folder_is_told_what_was_looked_for(tmp_path: Path) -> None:
    """A folder without the files, and no folder at all, are told apart."""
    with pytest.raises(BenchmarkError, match=r"holds none of val\.csv, t/\*\.parquet"):
        annotation_files(tmp_path, "val.csv", "t/*.parquet")
    with pytest.raises(BenchmarkError, match="there is no such file or folder"):
        annotation_files(tmp_path / "none", "val.csv")


def test_folder_is_found_from_any_part_of_it(tmp_path: Path) -> None:
    """The folder, its ``json`` and a file in there mean one benchmark."""
    touch(tmp_path, "json/a.json", "val.csv")
    for part in ("", "json", "json/a.json", "val.csv"):
        assert folder_of(tmp_path / part, below=("json",)) == tmp_path


def test_videos_lie_where_the_user_says_or_where_they_are(tmp_path: Path) -> None:
    """What is given wins, then what exists, then the authors' place."""
    named = Source(path=tmp_path, videos=Path("elsewhere"))
    assert video_folder(named, tmp_path, "data", "videos") == Path("elsewhere")
    plain = Source(path=tmp_path)
    assert video_folder(plain, tmp_path, "data", "videos") == tmp_path / "data"
    (tmp_path / "videos").mkdir()
    assert video_folder(plain, tmp_path, "data", "videos") == tmp_path / "videos"


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        ((), "a.b.mp4"),
        (("a.b.mkv",), "a.b.mkv"),
        (("a.b.MP4",), "a.b.MP4"),
        (("a.b.mp4", "a.b.mkv"), "a.b.mp4"),
        (("a.b.srt", "a.b.mp4.part", "a.mkv"), "a.b.mp4"),
    ],
)
def test_ending_is_settled_by_what_is_there(
    tmp_path: Path, there: tuple[str, ...], taken: str
) -> None:
    """The published ending, unless only a video with another one is there."""
    touch(tmp_path, *there)
    assert Files(tmp_path).with_ending("a.b", ".mp4", VIDEO_ENDINGS) == taken


def test_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """Annotations can be looked at before the videos are fetched."""
    files = Files(tmp_path / "none")
    assert files.with_ending("a", ".mp4", VIDEO_ENDINGS) == "a.mp4"
    assert "a.mp4" not in files


def test_a_table_without_all_its_parts_is_refused(tmp_path: Path) -> None:
    """A download that stopped leaves another benchmark, which must not be judged."""
    touch(tmp_path, "t/test-00000-of-00003.parquet", "t/test-00002-of-00003.parquet")
    with pytest.raises(BenchmarkError, match=r"1 of 3 parts .* test-00001-of-00003"):
        annotation_files(tmp_path, "t/*.parquet")
    touch(tmp_path, "t/test-00001-of-00003.parquet")
    assert len(annotation_files(tmp_path, "t/*.parquet")) == 3
