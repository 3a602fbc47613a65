"""SUTD-TrafficQA: traffic scenes, 62,535 questions, in lines of JSON lists.

Apart from other loaders because its records have no keys: the first line names
the columns. Options are padded to four with empty text, anywhere in the list.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import name_at, numbered, text_at
from pytest_vdg.benchmarks.layout import annotation_files, folder_of, video_folder
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import jsonl_of
from pytest_vdg.errors import BenchmarkError

COLUMNS = (
    "record_id",
    "vid_id",
    "vid_filename",
    "perspective",
    "q_body",
    "q_type",
    "option0",
    "option1",
    "option2",
    "option3",
    "answer",
)
"""What the first line must say."""

KINDS = {
    "U": "basic understanding",
    "A": "attribution",
    "F": "event forecasting",
    "R": "reverse reasoning",
    "C": "counterfactual inference",
    "I": "introspection",
}
"""What ``q_type`` stands for."""


def load(source: Source) -> Benchmark:
    """Read the lines of one part, or of all."""
    assert source.path is not None
    variant = SUTD_TRAFFICQA.variant(source)
    name = f"R2_{variant}.jsonl"
    file = annotation_files(source.path, name, f"annotations/{name}")[0]
    records = Records("sutd-trafficqa", source.on_bad)
    _read(records, file)
    folder = folder_of(source.path, below=("annotations",))
    root = video_folder(source, folder, "videos", "raw_videos", "compressed_videos")
    return records.benchmark(root=root)


def _read(records: Records, file: Path) -> None:
    lines = jsonl_of(records, file)
    _, heads = next(lines, ("", None))
    if heads != list(COLUMNS):
        raise BenchmarkError(
            f"{file}: the first line must be the list of columns, "
            f"{', '.join(COLUMNS)}; got {shown(heads)}"
        )
    for place, cells in lines:
        records.keep(file.name, place, partial(_question, cells))


def _question(cells: object) -> Question:
    if not isinstance(cells, list) or len(cells) != len(COLUMNS):
        raise BenchmarkError(
            f"must be a list of {len(COLUMNS)} values, got {shown(cells)}"
        )
    number, video_id, filename, perspective, body, kind, *texts, answer = cells
    options, label = numbered(texts, answer)
    return Question(
        id=name_at({"record_id": number}, "record_id"),
        text=body,
        options=options,
        answer=label,
        task=KINDS.get(kind) or text_at({"q_type": kind}, "q_type"),
        video=filename,
        extra={"vid_id": video_id, "perspective": perspective},
    )


SUTD_TRAFFICQA = Published(
    name="sutd-trafficqa",
    title="SUTD-TrafficQA",
    load=load,
    expects=(
        "R2_test.jsonl  or R2_train.jsonl, R2_all.jsonl: a list of columns, then of\n"
        "               values, a question a line\n"
        "videos/        as b_1ZV411k741_clip_023.mp4"
    ),
    published="https://sutdcv.github.io/SUTD-TrafficQA (on request)",
    variants=("test", "train", "all"),
)
