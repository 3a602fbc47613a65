"""Several samplings of one video, taken in one pass.

Apart from ``decode.py`` so that what one pass takes, and which of it belongs to
which sampling, is the same rule read twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._timeline import Reading, VideoInfo
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.window import frames_to_take


def all_of(
    info: VideoInfo, *, samplings: Sequence[Sampling], excerpt: Excerpt
) -> npt.NDArray[np.int64]:
    """Return the frames that any of *samplings* takes of *excerpt*."""
    taken = [frames_to_take(info, sampling=s, excerpt=excerpt) for s in samplings]
    return np.unique(np.concatenate(taken))


def parted(
    clip: Clip, reading: Reading, samplings: Sequence[Sampling], excerpt: Excerpt
) -> Clip:
    """Return *clip*, which knows what of it belongs to each of several samplings."""
    if len(samplings) == 1:
        return clip
    takes = []
    for sampling in samplings:
        wanted = frames_to_take(reading.info, sampling=sampling, excerpt=excerpt)
        if not np.isin(wanted, reading.indices).all():
            raise MediaError("decodes differently each time it is read")
        takes.append(tuple(np.searchsorted(reading.indices, wanted).tolist()))
    return replace(clip, takes=tuple(takes))
