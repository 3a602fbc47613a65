"""Benchmarks of one list for each task, the answer given by its text.

MVBench made this form and TVBench took it over. Apart from both so that what
they share (records, bounds, prompt) is read and said in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, kept, list_at, number_at, text_at
from pytest_vdg.benchmarks.options import by_text, lettered, without_padding
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.tables import list_of
from pytest_vdg.errors import BenchmarkError, did_you_mean
from pytest_vdg.frames.excerpt import WHOLE, Excerpt

EXTRA = ("question_id", "accurate_start", "accurate_end")

PROMPT = PromptStyle(
    template=(
        "Carefully watch the video and pay attention to the cause and sequence of "
        "events, the detail and movement of objects, and the action and pose of "
        "persons. Based on your observations, select the best option that accurately "
        "addresses the question.\n"
        "Question: {{ question }}\n"
        "Options:\n"
        "{% for option in options %}({{ option.label }}) {{ option.text }}\n"
        "{% endfor %}{{ instruction }}"
    ),
    instruction="Only give the best option.",
)
"""The authors' prompt. They also begin the reply, with ``Best option:(``; that is
left out, as chat models and servers do not let us."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a benchmark says of all questions of one task."""

    folder: str
    """Where its videos lie under the folder of videos."""
    bounded: bool = False
    """Whether a question is about the part from ``start`` to ``end``."""
    picture_rate: float | None = None
    """Pictures a second, where its videos are folders of pictures."""
    ending: str | None = None
    """Ending that all its videos have, where records may still name another."""


def task_files(
    records: Records, path: Path, tasks: Mapping[str, Task]
) -> dict[str, Path]:
    """Return task to its file, for one file or for all in a folder.

    A task without a file is a bad record; a file of no task is told and not read.
    """
    if path.is_file():
        if path.stem not in tasks:
            hint = did_you_mean(path.stem, tasks)
            raise BenchmarkError(f"{path}: {path.stem!r} is no task.{hint}")
        return {path.stem: path}
    folder = path / "json" if (path / "json").is_dir() else path
    found = {p.stem: p for p in sorted(folder.glob("*.json")) if p.is_file()}
    if not set(found) & set(tasks):
        raise BenchmarkError(
            f"{folder}: holds no list of questions such as {next(iter(tasks))}.json. "
            "Give the benchmark's folder, or one of these files"
        )
    for task in tasks:
        if task not in found:
            records.bad(f"{task}.json", "file", f"is not in {folder.name}/")
    for task in found:
        if task not in tasks:
            records.odd(f"{task}.json", "file", "is of no task, and was not read")
    return {task: found[task] for task in tasks if task in found}


def read_task(
    records: Records,
    path: Path,
    name: str,
    task: Task,
    place: Callable[[str], str],
) -> None:
    """Keep the questions in the list at *path*.

    *place* gives a video's path under the folder of videos.
    """
    for index, record in enumerate(list_of(records, path)):
        where = f"record {index + 1}"
        if not isinstance(record, dict):
            reason = f"must be an object, got {shown(record)}"
            records.bad(path.name, where, reason)
            continue
        records.keep(
            path.name,
            where,
            partial(_question, record, f"{name}-{index}", name, task, place),
        )
        _remark(records, path.name, where, record)


def _question(
    record: Record, key: str, name: str, task: Task, place: Callable[[str], str]
) -> Question:
    texts = without_padding(list_at(record, "candidates"))
    options = lettered(list(texts.values()))
    return Question(
        id=key,
        text=text_at(record, "question"),
        options=options,
        answer=by_text(record["answer"], options),
        task=name,
        video=place(text_at(record, "video")),
        excerpt=_excerpt(record, task),
        extra=kept(record, EXTRA),
    )


def _excerpt(record: Record, task: Task) -> Excerpt:
    if not task.bounded:
        if task.picture_rate is None:
            return WHOLE
        return Excerpt(picture_rate=task.picture_rate)
    start, end = number_at(record, "start"), number_at(record, "end")
    # The authors' readers take a start before the first frame as the first frame.
    start = max(0.0, start)
    if end <= start:
        raise BenchmarkError(f"ends at {end:g} s, before or where it starts")
    return Excerpt(start_s=start, end_s=end, picture_rate=task.picture_rate)


def _remark(records: Records, file: str, where: str, record: Record) -> None:
    texts = record.get("candidates")
    if isinstance(texts, list) and len(without_padding(texts)) < len(texts):
        records.odd(file, where, "has an option without text, which is left out")
