"""`load_plain`: our own annotation format, one JSON object a line.

Apart from other loaders because it is the strict one: people write these
files by hand, so every fault is reported, with its line, and none is repaired.

A line holds ``id``, ``video``, ``task``, ``question``, ``options``, ``answer``
and, if wanted, ``extra``::

    {"id": "q1", "video": "clips/a.mp4", "task": "count",
     "question": "How many?", "options": ["one", "two"], "answer": "B"}

(on one line). ``options`` is a list, labelled A, B, ... in that order, or an
object of label and text; ``answer`` is a label or the exact text of an option.
All values are text: ``"4"`` and ``"true"``, never ``4`` and ``true``.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, cast

from pytest_vdg.benchmarks._checks import repeated_ids, shown
from pytest_vdg.benchmarks.schema import LABELS, Benchmark, Option, Question
from pytest_vdg.errors import BenchmarkError, did_you_mean

REQUIRED = ("id", "video", "task", "question", "options", "answer")
KEYS = (*REQUIRED, "extra")
MOST_FAULTS = 20
"""Faulty records that one message lists; the others are counted."""

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_EMBEDDED = re.compile(r"\(?([A-Z])[.):]\s")


def load_plain(path: str | os.PathLike[str], *, name: str | None = None) -> Benchmark:
    """Read the questions of the file at *path*; videos lie beside it.

    Parameters
    ----------
    path
        A JSON Lines file in UTF-8.
    name
        Name of the benchmark. By default that of the file, or of its folder
        when the file is called ``questions.jsonl``.

    Raises
    ------
    BenchmarkError
        Naming every faulty record by line, or what is wrong with the file.
    """
    path = Path(path)
    content = _content(path)
    faults: list[tuple[int, str]] = []
    questions: list[Question] = []
    ids: list[tuple[str, str]] = []
    for line, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            record = _record(raw)
            ids += _placed_id(record, line)
            questions.append(_question(record))
        except BenchmarkError as error:
            faults.append((line, str(error)))
    faults += [(int(place[5:]), fault) for place, fault in repeated_ids(ids)]
    if faults:
        raise BenchmarkError(_report(path, faults))
    return Benchmark(
        name=name or (path.resolve().parent.name if _generic(path) else path.stem),
        root=path.parent,
        questions=tuple(questions),
        source=f"{path.name} sha256:{hashlib.sha256(content).hexdigest()}",
    )


def _generic(path: Path) -> bool:
    return path.name == "questions.jsonl"


def _content(path: Path) -> bytes:
    """Return the file's bytes, or say why it is no text file of ours."""
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise BenchmarkError(
            f"{path}: is a folder; give the file, e.g. {path / 'questions.jsonl'}"
        ) from None
    except OSError as error:
        raise BenchmarkError(f"{path}: {error.strerror or error}") from error
    if not content.strip():
        raise BenchmarkError(f"{path}: the file is empty")
    if content.startswith(_BOMS):
        raise BenchmarkError(
            f"{path}: the file starts with a byte order mark; save it as UTF-8 "
            "without one"
        )
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise BenchmarkError(
            f"{path}:{line}: the file holds NUL bytes: it was cut off while it was "
            "written or copied, or it is no text; fetch it again"
        )
    return content


def _record(raw: bytes) -> dict[str, Any]:
    """Return the object on one line, read more strictly than JSON demands."""
    try:
        record = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_not_finite,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise BenchmarkError(
            f"not UTF-8: byte {raw[error.start]:#04x} in column {error.start + 1}"
        ) from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg
        half = "; the line ends in the middle of a record" if cut else ""
        raise BenchmarkError(
            f"not JSON: {error.msg} in column {error.colno}{half}"
        ) from None
    except (ValueError, RecursionError) as error:  # endless digits, endless nesting
        raise BenchmarkError(f"not JSON that can be read: {error}") from None
    if not isinstance(record, dict):
        raise BenchmarkError(f"a line must hold one object, got {shown(record)}")
    return record


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BenchmarkError(f"key {shown(twice)} stands twice in one object")
    return record


def _not_finite(word: str) -> NoReturn:
    raise BenchmarkError(f"{word} is no JSON value; leave the key out or use null")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BenchmarkError(f"{shown(digits)} is too large a number")
    return number


def _placed_id(record: Mapping[str, Any], line: int) -> Iterator[tuple[str, str]]:
    # 1 and "1" are one id twice, though the first is a fault of its own.
    value = record.get("id")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        yield f"line {line}", str(value)


def _question(record: dict[str, Any]) -> Question:
    faults = [
        f"unknown key {shown(key)}.{did_you_mean(key, KEYS)}"
        for key in record
        if key not in KEYS
    ]
    missing = [key for key in REQUIRED if key not in record]
    if missing:
        faults.append(f"missing {', '.join(repr(key) for key in missing)}")
    if faults:
        raise BenchmarkError("; ".join(faults))
    options = _options(record["options"])
    return Question(
        id=record["id"],
        text=record["question"],
        options=options,
        answer=_answer(record["answer"], options),
        task=record["task"],
        video=record["video"],
        extra=record.get("extra", {}),
    )


def _options(value: object) -> tuple[Option, ...]:
    if isinstance(value, dict):
        return tuple(Option(label=k, text=v) for k, v in value.items())
    if not isinstance(value, list):
        raise BenchmarkError(
            f"options must be a list of texts or an object of label and text, "
            f"got {shown(value)}"
        )
    if not 2 <= len(value) <= len(LABELS):
        raise BenchmarkError(
            f"a question has 2 to {len(LABELS)} options, got {len(value)}"
        )
    embedded = [isinstance(v, str) and _EMBEDDED.match(v) for v in value]
    letters = {match[1] for match in embedded if match}
    if letters == set(LABELS[: len(value)]):
        # Numbering them again would ask "A. C. red", with the wrong key.
        raise BenchmarkError(
            f"the options carry labels of their own ({shown(value[0])}); write an "
            'object: {"A": "...", "B": "..."}'
        )
    return tuple(
        Option(label=label, text=text)
        for label, text in zip(LABELS, value, strict=False)
    )


def _answer(value: object, options: tuple[Option, ...]) -> str:
    """Return the label that *value* names; what names none is left as it is."""
    by_label = [o.label for o in options if o.label == value]
    by_text = [o.label for o in options if o.text == value]
    if by_label and by_text and by_label != by_text:
        raise BenchmarkError(
            f"answer {shown(value)} is the label of one option and the text of "
            "another; use other labels, e.g. 1, 2, 3"
        )
    # What is no text is refused by `Question`, in the words of all loaders.
    return (by_label or by_text or [cast("str", value)])[0]


def _report(path: Path, faults: list[tuple[int, str]]) -> str:
    faults = sorted(faults)
    n = len({line for line, _ in faults})
    lines = [f"{path}: {n} record{'s' * (n != 1)} cannot be used:"]
    lines += [f"  {path}:{line}: {fault}" for line, fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        lines.append(f"  and {len(faults) - MOST_FAULTS} more")
    return "\n".join(lines)
