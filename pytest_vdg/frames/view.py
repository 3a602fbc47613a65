"""`View`: how the frames of a condition are read, before anything is done to them.

Apart from the conditions, which are made of pictures that were read, because
what is read is planned, counted and decoded by others: conditions with one view
share one clip.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.sampling import Sampling

LOWEST_CRF, HIGHEST_CRF = 0, 51
"""Constant rate factors of H.264: from lossless to the worst there is."""


@dataclass(frozen=True, kw_only=True)
class View:
    """Which frames of a video are read, and whether it is encoded again before."""

    sampling: Sampling
    """Which frames."""
    crf: int | None = None
    """Constant rate factor at which the video is encoded with H.264 first, 0 to
    51; None for the video as it is."""

    def __post_init__(self) -> None:
        """Refuse a factor that no encoder takes."""
        check_crf(self.crf)


def check_crf(crf: int | None) -> None:
    """Raise unless *crf* is None or a whole number that H.264 knows."""
    if crf is None:
        return
    if isinstance(crf, bool) or not isinstance(crf, int):
        raise TypeError(f"crf must be an integer, got {crf!r}")
    if not LOWEST_CRF <= crf <= HIGHEST_CRF:
        raise ValueError(f"crf must be {LOWEST_CRF} to {HIGHEST_CRF}, got {crf!r}")


def check_reader(reader: str, crf: int | None) -> None:
    """Raise `ConfigError` where frames at *crf* would not be those of *reader*."""
    if crf is not None and reader == "decord":
        raise ConfigError(
            "compressed frames are read by PyAV, and those of the original would be "
            "decord's: two differences at once. Set reader: auto, or pyav"
        )
