"""VRU-Accident: accidents with pedestrians and cyclists, six questions a video.

Apart from other loaders because all four options are one string, with commas
between them and inside them, and because its records are named by the path of
their video.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, text_at
from pytest_vdg.benchmarks.layout import annotation_files, video_folder
from pytest_vdg.benchmarks.options import by_label, split_options
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Option, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import json_of
from pytest_vdg.errors import BenchmarkError

PROMPT = PromptStyle(
    template=(
        "{{ question }} {% for option in options %}{{ option.label }}. "
        "{{ option.text }}{% if not loop.last %}, {% endif %}{% endfor %}"
    ),
    instruction="",
)
"""As the authors ask: all on one line; what to answer with is in the question."""

VIDEOS = "VRU_videos"
SETS = ("CAP_DATA", "DADA_2000", "DoTA", "MANUAL_DATA")
"""Where the videos are from; each set has a file of its own."""

_LABEL = re.compile(r"(?<=[\s,;.])([A-Z])[.)]\s")


def load(source: Source) -> Benchmark:
    """Read the annotations of the four sets of videos, or of one."""
    assert source.path is not None
    records = Records("vru-accident", source.on_bad)
    name = "*_VQA_annotation.json"
    files = annotation_files(
        source.path, f"MetaData/*/{name}", f"*/{name}", f"MetaData/{name}", name
    )
    _tell_missing(records, source.path, files)
    root = video_folder(source, _folder(source.path), VIDEOS)
    for path in files:
        for place, video, category, record in _records(records, path):
            odd = partial(records.odd, path.name, place)
            make = partial(_question, video, category, record, odd)
            records.keep(path.name, place, make)
    return records.benchmark(root=root, prompt=PROMPT)


def _tell_missing(records: Records, path: Path, files: Sequence[Path]) -> None:
    """Note each set that is not there, unless *path* is that of one of them."""
    if path.is_file() or path.resolve().name in SETS:
        return
    there = {file.name.partition("_VQA_")[0] for file in files}
    for name in SETS:
        if name not in there:
            file = f"{name}_VQA_annotation.json"
            records.aside(file, "the whole file", "is published and not there")


def _folder(path: Path) -> Path:
    """Return the benchmark's folder, of which *path* is a file or a part."""
    for folder in (path, path.parent, path.parent.parent):
        if folder.name == "MetaData":
            return folder.parent
    return path if path.is_dir() else path.parent


def _records(records: Records, path: Path) -> Iterator[tuple[str, str, str, Record]]:
    videos = json_of(records, path)
    if not isinstance(videos, dict):
        raise BenchmarkError(
            f"{path}: must hold an object of videos, got {shown(videos)}"
        )
    for video, categories in videos.items():
        place = f"video {shown(video)}"
        if not isinstance(categories, dict):
            reason = f"must be an object of categories, got {shown(categories)}"
            records.bad(path.name, place, reason)
            continue
        for category, record in categories.items():
            inner = f"{place} {category}"
            if isinstance(record, dict):
                yield inner, video, category, record
            else:
                reason = f"must be an object, got {shown(record)}"
                records.bad(path.name, inner, reason)


def _question(
    key: str, category: str, record: Record, odd: Callable[[str], None]
) -> Question:
    video = key.removeprefix("./").removeprefix(f"{VIDEOS}/")
    options = split_options(record["options"])
    _look_for_labels(options, odd)
    return Question(
        id=f"{video}/{category}",
        text=text_at(record, "question"),
        options=options,
        answer=by_label(record["GT"], options),
        task=category,
        video=video,
        extra={"set": video.partition("/")[0]},
    )


def _look_for_labels(options: Sequence[Option], odd: Callable[[str], None]) -> None:
    """Tell of labels inside an option; refuse an option that holds its own.

    In a few records two options were glued together. Where the label that is
    next in turn stands there twice, nobody knows at which the option begins.
    """
    for option in options:
        for label in _LABEL.findall(option.text):
            if label == option.label:
                raise BenchmarkError(
                    f"options hold the label {label} twice: {shown(option.text)}"
                )
            if label in {other.label for other in options}:
                odd(f"option {option.label} holds another label, {label}")


VRU_ACCIDENT = Published(
    name="vru-accident",
    title="VRU-Accident",
    load=load,
    expects=(
        "MetaData/DoTA/DoTA_VQA_annotation.json ...  one for each set of videos\n"
        "VRU_videos/                                 as DoTA/VRU_1.mp4"
    ),
    published=(
        "GitHub Kimyounggun99/VRU-Accident; Hugging Face data set kyh9191/VRU-Accident"
    ),
)
