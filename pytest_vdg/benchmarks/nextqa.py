"""NExT-QA, multiple choice: why, how and when things happen in everyday videos.

Apart from the other tables because its videos are named by a second file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, kept, name_at, numbered, text_at
from pytest_vdg.benchmarks.layout import (
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import json_of, rows
from pytest_vdg.errors import BenchmarkError, ConfigError

MAP = "map_vid_vidorID.json"
"""Number of a video to its place, such as ``0101/2909445186``."""
OPTIONS = ("a0", "a1", "a2", "a3", "a4")
EXTRA = ("frame_count", "width", "height")


def load(source: Source) -> Benchmark:
    """Read ``val.csv`` or ``test.csv``, and the map of videos where there is one."""
    assert source.path is not None
    records = Records("nextqa", source.on_bad)
    wanted = _wanted(source, source.path)
    files = annotation_files(
        source.path, f"{wanted}.csv", f"MC/{wanted}*.parquet", f"{wanted}*.parquet"
    )
    folder = folder_of(files[0], below=("MC",))
    root = video_folder(source, folder, "NExTVideo", "videos")
    videos = _Videos(root, _map(records, folder / MAP))
    for path in files:
        for place, record in rows(records, path):
            records.keep(path.name, place, partial(_question, record, videos))
    return records.benchmark(root=root)


class _Videos:
    """Where each video lies under the folder of videos."""

    def __init__(self, root: Path, places: Mapping[str, object] | None) -> None:
        self._places = places
        self._beside = Files(root)

    def path(self, number: str) -> str:
        """Return the path of the video of that *number*."""
        flat = f"{number}.mp4"
        if self._places is None:
            return flat
        place = self._places.get(number)
        if not isinstance(place, str):
            raise BenchmarkError(f"video {shown(number)} has no place in {MAP}")
        # Some copies of the videos have no subfolders, and come with the map.
        if flat in self._beside and place.partition("/")[0] not in self._beside:
            return flat
        return f"{place}.mp4"


def _question(record: Record, videos: _Videos) -> Question:
    number = name_at(record, "video")
    options, answer = numbered([record[key] for key in OPTIONS], record["answer"])
    return Question(
        id=f"{number}_{name_at(record, 'qid')}",
        text=text_at(record, "question"),
        options=options,
        answer=answer,
        task=text_at(record, "type"),
        video=videos.path(number),
        extra=kept(record, EXTRA),
    )


def _wanted(source: Source, path: Path) -> str:
    """Return which part is read; a file named after a part must be that one."""
    wanted = NEXTQA.variant(source)
    named = path.stem.partition("-")[0]
    if (
        path.is_file()
        and named in NEXTQA.variants
        and source.variant
        not in (
            None,
            named,
        )
    ):
        raise ConfigError(
            f"variant {wanted!r} of 'nextqa' was asked for, but {path} holds {named!r}"
        )
    return wanted


def _map(records: Records, path: Path) -> Mapping[str, object] | None:
    if not path.is_file():
        return None
    places = json_of(records, path)
    if not isinstance(places, dict):
        raise BenchmarkError(f"{path}: must hold an object, got {shown(places)}")
    return places


NEXTQA = Published(
    name="nextqa",
    title="NExT-QA (multiple choice)",
    load=load,
    expects=(
        "val.csv or test.csv     a question a line (or MC/test-*.parquet)\n"
        f"{MAP}  where each video lies; if it is not there, NUMBER.mp4\n"
        "NExTVideo/              videos, as 0101/2909445186.mp4"
    ),
    published="GitHub doc-doc/NExT-QA; Hugging Face data set lmms-lab/NExTQA",
    variants=("val", "test"),
)
