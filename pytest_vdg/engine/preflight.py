"""All videos looked at before a model is loaded, and all bad ones named at once.

Apart from the runner because it is the cheap half of a run: a truncated
download is found in seconds here, or after an hour of answers there.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import CouldNotBeJudged, MediaError
from pytest_vdg.frames.decode import probe

MAX_REASON = 800
"""Characters of one video's reason, as both readers may have much to say."""


def preflight(slice_: Slice, *, videos: Collection[str] | None = None) -> None:
    """Raise `CouldNotBeJudged` naming every video that cannot be read.

    *videos* are the names to look at; None is all of *slice_*.
    """
    questions = {q.video: q for q in slice_.questions}
    wanted = sorted(questions if videos is None else set(videos))
    found = {v: bad_video(slice_.benchmark.video_path(questions[v])) for v in wanted}
    bad = [f"{video} ({reason})" for video, reason in found.items() if reason]
    if bad:
        raise CouldNotBeJudged(
            f"slice {slice_.name!r}: {len(bad)} of {len(questions)} videos cannot be "
            "read, so no model was asked:\n  " + "\n  ".join(bad) + "\n"
            "Get them again, or set on_bad_media: skip to have their questions "
            "counted as failed, of which the caps allow few"
        )


def bad_video(path: Path) -> str | None:
    """Return why the video at *path* cannot be read, with its size; None if it can."""
    try:
        probe(path)
    except MediaError as e:
        reason = " ".join(str(e).split())
        return f"{_size(path)}: {reason[:MAX_REASON]}"
    return None


def _size(path: Path) -> str:
    try:
        return f"{path.stat().st_size} bytes"
    except OSError:
        return "missing"
