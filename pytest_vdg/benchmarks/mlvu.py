"""MLVU, development part: films and surveillance of minutes to hours, seven tasks.

Apart from other loaders because each task is a file and a folder of videos of
its own, and because two of its tasks ask for free text, which is left out and
told. The answers of its test part are not public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._content_ids import ContentIds
from pytest_vdg.benchmarks._fields import Record, kept, list_at, text_at
from pytest_vdg.benchmarks.layout import (
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_label, by_text, lettered
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import BenchmarkError

PROMPT = PromptStyle(
    template=(
        "Question: {{ question }}\n"
        "Options:\n"
        "{% for option in options %}({{ option.label }}) {{ option.text }}\n"
        "{% endfor %}"
        "{{ instruction }}"
    ),
    instruction="Only give the best option.",
)
"""The authors' words, without the system prompt and the opened bracket that they
give to one family of models."""

CHOICE = (
    "1_plotQA",
    "2_needle",
    "3_ego",
    "4_count",
    "5_order",
    "6_anomaly_reco",
    "7_topic_reasoning",
)
"""Files of the tasks with options."""
FREE_TEXT = {"8_sub_scene": "subPlot", "9_summary": "summary"}
"""File to task that asks for free text."""
TASKS = {"findNeedle": "needle"}
"""What the authors' tables call a task, where the records say otherwise."""

_NO_OPTIONS = "asks for free text and has no options: left out"
_FIRST_OPTION = re.compile(r"\n\s*(?:Options:\s*\n\s*)?\(?A[.)]\s")


def load(source: Source) -> Benchmark:
    """Read the files of the seven tasks with options, or one table of all."""
    assert source.path is not None
    records = Records("mlvu", source.on_bad)
    files = annotation_files(
        source.path,
        "json/[1-9]_*.json",
        "data/[1-9]_*.json",
        "[1-9]_*.json",
        "data/*.parquet",
        "*.parquet",
    )
    folder = folder_of(files[0], below=("json", "data"))
    root = video_folder(source, folder, "video", "videos")
    videos, ids = _Videos(root), ContentIds()
    _note_missing(records, source.path, files)
    for path in files:
        if path.stem in FREE_TEXT:
            records.aside(path.name, "the whole file", _NO_OPTIONS)
            continue
        for place, record in rows(records, path):
            if _is_free_text(record):
                records.aside(path.name, place, _NO_OPTIONS)
                continue
            odd = partial(records.odd, path.name, place)
            make = partial(_question, record, path.stem, videos, ids, odd)
            records.keep(path.name, place, make)
    return records.benchmark(root=root, prompt=PROMPT)


def _note_missing(records: Records, path: Path, files: Sequence[Path]) -> None:
    """Note each task of which a folder of files has none."""
    if path.is_file() or files[0].suffix.lower() != ".json":
        return
    numbers = {file.name.partition("_")[0] for file in files}
    for name in CHOICE:
        if name.partition("_")[0] not in numbers:
            reason = f"is not in {files[0].parent.name}/: the task is left out"
            records.aside(f"{name}.json", "the whole file", reason)


class _Videos:
    """In which folder the videos of each task lie."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._top = Files(root)
        self._folders: dict[str, Files] = {}

    def path(self, stem: str, name: str) -> str:
        """Return the path of video *name* of the task in the file called *stem*."""
        for folder in (stem, stem.partition("_")[2]):
            if folder and folder in self._top:
                return f"{folder}/{name}"
        return name if name in self._top else f"{stem}/{name}"


def _is_free_text(record: Record) -> bool:
    task = record.get("question_type", record.get("task_type"))
    return not record.get("candidates") and task in FREE_TEXT.values()


def _question(
    record: Record,
    stem: str,
    videos: _Videos,
    ids: ContentIds,
    odd: Callable[[str], None],
) -> Question:
    if "answer" not in record:
        raise BenchmarkError(
            "has no 'answer': those of the test part are not public; use the "
            "development part"
        )
    is_table = "video_name" in record
    options = lettered(list_at(record, "candidates"))
    if is_table:
        task, video = text_at(record, "task_type"), text_at(record, "video_name")
        text = _without(text_at(record, "question"), options)
        answer = by_label(record["answer"], options)
        path = video
    else:
        task, video = text_at(record, "question_type"), text_at(record, "video")
        text = text_at(record, "question")
        answer = by_text(record["answer"], options)
        path = videos.path(stem, video)
    task = TASKS.get(task, task)
    name = video.rpartition("/")[2]
    content = [text, *(option.text for option in options)]
    return Question(
        id=ids.new(f"{task}/{name}", content, answer, odd),
        text=text,
        options=options,
        answer=answer,
        task=task,
        video=path,
        extra=kept(record, ("duration", "question_id")),
    )


def _without(question: str, options: tuple[Option, ...]) -> str:
    """Return *question* without the options behind it, if it has them all there."""
    first = _FIRST_OPTION.search(question)
    if first is None:
        return question
    behind = question[first.start() :]
    # What is not the list of options stays: it belongs to the question.
    if any(option.text not in behind for option in options):
        return question
    return question[: first.start()].rstrip()


MLVU = Published(
    name="mlvu",
    title="MLVU (development part, multiple choice)",
    load=load,
    expects=(
        "json/1_plotQA.json ...  a file a task (or *.parquet, all in one)\n"
        "video/1_plotQA/ ...     videos, a folder a task"
    ),
    published=(
        "GitHub JUNJIE99/MLVU; Hugging Face data sets MLVU/MVLU and sy1998/MLVU_dev"
    ),
)
