"""Which pictures go into a page, and how small, so that it stays below its limit.

Apart from the album, which has them all, because what is given up first is a
rule that people read: smaller pictures before fewer, and fewer before none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_vdg.reports.album import Pictures, smaller

SIZES = ((128, 60), (104, 50), (80, 45), (60, 40), (44, 35))
"""Longest side in pixels and quality, from the largest; the first is the album's."""
_SAMPLE = 48
"""Pictures by which the size of all is estimated."""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """The pictures of a page."""

    images: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Key to encoded picture."""
    side: int = SIZES[0][0]
    """No picture has a longer side, in pixels."""
    left_out: bool = False
    """Whether questions that nothing speaks for have none."""
    note: str = ""
    """What had to be given up, for whoever reads the page; empty for nothing."""


def hang(
    pictures: Sequence[Pictures], telling: Sequence[Collection[str]], room: int
) -> Wall:
    """Return the pictures of *pictures* that fit into *room* bytes as base64.

    Parameters
    ----------
    pictures
        Of each run.
    telling
        Ids of the questions of each run that keep their pictures longest: wrong
        with the video, or changed since the baseline.
    room
        Bytes.
    """
    images = {key: data for each in pictures for key, data in each.images.items()}
    every = _keys(pictures, lambda _run, _question: True)
    some = _keys(pictures, lambda run, question: question in telling[run])
    stages = [(every, size, False) for size in SIZES[:4]]
    stages += [(some, size, True) for size in (*SIZES[1:], SIZES[-1])]
    for keys, (side, quality), few in stages:
        fitted = _fitted(keys, images, (side, quality), room)
        if fitted is not None:
            note = _note(side, few=few)
            return Wall(images=fitted, side=side, left_out=few, note=note)
    return Wall(left_out=True, note=_NONE)


_NONE = "No frame is shown: the page would become too large."


def _note(side: int, *, few: bool) -> str:
    told = []
    if side < SIZES[0][0]:
        told.append(f"frames are at most {side} pixels wide and high")
    if few:
        told.append(
            "frames are shown only of questions that are wrong with the video, or "
            "changed since the baseline"
        )
    if not told:
        return ""
    return f"To keep the page small, {'; '.join(told)}."


def _keys(
    pictures: Sequence[Pictures], wanted: Callable[[int, str], bool]
) -> list[str]:
    """Return the key of each picture that *wanted* questions show, once."""
    shown = (
        key
        for run, each in enumerate(pictures)
        for (question, _), shown in each.cells.items()
        if wanted(run, question)
        for key in shown.frames
    )
    return list(dict.fromkeys(shown))


def _fitted(
    keys: Sequence[str],
    images: Mapping[str, bytes],
    size: tuple[int, int],
    room: int,
) -> dict[str, bytes] | None:
    """Return the pictures of *keys* at *size*; None where they take too much room."""
    make = _same if size == SIZES[0] else smaller
    sample = keys[:: max(1, len(keys) // _SAMPLE)]
    mean = sum(_in_base64(make(images[k], *size)) for k in sample) / max(1, len(sample))
    if mean * len(keys) > 1.1 * room:
        return None
    found: dict[str, bytes] = {}
    for key in keys:
        found[key] = make(images[key], *size)
        room -= _in_base64(found[key])
        if room < 0:
            return None
    return found


def _same(data: bytes, side: int, quality: int) -> bytes:
    del side, quality
    return data


def _in_base64(data: bytes) -> int:
    """Return the bytes that *data* takes in the page, with its key and quotes."""
    return 4 * ((len(data) + 2) // 3) + 4
