"""Which frames of a video an excerpt leaves to look at, and whether it has any.

Apart from `Excerpt`, which a question carries without knowing its video, and
from the readers, so that all of them cut by the same rule: arithmetic on times
only, no decoding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._timeline import VideoInfo
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.sampling import Sampling, sample_indices

Pick = Callable[[VideoInfo], npt.NDArray[np.int64]]
"""Chooses frames of a video, as `frames_to_take` does; all a reader must know."""

EDGE_S = 6e-4
"""Seconds by which a bound may miss the frame that it means. Matroska and WebM
have times in whole milliseconds, off by half of one; annotations count frames at
29.97 a second where 30000/1001 is meant, off by a tenth of one within 100 s."""

OVERSHOOT_S = 2.5
"""Seconds by which an excerpt may end after its video does, at most half of it.

People mark ends by hand, and published files are used that way: Charades has
actions that end 1.5 s after their video (42K3H), and MVBench mended a record to
0 to 8 s of a video of 6 s (5W1Z7). Where more is missing the file is cut short,
or cut already and its bounds are those of the uncut one."""


def check_excerpt(info: VideoInfo, excerpt: Excerpt) -> float:
    """Return when *excerpt* ends in the video that *info* describes, in seconds.

    Raises
    ------
    MediaError
        If it begins when the video is over, or ends later than the video by
        more than `OVERSHOOT_S` or half of its own length, whichever is less;
        one frame is always forgiven.
    """
    length = info.duration_s
    end = length if excerpt.end_s is None else excerpt.end_s
    allowed = max(min(OVERSHOOT_S, (end - excerpt.start_s) / 2), length / info.frames)
    if excerpt.start_s >= length or end - length > allowed:
        raise MediaError(
            f"the video is {_decimals(length)} s long{_rate_of(info)}, the question "
            f"is about {_bounds(excerpt)}; probably this is another cut of the video "
            "than the one the annotations are about"
        )
    return min(end, length)


def frames_to_take(
    info: VideoInfo, *, sampling: Sampling, excerpt: Excerpt
) -> npt.NDArray[np.int64]:
    """Return the frames shown at the sampled moments of *excerpt*.

    It is sampled as a video of its own, as long as the excerpt. With ``.`` a
    frame that is skipped and ``^`` one that is taken, at one frame a second::

        all of it, frames=4        . ^ . ^ . ^ . ^   [1, 3, 5, 7]
        2 to 6 s, frames=2             . ^ . ^       [3, 5]
        2.5 to 6 s, frames=9           ^ ^ ^ ^       [2, 3, 4, 5]

    Parameters
    ----------
    info
        The times of all frames of the video.
    sampling
        How many moments, and where.
    excerpt
        From the frame on show at its start, which counts as beginning there,
        to the last frame that begins before its end.

    Returns
    -------
    int64 ndarray
        Positions in the whole video, strictly rising, at least one.

    Raises
    ------
    MediaError
        As `check_excerpt` does.
    """
    end = check_excerpt(info, excerpt)
    start = excerpt.start_s
    if not start and excerpt.end_s is None:
        return sample_indices(info.pts_s, info.duration_s, sampling)
    first, stop = frames_within(info, excerpt)
    begins = info.pts_s[first:stop] - start
    begins[0] = 0.0
    return first + sample_indices(begins, end - start, sampling)


def frames_within(info: VideoInfo, excerpt: Excerpt) -> tuple[int, int]:
    """Return the first frame of *excerpt*, and the one after its last.

    Raises `MediaError` as `check_excerpt` does.
    """
    end, start = check_excerpt(info, excerpt), excerpt.start_s
    edge = min(EDGE_S, (end - start) / 2)
    first = int(np.searchsorted(info.pts_s, start + edge, side="right")) - 1
    stop = int(np.searchsorted(info.pts_s, end - edge, side="left"))
    if end == info.duration_s:
        stop = info.frames
    return first, max(stop, first + 1)


def _bounds(excerpt: Excerpt) -> str:
    """Return the excerpt in words."""
    start = _decimals(excerpt.start_s)
    if excerpt.end_s is None:
        return f"what comes after {start} s"
    return f"{start}-{_decimals(excerpt.end_s)} s"


def _rate_of(info: VideoInfo) -> str:
    """Return how a folder's length comes about; nothing for a file."""
    if info.codec != "pictures":
        return ""
    return f" ({info.frames} pictures at {_decimals(info.fps)} a second)"


def _decimals(number: float) -> str:
    """Return *number* as people write it, to a hundredth.

    >>> _decimals(6.0), _decimals(33.599999999999994)
    ('6', '33.6')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")
