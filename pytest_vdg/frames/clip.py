"""`Clip`: the frames a model is shown, and the moments they belong to.

Apart from decoding and sampling so that conditions, backends and tests handle
frames without a video file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Clip:
    """Frames with the moments they were taken at, checked and read-only."""

    frames: npt.NDArray[np.uint8]
    """RGB, uint8, shape ``(T, H, W, 3)``, T >= 1, in displayed orientation."""
    timestamps_s: npt.NDArray[np.float64]
    """Presentation time of each frame in seconds from the first frame of the
    video, shape ``(T,)``. Conditions never change it: the *time marks* stay
    when the pictures move."""
    source_fps: float
    """Mean frame rate of the whole video in frames a second, > 0."""
    source_frames: int
    """Number of frames of the whole video, >= T."""
    source_indices: tuple[int, ...]
    """Position of each frame in the whole video, counted from 0 in
    presentation order, length T."""
    reader: str
    """What decoded the frames, e.g. ``pyav-16.0``; ``synthetic`` for none."""
    crf: int | None = None
    """Constant rate factor at which the video was encoded again before the frames
    were taken; None for the video as it is."""
    takes: tuple[tuple[int, ...], ...] = ()
    """Rows of the clip that belong to each of several samplings, where it was read
    for more than one; see `take`."""

    def __post_init__(self) -> None:
        """Check shapes and dtypes, and make the arrays read-only."""
        shape = self.frames.shape
        if self.frames.dtype != np.uint8 or len(shape) != 4 or shape[3] != 3:
            raise ValueError(
                "frames must be uint8 of shape (T, H, W, 3), "
                f"got {self.frames.dtype} of shape {shape}"
            )
        if 0 in shape:
            raise ValueError(f"a clip needs at least one pixel, got shape {shape}")
        if self.timestamps_s.shape != shape[:1]:
            raise ValueError(
                f"{shape[0]} frames need as many timestamps, "
                f"got shape {self.timestamps_s.shape}"
            )
        if len(self.source_indices) != shape[0]:
            raise ValueError(
                f"{shape[0]} frames need as many source indices, "
                f"got {len(self.source_indices)}"
            )
        if not (np.isfinite(self.source_fps) and self.source_fps > 0):
            raise ValueError(f"source_fps must be above 0, got {self.source_fps!r}")
        self.frames.setflags(write=False)
        self.timestamps_s.setflags(write=False)

    def __len__(self) -> int:
        """Return the number of frames T."""
        return int(self.frames.shape[0])

    def __repr__(self) -> str:
        """Show the shape and the times instead of the pixels."""
        first, last = self.timestamps_s[0], self.timestamps_s[-1]
        return f"Clip(shape={self.frames.shape}, {first:.2f}s to {last:.2f}s)"

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return int(self.frames.shape[1]), int(self.frames.shape[2])

    def take(self, place: int) -> Clip:
        """Return the clip of the sampling at *place*; itself where it has one only."""
        if not self.takes:
            return self
        rows = list(self.takes[place])
        return replace(
            self,
            frames=self.frames[rows],
            timestamps_s=self.timestamps_s[rows],
            source_indices=tuple(self.source_indices[row] for row in rows),
            takes=(),
        )

    def digest(self) -> str:
        """Return a SHA-256 hex digest of shape and pixels (not of the times)."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        state = hashlib.sha256(repr(self.frames.shape).encode())
        state.update(np.ascontiguousarray(self.frames).data)
        return state.hexdigest()
