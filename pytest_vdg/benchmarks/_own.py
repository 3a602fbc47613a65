"""Records of a team's own file made into questions, every fault in words.

Apart from ``plain.py``, which reads the files, because a record is the same
whether it was a line of JSON, a row of a table or an entry of a YAML list.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pytest_vdg.benchmarks._checks import repeated_texts, shown
from pytest_vdg.benchmarks._json import strict_json
from pytest_vdg.benchmarks.options import option_columns
from pytest_vdg.benchmarks.schema import LABELS, Option, Question
from pytest_vdg.errors import BenchmarkError, did_you_mean
from pytest_vdg.frames.excerpt import Excerpt

REQUIRED = ("id", "video", "task", "question", "options", "answer")
NUMBERS = {"start": "start_s", "end": "end_s", "picture_rate": "picture_rate"}
"""Keys about the part of the video that is shown, to fields of `Excerpt`."""
KEYS = (*REQUIRED, *NUMBERS, "extra")

_EMBEDDED = re.compile(r"\(?([A-Z])[.):]\s")
_LIKE_OPTION = re.compile(
    r"(?:option|choice|candidate|a)[ _-]?(?:\d{1,2}|[a-z])", re.IGNORECASE
)
"""Columns of other tables that hold options: one too few would be asked."""
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


def own_question(record: Mapping[str, Any], *, written: bool) -> Question:
    """Return the question that *record* is, or raise with all that is wrong.

    With *written* its values are texts, and numbers are read from them.
    """
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
        excerpt=_excerpt(record, written=written),
        extra=record.get("extra", {}),
    )


def _options(value: object) -> tuple[Option, ...]:
    options = _listed(value)
    # Two wrong options alike can be judged, but in a file by hand are a slip.
    texts = [o.text for o in options if isinstance(o.text, str)]
    for text in repeated_texts(texts):
        raise BenchmarkError(f"text {shown(text)} is given to more than one option")
    return options


def _listed(value: object) -> tuple[Option, ...]:
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


def _excerpt(record: Mapping[str, Any], *, written: bool) -> Excerpt:
    given = {
        field: _number(record[key], key, written=written)
        for key, field in NUMBERS.items()
        if key in record
    }
    try:
        return Excerpt(**given)
    except ValueError as error:
        raise BenchmarkError(str(error)) from error


def _number(value: object, key: str, *, written: bool) -> float:
    if written and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    counted = isinstance(value, (int, float)) and not isinstance(value, bool)
    if counted and abs(cast("float", value)) < 10**9:
        return float(cast("float", value))
    unit = "of pictures a second" if key == "picture_rate" else "of seconds"
    raise BenchmarkError(f"{key} must be a number {unit}, got {shown(value)}")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which columns of a table hold the options, and which say more."""

    options: tuple[str, ...]
    """``("options",)``, ``("A", "B", ...)``, ``("option_A", ...)`` or
    ``("option_1", ...)``."""
    further: tuple[str, ...]

    @classmethod
    def of(cls, heads: Sequence[str], path: Path) -> Columns:
        """Sort *heads*, or raise naming *path* and what is missing or unclear."""
        options = _option_columns(heads, path)
        wanted = [key for key in REQUIRED if key != "options"]
        missing = [key for key in wanted if key not in heads]
        if not options:
            missing.append("A, B, ... (or option_1, option_2, ... or options)")
        if missing:
            divided = " Divide them by commas." if len(heads) == 1 else ""
            raise BenchmarkError(
                f"{path}:1: the columns are {', '.join(heads)}; missing "
                f"{', '.join(missing)}.{divided}"
            )
        known = (*wanted, *NUMBERS, *options)
        further = tuple(head for head in heads if head and head not in known)
        for head in further:
            if _LIKE_OPTION.fullmatch(head):
                raise BenchmarkError(
                    f"{path}:1: column {head!r} would be kept and mean nothing. "
                    "Options are the columns A, B, ... or option_1, option_2, ..."
                )
            _require_unlike(head, [key for key in NUMBERS if key not in heads], path)
        return cls(options=options, further=further)

    def record(self, cells: Mapping[str, str]) -> dict[str, Any]:
        """Return *cells* in the form that a line of JSON has."""
        made: dict[str, Any] = {key: cells[key] for key in REQUIRED if key in cells}
        made["options"] = self._options(cells)
        made.update({k: cells[k] for k in NUMBERS if cells.get(k)})
        made["extra"] = {head: cells[head] for head in self.further if cells[head]}
        return made

    def _options(self, cells: Mapping[str, str]) -> object:
        if self.options == ("options",):
            return strict_json(cells["options"])
        texts = [cells[head] for head in self.options]
        while texts and not texts[-1]:
            texts.pop()  # questions of one table have different numbers of options
        if "" in texts:
            raise BenchmarkError(
                f"{self.options[texts.index('')]} is empty, and options follow it"
            )
        return texts


def _option_columns(heads: Sequence[str], path: Path) -> tuple[str, ...]:
    """Return the columns that hold options, in order; empty where there are none."""
    try:
        columns = tuple(option_columns(heads))
    except BenchmarkError as error:
        raise BenchmarkError(f"{path}:1: {error}") from None
    if "options" not in heads:
        return columns
    if columns:
        raise BenchmarkError(
            f"{path}:1: the options stand in more than one kind of columns: "
            f"{columns[0]} and options"
        )
    return ("options",)


def _require_unlike(head: str, known: Sequence[str], path: Path) -> None:
    near = difflib.get_close_matches(head.lower(), known, n=1, cutoff=0.75)
    if near:
        raise BenchmarkError(
            f"{path}:1: column {head!r} would be kept and mean nothing. Did you mean "
            f"{near[0]!r}?"
        )
