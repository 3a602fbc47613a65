"""LongVideoBench: questions that refer to moments of videos up to an hour long.

Apart from other loaders because its table form pads the options, and because the
frames that a question refers to are kept: they say which moment it is about.
"""

from __future__ import annotations

from functools import partial

from pytest_vdg.benchmarks._fields import Record, kept, list_at, numbered, text_at
from pytest_vdg.benchmarks.layout import annotation_files, folder_of, video_folder
from pytest_vdg.benchmarks.options import by_index, lettered
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import BenchmarkError

PROMPT = PromptStyle(
    template=(
        "Question: {{ question }}\n"
        "{% for option in options %}{{ option.label }}. {{ option.text }}\n{% endfor %}"
        "{{ instruction }}"
    ),
    instruction=("Answer with the option's letter from the given choices directly."),
)
"""The authors' words, without the subtitles that they put between frames."""

COLUMNS = tuple(f"option{i}" for i in range(5))
"""Options of the table form; those a question lacks say ``N/A``."""
EXTRA = (
    "video_id",
    "position",
    "topic_category",
    "level",
    "duration_group",
    "duration",
    "question_wo_referring_query",
    "subtitle_path",
    "starting_timestamp_for_subtitles",
)
"""Kept beside each question; ``position`` holds the frames it refers to."""


def load(source: Source) -> Benchmark:
    """Read the validation part, whose answers are public."""
    assert source.path is not None
    records = Records("longvideobench", source.on_bad)
    files = annotation_files(
        source.path,
        "lvb_val.json",
        "validation-*.parquet",
        "data/validation-*.parquet",
        "*/validation-*.parquet",
    )
    folder = folder_of(files[0], below=("data",))
    root = video_folder(source, folder, "videos")
    for path in files:
        for place, record in rows(records, path):
            records.keep(path.name, place, partial(_question, record))
    return records.benchmark(root=root, prompt=PROMPT)


def _question(record: Record) -> Question:
    right = record.get("correct_choice")
    if right is None or right == -1:
        raise BenchmarkError(
            "has no 'correct_choice': answers of the test part are not public; use "
            "the validation part"
        )
    if "candidates" in record:
        options = lettered(list_at(record, "candidates"))
        answer = options[by_index(right, len(options))].label
    else:
        texts = [record[name] for name in COLUMNS]
        options, answer = numbered(texts, right, padding=("", "N/A"))
    if record.get("video_path") is None:
        video = f"{text_at(record, 'video_id')}.mp4"
    else:
        video = text_at(record, "video_path")
    return Question(
        id=text_at(record, "id"),
        text=text_at(record, "question"),
        options=options,
        answer=answer,
        task=text_at(record, "question_category"),
        video=video,
        extra=kept(record, EXTRA),
    )


LONGVIDEOBENCH = Published(
    name="longvideobench",
    title="LongVideoBench (validation part)",
    load=load,
    expects=(
        "lvb_val.json  a list of questions (or validation-*.parquet)\n"
        "videos/       as the records name them, e.g. 86CxyhFV9MI.mp4"
    ),
    published="Hugging Face data set longvideobench/LongVideoBench",
)
