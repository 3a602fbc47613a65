"""AccidentBench (Open-Space-Reasoning): accidents on land, on water and in the air.

Apart from other loaders because each option carries its own letter, and these
are shuffled: the letter in the text names an option, never its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._fields import Record, kept, list_at, name_at, text_at
from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_label, embedded
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import rows


def load(source: Source) -> Benchmark:
    """Read all files of a folder, or one."""
    assert source.path is not None
    records = Records("accident-bench", source.on_bad)
    inner = "*_space/*/*/*_reasoning.json"
    files = annotation_files(source.path, inner, f"*/{inner}", "*_reasoning.json")
    folder = source.path if source.path.is_dir() else source.path.parent
    root = video_folder(source, folder, "videos", ".")
    videos = _Videos(root)
    if folder != files[0].parent:  # else one level was chosen
        _tell_missing(records, files)
    for path in files:
        level = _level(path)
        for place, record in rows(records, path):
            make = partial(_question, record, level, videos)
            records.keep("/".join((*level, path.name)), place, make)
    return records.benchmark(root=root)


def _tell_missing(records: Records, files: Sequence[Path]) -> None:
    """Note how many of each space's published files are not there."""
    there = {"/".join((*_level(path), path.name)) for path in files}
    for space in SPACES:
        wanted = [
            f"{space}/{length}/{difficulty}/{style}_reasoning.json"
            for length in LENGTHS
            for difficulty in DIFFICULTIES
            for style in STYLES
        ]
        missing = [name for name in wanted if name not in there]
        if missing:
            what = f"{len(missing)} of {len(wanted)} files"
            reason = f"are published and not there (first: {missing[0]})"
            records.aside(space, what, reason)


def _level(path: Path) -> tuple[str, ...]:
    """Return space, length and difficulty, by the folders that the file lies in."""
    parts = path.resolve().parts[-4:-1]
    return parts if len(parts) == 3 and parts[0].endswith("_space") else ()


class _Videos:
    """Where scenes lie: all in one folder, or by space and length."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, Files] = {}

    def path(self, scene: str, level: tuple[str, ...]) -> str:
        """Return the path of *scene*, which is written with its ending or without."""
        stem = scene.removesuffix(".mp4")
        for folder in ("", *("/".join(level[:n]) for n in (1, 2, 3)[: len(level)])):
            if folder not in self._listed:
                self._listed[folder] = Files(self._root / folder)
            files = self._listed[folder]
            name = files.with_ending(stem, ".mp4", VIDEO_ENDINGS)
            if name in files:
                return f"{folder}/{name}" if folder else name
        return f"{stem}.mp4"


def _question(record: Record, level: tuple[str, ...], videos: _Videos) -> Question:
    style = text_at(record, "reasoning_style")
    # Numbers start anew in each file.
    where = level or (text_at(record, "dataset"),)
    options = embedded(list_at(record, "options"))
    return Question(
        id="/".join((*where, style, name_at(record, "id"))),
        text=text_at(record, "question"),
        options=options,
        answer=by_label(record["ground_truth"], options),
        task=style,
        video=videos.path(text_at(record, "scene_name"), level),
        extra=kept(record, ("dataset",)) | dict(zip(_LEVELS, level, strict=False)),
    )


SPACES = ("air_space", "land_space", "water_space")
LENGTHS = ("short", "medium", "long")
DIFFICULTIES = ("easy", "medium", "hard")
STYLES = ("intent_goal", "spatial", "temporal_causal")
_LEVELS = ("space", "length", "difficulty")

ACCIDENT_BENCH = Published(
    name="accident-bench",
    title="AccidentBench (Open-Space-Reasoning)",
    load=load,
    expects=(
        "land_space/short/easy/temporal_causal_reasoning.json ...  and so on for each\n"
        "                     space, length, difficulty and kind of reasoning\n"
        "videos/              as land_space_short_1.mp4, or by space and length"
    ),
    published="Hugging Face data set Open-Space-Reasoning/AccidentBench",
)
