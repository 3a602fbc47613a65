"""When each frame of a video is shown: `VideoInfo`, and how times are judged.

Apart from the readers so that all of them judge a file's times by the same
rules, and so that the rules are tested with numbers and without files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError

SLOWEST_FPS, FASTEST_FPS = 1e-3, 500.0
"""Mean rates outside are not believed. Truncated AVI files claim 600 and more;
a slide every quarter of an hour is still a video."""
DEFAULT_FPS = 25.0
"""Rate of files that neither say when a frame is shown nor at which rate."""
LONGEST_FRAME_S = 3600.0
"""A last frame that claims to stand longer is not believed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class VideoInfo:
    """What is known of a video file without looking at its pictures."""

    frames: int
    """Number of frames that are shown, >= 1."""
    pts_s: npt.NDArray[np.float64]
    """When each frame begins, in seconds from the first one, shape
    ``(frames,)``, starting with 0 and never falling."""
    duration_s: float
    """Seconds from the first frame to the end of the last one's display: of the
    pictures, whatever the sound or the container say."""
    fps: float
    """Mean rate, ``frames / duration_s``, finite and above 0."""
    width: int
    """Width in pixels as displayed, that is after rotation."""
    height: int
    """Height in pixels as displayed, that is after rotation."""
    rotation: int
    """Degrees counterclockwise by which stored pictures are turned for display:
    0, 90, 180 or 270."""
    codec: str
    """Name of the video codec, e.g. ``h264``."""
    notes: tuple[str, ...] = ()
    """What a reader of results should know of this file, one sentence each."""

    def __post_init__(self) -> None:
        """Make the array read-only."""
        self.pts_s.setflags(write=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What a reader read: some of a video's frames, and which ones."""

    info: VideoInfo
    """What is known of the whole video."""
    indices: npt.NDArray[np.int64]
    """Position of each frame in the video, rising, shape ``(T,)``."""
    frames: npt.NDArray[np.uint8]
    """RGB, shape ``(T, H, W, 3)``, in displayed orientation."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Timeline:
    """Times that were judged, and repaired where they could not be used."""

    pts_s: npt.NDArray[np.float64]
    """As in `VideoInfo`."""
    duration_s: float
    """As in `VideoInfo`."""
    fps: float
    """As in `VideoInfo`."""
    notes: tuple[str, ...]
    """What was repaired."""


def plausible_rate(rate: SupportsFloat | None) -> float | None:
    """Return *rate* as a float if a video can have it, else None."""
    try:
        value = math.nan if rate is None else float(rate)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    return value if SLOWEST_FPS <= value <= FASTEST_FPS else None


def make_timeline(
    times_s: Sequence[float | None],
    *,
    last_s: float | None,
    rates: Iterable[SupportsFloat | None] = (),
) -> Timeline:
    """Judge the times at which a file says that its frames are shown.

    Where a time is missing, or they do not rise, or the mean rate that they
    give is none that a video has, the frames are spread evenly at the first
    plausible one of *rates* (else at `DEFAULT_FPS`), and a note says so.

    Parameters
    ----------
    times_s
        Begin of each frame in seconds, in the order of display, at least one.
    last_s
        How long the last frame stands, if the file says so.
    rates
        Frames a second that the file announces, the best first.
    """
    known = [rate for rate in map(plausible_rate, rates) if rate is not None]
    rate = known[0] if known else None
    pts = _rising(times_s)
    notes: tuple[str, ...] = ()
    if pts is None:
        notes = (
            (
                "The file has no usable presentation times; its frames are spread "
                f"evenly at {rate or DEFAULT_FPS:g} a second."
            ),
        )
        pts = np.arange(len(times_s)) / (rate or DEFAULT_FPS)
        last_s = None
    if last_s is None or not 0 < last_s <= LONGEST_FRAME_S:
        steps = len(pts) - 1
        last_s = float(pts[-1]) / steps if steps else 1.0 / (rate or DEFAULT_FPS)
    duration = float(pts[-1]) + last_s
    return Timeline(
        pts_s=pts, duration_s=duration, fps=len(pts) / duration, notes=notes
    )


def _rising(times_s: Sequence[float | None]) -> npt.NDArray[np.float64] | None:
    """Return the times from the first one on, or None if they are unusable."""
    pts = np.array([math.nan if t is None else t for t in times_s], dtype=np.float64)
    if not np.isfinite(pts).all():
        return None
    pts -= pts[0]
    if len(pts) == 1:
        return pts
    if not (np.diff(pts) > 0).all():
        return None
    return pts if plausible_rate((len(pts) - 1) / float(pts[-1])) else None


def check_whole(
    *,
    decoded_s: float,
    announced_s: float | None,
    decoded_frames: int = 0,
    announced_frames: int = 0,
) -> None:
    """Raise `MediaError` when much less was found than the file announces.

    Headers are often wrong by a frame or two, so what may be missing is the
    largest of 5 %, two and a half frames, and (of the time) a quarter second.
    A count or duration that is not announced, or is 0, is not checked.
    """
    frame_s = decoded_s / decoded_frames if decoded_frames else 0.0
    if announced_s is not None and math.isfinite(announced_s):
        missing = announced_s - decoded_s
        if missing > max(0.05 * announced_s, 2.5 * frame_s, 0.25):
            raise MediaError(
                f"decoded {decoded_s:.1f} of {announced_s:.1f} s: "
                "the file is cut short or damaged"
            )
    missing_frames = announced_frames - decoded_frames
    if missing_frames > max(0.05 * announced_frames, 2.5):
        raise MediaError(
            f"decoded {decoded_frames} of {announced_frames} frames "
            f"({decoded_s:.1f} s): the file is cut short or damaged"
        )
