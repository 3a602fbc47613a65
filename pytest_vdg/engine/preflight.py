"""All videos looked at before a model is loaded, and all bad ones named at once.

Apart from the runner because it is the cheap half of a run: a truncated
download is found in seconds here, or after an hour of answers there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames.decode import VideoInfo, probe
from pytest_vdg.frames.excerpt import WHOLE, Excerpt
from pytest_vdg.frames.window import check_excerpt
from pytest_vdg.spelling import count

MAX_REASON = 800
"""Characters of one video's reason, as both readers may have much to say."""

Part = tuple[str, Excerpt]
"""Name of a video and what is shown of it."""


class Look(Protocol):
    """A way to know a video before its pictures are looked at, as `probe`."""

    def __call__(self, path: Path, /, *, picture_rate: float | None) -> VideoInfo:
        """Return what is known; `MediaError` where it cannot be read."""


def preflight(
    slice_: Slice,
    *,
    shown: Collection[Part] | None = None,
    look: Look | None = None,
) -> None:
    """Raise `CouldNotBeJudged` naming every video that cannot be shown.

    A video is named once for each reason, with the number of questions that
    are about its parts concerned. *shown* are the parts to look at; None is all
    that *slice_* asks about. *look* looks at one; `probe` by default.
    """
    asked = Counter((q.video, q.excerpt) for q in slice_.questions)
    found = {
        video: bad_video(path, excerpts, look)
        for video, path, excerpts in _to_look_at(slice_, shown)
    }
    lines = [
        f"{video} ({reason}; {_count(asked[video, e] for e in bad)})"
        for video, reasons in found.items()
        for reason, bad in reasons.items()
    ]
    if lines:
        n, total = sum(map(bool, found.values())), len({v for v, _ in asked})
        raise CouldNotBeJudged(
            f"slice {slice_.name!r}: {n} of {total} videos cannot be "
            "read, so no model was asked:\n  " + "\n  ".join(lines) + "\n"
            "Get them again, or set on_bad_media: skip to have their questions "
            "counted as failed, of which the caps allow few"
        )


def places(
    slice_: Slice, shown: Collection[Part] | None = None
) -> Iterator[tuple[Path, float | None]]:
    """Yield what `preflight` looks at, and how, in its order."""
    for _, path, excerpts in _to_look_at(slice_, shown):
        yield from ((path, rate) for rate in dict.fromkeys(map(_rate, excerpts)))


def bad_video(
    path: Path, excerpts: Iterable[Excerpt] = (WHOLE,), look: Look | None = None
) -> Mapping[str, list[Excerpt]]:
    """Return why parts of the video at *path* cannot be shown, and which ones.

    Each reason begins with the size of the file. No reason, no fault.
    """
    known: dict[float | None, VideoInfo | MediaError] = {}
    reasons: dict[str, list[Excerpt]] = {}
    for excerpt in _in_order(excerpts):
        rate = _rate(excerpt)
        if rate not in known:
            known[rate] = _looked(path, rate, look or probe)
        fault = _fault(known[rate], excerpt)
        if fault is not None:
            words = " ".join(str(fault).split())[:MAX_REASON]
            reasons.setdefault(f"{_size(path)}: {words}", []).append(excerpt)
    return reasons


def _to_look_at(
    slice_: Slice, shown: Collection[Part] | None
) -> Iterator[tuple[str, Path, list[Excerpt]]]:
    """Yield each video, where it lies, and the parts of it that are shown."""
    questions = {q.video: q for q in slice_.questions}
    asked = {(q.video, q.excerpt) for q in slice_.questions}
    parts: dict[str, set[Excerpt]] = {}
    for video, excerpt in asked if shown is None else shown:
        parts.setdefault(video, set()).add(excerpt)
    for video in sorted(parts):
        path = slice_.benchmark.video_path(questions[video])
        yield video, path, _in_order(parts[video])


def _in_order(excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    return sorted(set(excerpts), key=lambda e: (e.start_s, e.spec))


def _rate(excerpt: Excerpt) -> float | None:
    return excerpt.picture_rate


def _looked(path: Path, rate: float | None, look: Look) -> VideoInfo | MediaError:
    try:
        return look(path, picture_rate=rate)
    except MediaError as e:
        return e


def _fault(found: VideoInfo | MediaError, excerpt: Excerpt) -> MediaError | None:
    if isinstance(found, MediaError):
        return found
    try:
        check_excerpt(found, excerpt)
    except MediaError as e:
        return e
    return None


def _count(questions: Iterable[int]) -> str:
    return count(sum(questions), "question")


def _size(path: Path) -> str:
    try:
        return "a folder" if path.is_dir() else f"{path.stat().st_size} bytes"
    except OSError:
        return "missing"
