"""TempCompass: what happens, in which direction, how fast and in which order.

Apart from other loaders because its options stand inside the question's text,
a line each, and because it asks one content in several forms. The form that asks
for free text, captioning, has no options and is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._content_ids import ContentIds
from pytest_vdg.benchmarks._fields import Record, text_at
from pytest_vdg.benchmarks.layout import (
    VIDEO_ENDINGS,
    Files,
    annotation_files,
    folder_of,
    video_folder,
)
from pytest_vdg.benchmarks.options import by_label, by_text, lettered
from pytest_vdg.benchmarks.prompts import PromptStyle
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import LABELS, Benchmark, Option, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import json_of, rows
from pytest_vdg.errors import BenchmarkError, ConfigError

_BEST = PromptStyle(instruction="Please directly give the best option:")
PROMPTS = {"multi-choice": _BEST, "caption_matching": _BEST, "yes_no": None}
"""The authors' words. Of captions they write ``Sentence A: ...`` where we write
``A. ...``; of yes and no they name no labels, so that ours are asked for."""

_LINES = {
    "multi-choice": re.compile(r"\s*([A-Z])[.)]\s*(\S.*?)\s*"),
    "caption_matching": re.compile(
        r"\s*(?:Option|Sentence|Caption) ([A-Z]|[1-9]):\s*(\S.*?)\s*"
    ),
}
"""Form to how a line with an option reads."""
_SEQUENCES = (LABELS, "123456789")


def load(source: Source) -> Benchmark:
    """Read one form: the authors' nested objects, or a table with a row a question."""
    assert source.path is not None
    records = Records("tempcompass", source.on_bad)
    form = _form(source, source.path)
    files = annotation_files(
        source.path,
        f"questions/{form}.json",
        f"{form}.json",
        f"{form}/*.parquet",
        f"{form}*.parquet",
    )
    folder = folder_of(files[0], below=("questions", form))
    root = video_folder(source, folder, "videos")
    videos, ids = Files(root), ContentIds()
    for path in files:
        for place, record in _records(records, path):
            odd = partial(records.odd, path.name, place)
            make = partial(_question, record, form, videos, ids, odd)
            records.keep(path.name, place, make)
    return records.benchmark(root=root, prompt=PROMPTS[form])


def _form(source: Source, path: Path) -> str:
    """Return which form is read; a file named after a form is of that form."""
    named = next((n for n in (path.stem, path.parent.name) if n in _FORMS), None)
    if not path.is_file() or named is None:
        return TEMPCOMPASS.variant(source)
    if named == "captioning":
        raise BenchmarkError(
            f"{path}: captioning asks for free text and has no options; use one of "
            f"{', '.join(TEMPCOMPASS.variants)}"
        )
    if source.variant not in (None, named):
        raise ConfigError(
            f"variant {source.variant!r} of 'tempcompass' was asked for, but {path} "
            f"holds {named!r}"
        )
    return named


def _records(records: Records, path: Path) -> Iterator[tuple[str, Record]]:
    if path.suffix.lower() != ".json":
        yield from rows(records, path)
        return
    videos = json_of(records, path)
    if not isinstance(videos, dict):
        raise BenchmarkError(
            f"{path}: must hold an object of videos, got {shown(videos)}"
        )
    for video, dims in videos.items():
        if not isinstance(dims, dict):
            reason = f"must be an object of aspects, got {shown(dims)}"
            records.bad(path.name, f"video {shown(video)}", reason)
            continue
        for dim, asked in dims.items():
            place = f"video {shown(video)} {shown(dim)}"
            if not isinstance(asked, list):
                reason = f"must be a list of questions, got {shown(asked)}"
                records.bad(path.name, place, reason)
                continue
            for number, record in enumerate(asked, 1):
                inner = f"{place} question {number}"
                if isinstance(record, dict):
                    yield inner, {**record, "video_id": video, "dim": dim}
                else:
                    reason = f"must be an object, got {shown(record)}"
                    records.bad(path.name, inner, reason)


def _question(
    record: Record,
    form: str,
    videos: Files,
    ids: ContentIds,
    odd: Callable[[str], None],
) -> Question:
    whole, video, dim = (text_at(record, k) for k in ("question", "video_id", "dim"))
    if form == "yes_no":
        text, options = whole, lettered(("yes", "no"))
        answer = by_text(record["answer"], options)
    else:
        text, options = _taken_apart(whole, _LINES[form])
        answer = _right(text_at(record, "answer"), options, _LINES[form])
    return Question(
        id=ids.new(f"{video}/{dim}", [whole], record["answer"], odd),
        text=text,
        options=options,
        answer=answer,
        task=dim,
        video=videos.with_ending(video, ".mp4", VIDEO_ENDINGS),
        extra={"form": form},
    )


def _taken_apart(whole: str, line: re.Pattern[str]) -> tuple[str, tuple[Option, ...]]:
    """Return the question without its options, and these, from the lines at its end."""
    lines = whole.rstrip().split("\n")
    for first in range(1, len(lines)):
        found = [match for text in lines[first:] if (match := line.fullmatch(text))]
        if len(found) == len(lines) - first and _in_turn([m[1] for m in found]):
            options = tuple(Option(label=m[1], text=m[2]) for m in found)
            return "\n".join(lines[:first]), options
    raise BenchmarkError(f"question {shown(whole)} does not end in lines of options")


def _in_turn(labels: Sequence[str]) -> bool:
    return any(list(labels) == list(turn[: len(labels)]) for turn in _SEQUENCES)


def _right(value: str, options: Sequence[Option], line: re.Pattern[str]) -> str:
    match = line.fullmatch(value)
    if match is None:
        raise BenchmarkError(f"answer {shown(value)} is no line of an option")
    label = by_label(match[1], options)
    text = next(option.text for option in options if option.label == label)
    if text.split() != match[2].split():
        raise BenchmarkError(
            f"answer {shown(value)} does not fit option {label}, {shown(text)}"
        )
    return label


TEMPCOMPASS = Published(
    name="tempcompass",
    title="TempCompass",
    load=load,
    expects=(
        "questions/multi-choice.json  or yes_no.json, caption_matching.json\n"
        "                             (or multi-choice/*.parquet and so on)\n"
        "videos/                      as VIDEO_ID.mp4"
    ),
    published=("GitHub llyx97/TempCompass; Hugging Face data set lmms-lab/TempCompass"),
    variants=("multi-choice", "yes_no", "caption_matching"),
)
_FORMS = (*TEMPCOMPASS.variants, "captioning")
