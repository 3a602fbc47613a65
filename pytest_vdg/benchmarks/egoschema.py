"""EgoSchema: three minutes of somebody's day, five accounts of what it was about.

Apart from the other tables because questions and answers are in two files, and
only 500 of 5,031 answers are public.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, list_at, numbered, text_at
from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_index, embedded
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import json_of, rows
from pytest_vdg.errors import BenchmarkError

QUESTIONS = "questions.json"
ANSWERS = "subset_answers.json"
OPTIONS = tuple(f"option {place}" for place in range(5))
TABLES = {"subset": "Subset", "full": "MC"}
"""Variant to the configuration of the Hugging Face table."""


def load(source: Source) -> Benchmark:
    """Read the questions with a public answer, or all of them to be told which."""
    assert source.path is not None
    records = Records("egoschema", source.on_bad)
    wanted = EGOSCHEMA.variant(source)
    table = TABLES[wanted]
    files = annotation_files(
        source.path, QUESTIONS, f"{table}/*.parquet", f"{table.lower()}*.parquet"
    )
    folder = folder_of(files[0], below=tuple(TABLES.values()))
    root = video_folder(source, folder, "videos")
    videos = Files(root)
    if files[0].suffix.lower() == ".json":
        _read_lists(records, files[0], videos, every=wanted == "full")
    else:
        for path in files:
            _read_table(records, path, videos)
    return records.benchmark(root=root)


def _read_lists(records: Records, path: Path, videos: Files, *, every: bool) -> None:
    """Read the authors' files; without *every*, questions with an answer only."""
    answers = _answers(records, path.parent / ANSWERS)
    found = set()
    for place, record in rows(records, path):
        uid = record.get("q_uid")
        if isinstance(uid, str):
            found.add(uid)
            if uid not in answers and not every:
                continue
        records.keep(path.name, place, partial(_listed, record, answers, videos))
    for uid in answers:
        if uid not in found:
            records.bad(ANSWERS, shown(uid), f"is the id of no question in {path.name}")


def _listed(record: Record, answers: Mapping[str, object], videos: Files) -> Question:
    uid = text_at(record, "q_uid")
    if uid not in answers:
        raise BenchmarkError(f"{shown(uid)} has no public answer in {ANSWERS}")
    options, answer = numbered([record[key] for key in OPTIONS], answers[uid])
    return Question(
        id=uid,
        text=text_at(record, "question"),
        options=options,
        answer=answer,
        task=TASK,
        video=videos.with_ending(uid, ".mp4", VIDEO_ENDINGS),
    )


def _read_table(records: Records, path: Path, videos: Files) -> None:
    for place, record in rows(records, path):
        records.keep(path.name, place, partial(_tabled, record, videos))


def _tabled(record: Record, videos: Files) -> Question:
    uid = text_at(record, "video_idx")
    if record["answer"] is None:
        raise BenchmarkError(f"{shown(uid)} has no public answer")
    options = embedded(list_at(record, "option"))
    return Question(
        id=uid,
        text=text_at(record, "question"),
        options=options,
        answer=options[by_index(record["answer"], len(options))].label,
        task=TASK,
        video=videos.with_ending(uid, ".mp4", VIDEO_ENDINGS),
    )


def _answers(records: Records, path: Path) -> Mapping[str, object]:
    answers = json_of(records, path)
    if not isinstance(answers, dict):
        raise BenchmarkError(f"{path}: must hold an object, got {shown(answers)}")
    return answers


TASK = "egoschema"
"""Name of the only task it has."""

EGOSCHEMA = Published(
    name="egoschema",
    title="EgoSchema",
    load=load,
    expects=(
        "questions.json       all questions\n"
        "subset_answers.json  the 500 public answers\n"
        "                     (or Subset/*.parquet, or MC/*.parquet)\n"
        "videos/              Q_UID.mp4, three minutes each"
    ),
    published="GitHub egoschema/EgoSchema; Hugging Face data set lmms-lab/egoschema",
    variants=("subset", "full"),
)
