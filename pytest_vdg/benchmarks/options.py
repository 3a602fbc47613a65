"""Options and answers in the forms that benchmarks publish, made into ours.

Apart from the loaders so that all of them read a letter, a number or a text in
one way. Nothing here guesses: what names no option, or two, is an error.

A label that stands in an option's own text wins over its place in the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks.schema import LABELS, Option
from pytest_vdg.errors import BenchmarkError

_EMBEDDED = re.compile(r"\s*\(?([A-Z])\s*[.):]\s*(?=\S)")

COLUMNS = (
    LABELS,
    tuple(f"option_{label}" for label in LABELS),
    tuple(f"option_{number}" for number in range(1, len(LABELS) + 1)),
)
"""How a table may call the columns of its options, first to last."""


def option_columns(heads: Iterable[str]) -> dict[str, str]:
    """Return those of *heads* that are columns of options, with their labels.

    ``A``, ``option_A`` and ``option_1`` are labelled A; empty where there are
    none. Raises `BenchmarkError` for columns that are called in several ways,
    or that lack one before the last.
    """
    held = set(heads)
    ways = [(way, [head for head in way if head in held]) for way in COLUMNS]
    there = [(way, found) for way, found in ways if found]
    if len(there) > 1:
        raise BenchmarkError(
            "the options stand in more than one kind of columns: "
            + " and ".join(found[0] for _, found in there)
        )
    for way, found in there:
        if tuple(found) != tuple(way[: len(found)]):
            raise BenchmarkError(
                f"the columns of options are {', '.join(found)}; missing before the "
                "last one: " + next(head for head in way if head not in held)
            )
    return {
        head: label
        for _, found in there
        for head, label in zip(found, LABELS, strict=False)
    }


def lettered(texts: Sequence[object]) -> tuple[Option, ...]:
    """Return options labelled A, B, ... in the order of *texts*."""
    if len(texts) > len(LABELS):
        raise BenchmarkError(f"{len(texts)} options; labels reach to {LABELS[-1]}")
    return tuple(
        Option(label=label, text=_text(text))
        for label, text in zip(LABELS, texts, strict=False)
    )


def without_padding(
    texts: Sequence[object], *, padding: Sequence[str] = ("",)
) -> dict[int, object]:
    """Return place to text of the options that are none of *padding*.

    Places count from 0 in the padded list, which is what answers count in.
    Padding may stand anywhere.
    """
    blank = {word.casefold() for word in padding}
    return {
        place: text
        for place, text in enumerate(texts)
        if not (
            text is None or (isinstance(text, str) and text.strip().casefold() in blank)
        )
    }


def embedded(texts: Sequence[object]) -> tuple[Option, ...]:
    """Return options by the label that each text begins with, in the order given.

    ``["B. red", "A. blue"]`` is B, red and A, blue. Raises `BenchmarkError` for
    a text without a label, and unless the labels are A, B, ... without a gap.
    """
    options = []
    for text in texts:
        match = _EMBEDDED.match(_text(text))
        if match is None:
            raise BenchmarkError(f"option {shown(text)} begins with no label, as 'A. '")
        options.append(Option(label=match[1], text=_text(text)[match.end() :].strip()))
    labels = sorted(option.label for option in options)
    if labels != list(LABELS[: len(options)]):
        raise BenchmarkError(
            f"the options carry the labels {', '.join(labels) or 'none'}; expected "
            f"{', '.join(LABELS[: len(options)])}"
        )
    return tuple(options)


def split_options(text: object) -> tuple[Option, ...]:
    """Return the options of one string, such as ``A. red, B. blue, green``.

    Split before each label that is next in turn, with or without a comma or a
    line end before it; commas inside an option stay. Raises `BenchmarkError`
    where a label is out of turn.
    """
    whole = _text(text).strip()
    places: list[re.Match[str]] = []
    for label in LABELS:
        start = places[-1].end() if places else 0
        before = r"(?:^|(?<=[\s,;.|/]))" if places else "^"
        match = re.compile(rf"{before}\(?{label}\s*[.):]\s*(?=\S)").search(whole, start)
        if match is None:
            break
        places.append(match)
    if len(places) < 2:
        raise BenchmarkError(f"{shown(text)} does not read as 'A. ..., B. ...'")
    ends = [match.start() for match in places[1:]] + [len(whole)]
    options = tuple(
        Option(label=label, text=whole[match.end() : end].strip(" \t\r\n,;"))
        for label, match, end in zip(LABELS, places, ends, strict=False)
    )
    # The next one before its turn, or the one after it where the next is lacking.
    later = LABELS[len(options) : len(options) + 2]
    for option in options:
        found = re.search(rf"[\s,;.|/]\(?([{later}])\s*[.):]\s*\S", option.text)
        if later and found:
            raise BenchmarkError(
                f"label {found[1]} is out of turn in {shown(text)}: option "
                f"{option.label} would hold another option"
            )
    return options


def by_label(value: object, options: Sequence[Option]) -> str:
    """Return the label that *value* is, such as ``C``, ``c``, ``(C)`` or ``C.``."""
    text = _text(value).strip().strip("().:").upper()
    return _one([o.label for o in options if o.label.upper() == text], value, options)


def by_index(value: object, count: int) -> int:
    """Return *value* as a place from 0 below *count*: 1, ``"1"`` or 1.0.

    Raises `BenchmarkError` for anything that is no whole number in range.
    """
    number: object = value
    if isinstance(value, str):
        digits = value.strip()
        number = int(digits) if re.fullmatch(r"[0-9]{1,4}", digits) else value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise BenchmarkError(f"answer {shown(value)} is no place in a list from 0")
    if not 0 <= number < count:
        raise BenchmarkError(f"answer {shown(value)} is not among 0 to {count - 1}")
    return number


def by_text(value: object, options: Sequence[Option]) -> str:
    """Return the label of the option whose text is *value*.

    Equal but for space around and within; else, where nothing is, also but for
    case and a final full stop. Raises `BenchmarkError` where none is, or several.
    """
    exact = [o.label for o in options if _words(o.text) == _words(_text(value))]
    loose = [o.label for o in options if _loose(o.text) == _loose(_text(value))]
    return _one(exact or loose, value, options)


def by_line(value: object, options: Sequence[Option]) -> str:
    """Return the label of the option that *value* is a full line of: ``B. red``.

    Label and text must belong together.
    """
    line = _text(value)
    match = _EMBEDDED.match(line)
    if match is None:
        raise BenchmarkError(f"answer {shown(value)} is no line such as 'A. red'")
    label = by_label(match[1], options)
    text = next(option.text for option in options if option.label == label)
    if _loose(text) != _loose(line[match.end() :]):
        raise BenchmarkError(
            f"answer {shown(value)} does not fit option {label}, {shown(text)}"
        )
    return label


def _text(value: object) -> str:
    """Return *value*, which must be text: 4 may have been ``04`` in the file."""
    if not isinstance(value, str):
        raise BenchmarkError(f"{shown(value)} must be text")
    return value


def _one(found: Sequence[str], value: object, options: Sequence[Option]) -> str:
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{o.label}. {o.text}" for o in options)
    how = "none" if not found else f"{len(found)}"
    raise BenchmarkError(f"answer {shown(value)} is {how} of the options ({listed})")


def _words(text: str) -> str:
    return " ".join(text.split())


def _loose(text: str) -> str:
    return _words(text).casefold().rstrip(".").rstrip()
