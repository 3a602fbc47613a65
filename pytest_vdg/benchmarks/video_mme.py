"""Video-MME: 900 videos of seconds to an hour, three questions each.

Apart from its second edition, ``video_mme_v2.py``, which shares the name and
neither questions nor form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, kept, list_at, name_at, text_at
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

EXTRA = ("video_id", "duration", "domain", "sub_category")

PROMPT = PromptStyle(
    template=(
        "{{ instruction }}\n"
        "{{ question }}\n"
        "{% for option in options %}{{ option.label }}. {{ option.text }}\n{% endfor %}"
        "The best answer is:"
    ),
    instruction=(
        "Select the best answer to the following multiple-choice question based on "
        "the video. Respond with only the letter (A, B, C, or D) of the correct option."
    ),
)
"""The authors' prompt without subtitles."""


def load(source: Source) -> Benchmark:
    """Read the table, or the authors' list of videos with their questions."""
    assert source.path is not None
    records = Records("video-mme", source.on_bad)
    files = annotation_files(
        source.path,
        "videomme/*.parquet",
        "test*.parquet",
        "data/*.parquet",
        "output_test_template.json",
    )
    folder = folder_of(files[0], below=("videomme", "data"))
    root = video_folder(source, folder, "data", "videos")
    videos = Files(root)
    for path in files:
        for place, record in _records(records, path):
            records.keep(path.name, place, partial(_question, record, videos))
    return records.benchmark(root=root, prompt=PROMPT)


def _records(records: Records, path: Path) -> Iterator[tuple[str, Record]]:
    """Yield the record of each question, with what its video says of all three."""
    for place, record in rows(records, path):
        if "questions" not in record:
            yield place, record
            continue
        try:
            asked = list_at(record, "questions")
        except BenchmarkError as error:
            records.bad(path.name, place, str(error))
            continue
        if not asked:
            records.bad(path.name, place, "questions is an empty list")
        for number, question in enumerate(asked, 1):
            inner = f"{place} question {number}"
            if isinstance(question, dict):
                yield inner, {**record, **question}
            else:
                reason = f"must be an object, got {shown(question)}"
                records.bad(path.name, inner, reason)


def _question(record: Record, videos: Files) -> Question:
    options = embedded(list_at(record, "options"))
    # The authors' list has no YouTube ids; videos fetched for it bear its numbers.
    name = name_at(record, "videoID" if "videoID" in record else "video_id")
    return Question(
        id=text_at(record, "question_id"),
        text=text_at(record, "question"),
        options=options,
        answer=by_label(record["answer"], options),
        task=text_at(record, "task_type"),
        video=videos.with_ending(name, ".mp4", VIDEO_ENDINGS),
        extra=kept(record, EXTRA),
    )


VIDEO_MME = Published(
    name="video-mme",
    title="Video-MME",
    load=load,
    expects=(
        "videomme/test-*.parquet  a question a row\n"
        "                         (or output_test_template.json, a video a record)\n"
        "data/                    videos, as YOUTUBE_ID.mp4"
    ),
    published="Hugging Face data set lmms-lab/Video-MME",
)
