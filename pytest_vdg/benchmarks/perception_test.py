"""Perception Test: memory, abstraction, physics and semantics, three options each.

Apart from other loaders because some of its videos show the answer at their end:
cup games must be cut at a frame that the authors publish in a file of its own.
Without that frame such a question is refused. The test part has no answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import (
    Record,
    kept,
    list_at,
    name_at,
    number_at,
    text_at,
)
from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_index, lettered
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import json_of, rows
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.frames.excerpt import WHOLE, Excerpt

CUTS = "cut_frame_mapping_*.json"
"""Where the authors say at which frame a video is cut: video to frame."""
EXTRA = ("reasoning", "tag", "is_cup_game")

_Cuts = Mapping[str, object]


def load(source: Source) -> Benchmark:
    """Read the authors' objects, a video each, or a table with a row a question."""
    assert source.path is not None
    records = Records("perception-test", source.on_bad)
    part = PERCEPTION_TEST.variant(source)
    files = annotation_files(
        source.path,
        *(f"{folder}{kind}_{part}.json" for folder in _BELOW for kind in _KINDS),
        *(("mc_question_val/*.parquet", "data/*.parquet") if part == "valid" else ()),
    )
    folder = folder_of(files[0], below=("annotations", "mc_question_val", "data"))
    root = video_folder(source, folder, "videos")
    videos = Files(root)
    cuts = _cuts(records, {folder, files[0].parent})
    for path in files:
        for place, record in _records(records, path, cuts):
            make = partial(_question, record, videos, cuts)
            records.keep(path.name, place, make)
    return records.benchmark(root=root)


_BELOW = ("", "annotations/")
_KINDS = ("mc_question", "all")


def _cuts(records: Records, folders: set[Path]) -> _Cuts | None:
    """Return video to frame from all files that say so; None where there is none."""
    files = [file for folder in sorted(folders) for file in sorted(folder.glob(CUTS))]
    cuts: dict[str, object] = {}
    for file in files:
        found = json_of(records, file)
        if not isinstance(found, dict):
            raise BenchmarkError(f"{file}: must hold an object, got {shown(found)}")
        cuts.update(found)
    return cuts if files else None


def _records(
    records: Records, path: Path, cuts: _Cuts | None
) -> Iterator[tuple[str, Record]]:
    if path.suffix.lower() == ".json":
        yield from _nested(records, path)
        return
    if cuts is None:
        raise BenchmarkError(
            f"{path}: some videos are cup games, which show the answer at their end, "
            f"and a table does not say which. Put the authors' {CUTS} beside it"
        )
    yield from rows(records, path)


def _nested(records: Records, path: Path) -> Iterator[tuple[str, Record]]:
    videos = json_of(records, path)
    if not isinstance(videos, dict):
        raise BenchmarkError(
            f"{path}: must hold an object of videos, got {shown(videos)}"
        )
    for video, record in videos.items():
        place = f"video {shown(video)}"
        about = record.get("metadata", {}) if isinstance(record, dict) else None
        # A video without questions of this kind has other tasks.
        asked = record.get("mc_question", []) if isinstance(record, dict) else None
        if not isinstance(about, dict) or not isinstance(asked, list):
            reason = f"must hold metadata and a list mc_question, got {shown(record)}"
            records.bad(path.name, place, reason)
            continue
        for number, question in enumerate(asked, 1):
            inner = f"{place} question {number}"
            if isinstance(question, dict):
                yield inner, {**about, **question, "video_name": video}
            else:
                reason = f"must be an object, got {shown(question)}"
                records.bad(path.name, inner, reason)


def _question(record: Record, videos: Files, cuts: _Cuts | None) -> Question:
    video = text_at(record, "video_name")
    number = name_at(record, "id" if "id" in record else "question_id")
    if record.get("answer_id") is None:
        raise BenchmarkError(
            "has no 'answer_id': answers of the test part are not public; use the "
            "validation part"
        )
    options = lettered(list_at(record, "options"))
    answer = options[by_index(record["answer_id"], len(options))].label
    return Question(
        id=f"{video}/{number}",
        text=text_at(record, "question"),
        options=options,
        answer=answer,
        task=text_at(record, "area"),
        video=videos.with_ending(video, ".mp4", VIDEO_ENDINGS),
        excerpt=_excerpt(record, video, cuts),
        extra=kept(record, EXTRA),
    )


def _excerpt(record: Record, video: str, cuts: _Cuts | None) -> Excerpt:
    """Return what of *video* is shown: all, or what lies before its cut."""
    game = record.get("is_cup_game")
    frame = None if cuts is None else cuts.get(video)
    if game in (False, 0) and frame in (None, -1):
        return WHOLE
    # A table says nothing of games; a video that is not to be cut is none.
    if game is None and frame is None and cuts is not None:
        return WHOLE
    if isinstance(frame, bool) or not isinstance(frame, int) or frame < 1:
        said = "nothing" if frame is None else shown(frame)
        raise BenchmarkError(
            "is about a cup game, which shows the answer at its end, and the frame to "
            f"cut it at is not known: {CUTS} says {said}"
        )
    if "frame_rate" not in record:
        raise BenchmarkError(
            f"is to be cut at frame {frame}, and its record has no 'frame_rate': use "
            "the authors' mc_question_valid.json"
        )
    rate = number_at(record, "frame_rate")
    if rate <= 0:
        raise BenchmarkError(f"frame_rate must be above 0, got {rate}")
    return Excerpt(end_s=frame / rate)


PERCEPTION_TEST = Published(
    name="perception-test",
    title="Perception Test (multiple choice)",
    load=load,
    expects=(
        "mc_question_valid.json        or all_valid.json (or data/*.parquet)\n"
        "cut_frame_mapping_valid.json  where cup games are cut\n"
        "videos/                       as video_1.mp4"
    ),
    published=(
        "GitHub google-deepmind/perception_test; Hugging Face data set "
        "lmms-lab/PerceptionTest_Val"
    ),
    variants=("valid", "train"),
)
