"""Video-MME-v2: 800 videos, groups of four questions, up to eight options.

Apart from the first edition because options come as one text, and because its
questions belong together in groups.
"""

from __future__ import annotations

from functools import partial

from pytest_vdg.benchmarks._fields import Record, kept, name_at, text_at
from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_label, embedded
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import BenchmarkError

EXTRA = ("video_id", "level", "group_type", "group_structure", "third_head")

PROMPT = PromptStyle(
    template=(
        "These are the frames of a video.\n"
        "{{ instruction }}\n"
        "Question: {{ question }}\n"
        "{% for option in options %}{{ option.label }}. {{ option.text }}\n{% endfor %}"
    ),
    instruction=(
        "Select the best answer to the following multiple-choice question based on "
        "the video.\nRespond with only the letter (A, B, C, D, E, F, G, or H) of the "
        "correct option."
    ),
)
"""The prompt of the authors' page, without subtitles. Their script puts the
instruction last."""


def load(source: Source) -> Benchmark:
    """Read the table; a row is a question."""
    assert source.path is not None
    records = Records("video-mme-v2", source.on_bad)
    files = annotation_files(
        source.path, "test*.parquet", "data/*.parquet", "*/test*.parquet"
    )
    folder = folder_of(source.path, below=("data",))
    root = video_folder(source, folder, "videos", "video", ".")
    videos = Files(root)
    for path in files:
        for place, record in rows(records, path):
            records.keep(path.name, place, partial(_question, record, videos))
    return records.benchmark(root=root, prompt=PROMPT)


def _question(record: Record, videos: Files) -> Question:
    video = name_at(record, "video_id")
    # An option a line: within a line "Vitamin B. ..." may look like the next one.
    lines = text_at(record, "options").splitlines()
    options = embedded([line for line in lines if line.strip()])
    return Question(
        id=_id(video, name_at(record, "question_id")),
        text=text_at(record, "question"),
        options=options,
        answer=by_label(record["answer"], options),
        task=_task(record),
        video=videos.with_ending(video, ".mp4", VIDEO_ENDINGS),
        extra=kept(record, EXTRA),
    )


def _id(video: str, question: str) -> str:
    """Return an id that holds over all videos, whether or not *question* does."""
    whole = question.startswith((f"{video}-", f"{video}_"))
    return question if whole else f"{video}-{question}"


def _task(record: Record) -> str:
    """Return the ability that is asked for; groups of one kind have none."""
    for key in ("second_head", "group_type"):
        value = record.get(key)
        if isinstance(value, str) and value.strip() not in ("", "None"):
            return value
    raise BenchmarkError("has neither 'second_head' nor 'group_type'")


VIDEO_MME_V2 = Published(
    name="video-mme-v2",
    title="Video-MME-v2",
    load=load,
    expects=(
        "test.parquet  a question a row\n"
        "videos/       VIDEO_ID.mp4 (or in the folder itself)"
    ),
    published="Hugging Face data set MME-Benchmarks/Video-MME-v2",
)
