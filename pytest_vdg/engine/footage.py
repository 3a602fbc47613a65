"""`Footage`: one video of a run as its questions see it, and its partner.

Apart from the reel, which has the clips of all videos, because a failure to
decode must be remembered as faithfully as a clip: it is each question's reason.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from pytest_vdg.engine.plan import VideoPlan
from pytest_vdg.engine.reel import Reel
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import MediaError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import file_digest
from pytest_vdg.frames.decoding import Want
from pytest_vdg.frames.excerpt import Excerpt

DARKEST = 1.0
"""Mean value, of 255, below which a clip is as good as black."""


def digests(videos: Iterable[VideoPlan]) -> dict[str, str]:
    """Return the content digest of each video that can be read at all."""
    found = {}
    for video in videos:
        try:
            found[video.video] = file_digest(video.path)
        except MediaError:  # noqa: PERF203
            # Preflight names it with its reason; its cells come to `failed`.
            continue
    return found


class Footage:
    """The clips of one video, and of the partner that stands in for it.

    Only the last excerpt's frames are held: the plan keeps questions about one
    excerpt together, and all of a long video's would not fit into memory.
    """

    def __init__(
        self,
        video: VideoPlan,
        paths: Mapping[str, Path],
        settings: RunSettings,
        reel: Reel,
    ) -> None:
        """Decode nothing yet. *paths* are those of all videos of the slice."""
        self._path = video.path
        self._partner = video.partner
        self._partner_path = paths.get(video.partner or "")
        self._partner_excerpt = video.partner_excerpt
        self._size = settings.size
        self._reel = reel
        self._read: dict[str, tuple[Hashable, Clip | MediaError]] = {}

    def clip(self, excerpt: Excerpt) -> Clip:
        """Return the sampled frames; raise `MediaError` each time if there are none."""
        want = Want(path=self._path, excerpt=excerpt, size=self._size)
        return self._once("clip", excerpt, partial(self._reel.take, want))

    def partner(self, excerpt: Excerpt) -> Clip:
        """Return the partner's frames at the size of the clip of *excerpt*.

        Of the partner its own excerpt is shown, whatever that of the question.
        """
        size = self.clip(excerpt).size
        try:
            return self._once("partner", size, partial(self._partner_at, size))
        except MediaError as e:
            raise MediaError(f"partner video {self._partner}: {e}") from e

    def has_light(self, excerpt: Excerpt) -> bool:
        """Whether the clip of *excerpt* is known to differ visibly from black."""
        try:
            return has_light(self.clip(excerpt))
        except MediaError:
            return False

    def _partner_at(self, size: tuple[int, int]) -> Clip:
        assert self._partner_path is not None, "the plan gave this video no partner"
        want = Want(
            path=self._partner_path, excerpt=self._partner_excerpt, size=self._size
        )
        if self._size is None and self._reel.offers(want):
            clip = self._reel.take(want)
            if clip.size == size:
                return clip
        if self._size is None:
            want = replace(want, size=size)
        return self._reel.take(want)

    def _once(self, name: str, key: Hashable, read: Callable[[], Clip]) -> Clip:
        if name not in self._read or self._read[name][0] != key:
            self._read.pop(name, None)  # its frames are freed before others come
            self._read[name] = key, _tried(read)
        _, result = self._read[name]
        if isinstance(result, MediaError):
            raise result
        return result


def has_light(clip: Clip) -> bool:
    """Whether *clip* differs visibly from black."""
    return float(clip.frames.mean()) >= DARKEST


def _tried(read: Callable[[], Clip]) -> Clip | MediaError:
    try:
        return read()
    except MediaError as e:
        return e
