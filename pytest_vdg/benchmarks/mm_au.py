"""MM-AU: why an accident happened, from the driver's view, five reasons each.

Apart from other loaders because its videos are folders of pictures, whose names
the annotations give with and without leading zeros, and because the same
questions are published as a list, a table and a spreadsheet.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks._fields import Record, kept, text_at
from pytest_vdg.benchmarks.layout import Files, annotation_files, folder_of
from pytest_vdg.benchmarks.options import by_index, lettered
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark, Question
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.benchmarks.tables import rows
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.frames.excerpt import Excerpt

OPTIONS = ("a0", "a1", "a2", "a3", "a4")
TASK = "accident reason"
"""The one question it asks; the options alone tell one record from another."""
PICTURES = Excerpt(picture_rate=30.0)
"""Pictures are frames of videos of 30 a second, as the authors read them."""
EXTRA = (
    *("video_id", "frame_count", "total frames", "tai", "tco", "tae"),
    *("abnormal start frame", "accident frame", "abnormal end frame"),
)

_FILES = {
    "cap": (
        *("ArA label/{0}.json", "{0}.json", "ArA label/{0}.csv", "{0}.csv"),
        *("data/cap/{0}.xls", "cap/{0}.xls", "cap_{0}.xls", "{0}.xls"),
    ),
    "dada": (
        *("data/dada/{0}Data.xls", "dada/{0}Data.xls"),
        *("dada_{0}Data.xls", "{0}Data.xls"),
    ),
}
"""Where people have the questions of a part, the best form first."""

_GROUPS = {range(1, 11): "1-10", range(12, 43): "12-42", range(44, 63): "44-62"}
"""Types of accident to the folder that they share; others have their own."""


def load(source: Source) -> Benchmark:
    """Read one part: a JSON list, a CSV file, or an Excel sheet."""
    assert source.path is not None
    records = Records("mm-au", source.on_bad)
    kind, _, part = MM_AU.variant(source).rpartition("-")
    patterns = [pattern.format(part) for pattern in _FILES[kind or "cap"]]
    file = annotation_files(source.path, *patterns)[0]
    root = source.videos or folder_of(source.path, below=("ArA label", "cap", "dada"))
    folders = _Folders(root)
    for place, record in rows(records, file):
        records.keep(file.name, place, partial(_question, record, folders))
    return records.benchmark(root=root)


class _Folders:
    """Where the pictures of a video lie, however its folders were unpacked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, Files] = {}

    def path(self, kind: int, number: int, *, is_dada: bool) -> str:
        """Return the folder of video *number* of accidents of type *kind*."""
        digits = 3 if is_dada else 6
        places = _places(kind, is_dada=is_dada)
        for place in places:
            for width in (digits, *range(1, 7)):
                name = f"{number:0{width}}"
                if name in self._files(place):
                    inner = "images" in self._files(f"{place}/{name}")
                    return f"{place}/{name}/images" if inner else f"{place}/{name}"
        return f"{places[0]}/{number:0{digits}}/images"

    def _files(self, folder: str) -> Files:
        if folder not in self._listed:
            self._listed[folder] = Files(self._root / folder)
        return self._listed[folder]


def _places(kind: int, *, is_dada: bool) -> list[str]:
    """Return where videos of type *kind* may lie, the authors' place first."""
    if is_dada:
        return [f"DADA-DATA/{kind}", f"DADA-2000/{kind}"]
    group = next((name for types, name in _GROUPS.items() if kind in types), None)
    if group is None:
        return [f"CAP-DATA/{kind}", f"CAP-DATA/{kind}/{kind}"]
    return [f"CAP-DATA/{group}/{kind}", f"CAP-DATA/{kind}"]


def _question(record: Record, folders: _Folders) -> Question:
    kind, number, is_dada = _named(record)
    options = lettered([record[name] for name in OPTIONS])
    answer = options[by_index(record["answer"], len(options))].label
    return Question(
        id=f"{kind}-{number:0{3 if is_dada else 6}}",
        text=text_at(record, "question"),
        options=options,
        answer=answer,
        task=TASK,
        video=folders.path(kind, number, is_dada=is_dada),
        excerpt=PICTURES,
        extra={"type": kind, **kept(record, EXTRA)},
    )


def _named(record: Record) -> tuple[int, int, bool]:
    """Return type of accident, number, and whether the video is one of DADA's.

    Numbers of DADA have three digits, those of CAP six; where zeros were lost,
    the columns of the table tell.
    """
    name = record.get("video_name")
    if name is None:
        is_dada = "accident frame" in record
        return _whole(record["type"], "type"), _whole(record["video"], "video"), is_dada
    match = re.fullmatch(r"([0-9]{1,2})[-_/]([0-9]{1,6})", str(name))
    if match is None:
        raise BenchmarkError(
            f"video_name {shown(name)} is no type and number, such as '43-001315'"
        )
    return int(match[1]), int(match[2]), len(match[2]) <= 3


def _whole(value: object, name: str) -> int:
    """Return *value* as a number: ``"001222"``, 1222 and 1222.0 are one."""
    text = "" if isinstance(value, bool) else str(value).removesuffix(".0")
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise BenchmarkError(f"{name} {shown(value)} is no whole number to 999999")
    return int(text)


MM_AU = Published(
    name="mm-au",
    title="MM-AU (accident reason answering)",
    load=load,
    expects=(
        "ArA label/test.json  or test.csv, data/cap/test.xls; for DADA\n"
        "                     data/dada/testData.xls\n"
        "CAP-DATA/            pictures, as 1-10/1/001537/images/000001.jpg\n"
        "DADA-DATA/           pictures, as 1/001/images/0001.png"
    ),
    published=(
        "GitHub jeffreychou777/LOTVS-MM-AU; Hugging Face data set JeffreyChou/MM-AU"
    ),
    variants=("test", "val", "train", "dada-test", "dada-val", "dada-train"),
)
