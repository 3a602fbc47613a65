"""Which frames of a video to look at: arithmetic on times only, no decoding.

Apart from ``decode.py`` so that it is tested without a video file, and so that
every backend, reader and condition samples by the same rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

MOST_FRAMES = 100_000
"""More frames than any model takes; a larger number is a slip of the pen."""

_TIE = 1e-6
"""Seconds by which a frame may begin after a time and still be shown then:
``k / fps`` and ``k * (1 / fps)`` differ in the last bits of a float, and some
readers give times in single precision."""


def _check_count(value: object, name: str) -> None:
    """Raise unless *value* is None or a sensible positive integer."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not 1 <= value <= MOST_FRAMES:
        raise ValueError(f"{name} must be 1 to {MOST_FRAMES}, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How many frames to take, and where: a value that can be written down.

    Exactly one of `frames` and `fps` is given.
    """

    frames: int | None = None
    """Number of equal stretches of the video; one frame is taken from each."""
    fps: float | None = None
    """Frames a second of video, > 0; ``floor(duration * fps)``, at least one."""
    max_frames: int | None = None
    """Upper limit of the number of frames, together with `fps` only."""
    endpoints: bool = False
    """Take the first and the last frame and equal steps between them, instead
    of the middles of equal stretches."""

    def __post_init__(self) -> None:
        """Refuse what describes no frames, naming the argument and its value."""
        if (self.frames is None) == (self.fps is None):
            raise ValueError(
                "give exactly one of frames and fps, "
                f"got frames={self.frames!r} and fps={self.fps!r}"
            )
        _check_count(self.frames, "frames")
        _check_count(self.max_frames, "max_frames")
        if self.fps is None:
            if self.max_frames is not None:
                raise ValueError(
                    f"max_frames={self.max_frames!r} limits fps and means nothing "
                    "beside frames; leave it out"
                )
            return
        if isinstance(self.fps, bool) or not isinstance(self.fps, (int, float)):
            raise TypeError(f"fps must be a number, got {self.fps!r}")
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"fps must be above 0, got {self.fps!r}")

    def of_frames(self, frames: int) -> Sampling:
        """Return the same rule for *frames* frames.

        >>> Sampling(fps=0.25, max_frames=32, endpoints=True).of_frames(8).spec()
        'frames=8,endpoints'
        """
        return Sampling(frames=frames, endpoints=self.endpoints)

    def of_rate(self, fps: float) -> Sampling:
        """Return the same rule for *fps* frames a second; a limit stays.

        >>> Sampling(fps=0.25, max_frames=32, endpoints=True).of_rate(2).spec()
        'fps=2,max_frames=32,endpoints'
        """
        return Sampling(fps=fps, max_frames=self.max_frames, endpoints=self.endpoints)

    def spec(self) -> str:
        """Return the canonical text, equal for equal samplings.

        >>> Sampling(fps=0.25, max_frames=32, endpoints=True).spec()
        'fps=0.25,max_frames=32,endpoints'
        """
        if self.fps is None:
            parts = [f"frames={self.frames}"]
        else:
            parts = [f"fps={repr(float(self.fps)).removesuffix('.0')}"]
        if self.max_frames is not None:
            parts.append(f"max_frames={self.max_frames}")
        if self.endpoints:
            parts.append("endpoints")
        return ",".join(parts)

    def wanted(self, duration_s: float) -> int:
        """Return how many moments of a video of *duration_s* to look at."""
        if self.frames is not None:
            return self.frames
        assert self.fps is not None
        # The product is clipped before it becomes an int: a broken file may
        # announce centuries.
        product = min(duration_s * self.fps + 1e-6, float(MOST_FRAMES))
        limit = MOST_FRAMES if self.max_frames is None else self.max_frames
        return max(1, min(limit, math.floor(product)))


PROTOCOLS = MappingProxyType(
    {
        "vdg-paper": Sampling(fps=0.25, max_frames=32, endpoints=True),
        "traffic-paper": Sampling(frames=16),
        "tvbench": Sampling(frames=16),
    }
)
"""The samplings that papers fixed, by the name of the protocol."""


def sample_times(
    last_s: float, duration_s: float, sampling: Sampling
) -> npt.NDArray[np.float64]:
    """Return the moments to look at, in seconds from the first frame, rising.

    Parameters
    ----------
    last_s
        When the last frame begins, in seconds from the first.
    duration_s
        When the display of the last frame ends, in seconds from the first.
    sampling
        How many moments, and where.
    """
    wanted = sampling.wanted(duration_s)
    if sampling.endpoints:
        # Not further than the *beginning* of the last frame: as good as its
        # end, and the paper's `linspace(0, n_frames - 1, n)` for a steady rate.
        return np.linspace(0.0, last_s, wanted)
    middles: npt.NDArray[np.float64] = np.arange(wanted, dtype=np.float64) + 0.5
    return middles * (duration_s / wanted)


def sample_indices(
    pts_s: npt.NDArray[np.float64], duration_s: float, sampling: Sampling
) -> npt.NDArray[np.int64]:
    """Return the frames shown at the sampled moments.

    At least one, never more than exist, never one twice, always rising. A frame
    is shown from its presentation time until that of the next one, so where a
    long-standing frame is on show at several of the moments, it is taken once.

    With ``.`` a frame that is skipped and ``^`` one that is taken, at a steady
    rate::

        frames=4 of 8             . ^ . ^ . ^ . ^   [1, 3, 5, 7]
        frames=2 of 8             . . ^ . . . ^ .   [2, 6]
        frames=2 of 8, endpoints  ^ . . . . . . ^   [0, 7]
        frames=8 of 3             ^ ^ ^             [0, 1, 2]

    Parameters
    ----------
    pts_s
        Presentation time of each frame in seconds, shape ``(n,)``, n >= 1,
        never falling. Only differences to the first one count.
    duration_s
        From the first presentation time to the end of the last frame's display.
    sampling
        How many frames, and where.

    Returns
    -------
    int64 ndarray
        Positions in *pts_s*, strictly rising.
    """
    if pts_s.ndim != 1 or not len(pts_s):
        raise ValueError(f"pts_s needs shape (n,) with n >= 1, got {pts_s.shape}")
    if not np.isfinite(pts_s).all() or (np.diff(pts_s) < 0).any():
        raise ValueError("pts_s must be finite and must not fall")
    begins = pts_s - pts_s[0]
    last = float(begins[-1])
    if not (math.isfinite(duration_s) and duration_s >= last):
        raise ValueError(
            f"duration_s must not end before the last frame begins ({last} s), "
            f"got {duration_s!r}"
        )
    times = sample_times(last, duration_s, sampling)
    shown = np.searchsorted(begins, times + _TIE, side="right") - 1
    return np.unique(shown).astype(np.int64)
