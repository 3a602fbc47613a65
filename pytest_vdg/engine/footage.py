"""`Footage`: one video of a run as its questions see it, and its partner.

Apart from the reel, which has the clips of all videos, because a failure to
decode must be remembered as faithfully as a clip: it is each question's reason.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
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
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.view import View

DARKEST = 1.0
"""Mean value, of 255, below which a clip is as good as black."""


def digests(paths: Mapping[str, Path]) -> dict[str, str]:
    """Return the content digest of each video that can be read at all.

    *paths* are where the videos lie, by their names.
    """
    found = {}
    for video, path in paths.items():
        try:
            found[video] = file_digest(path)
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
        also: tuple[Sampling, ...] = (),
    ) -> None:
        """Decode nothing yet. *paths* are those of all videos of the slice.

        *also* are the samplings besides the run's own that are read with it.
        """
        self._path = video.path
        self._partner = video.partner
        self._partner_path = paths.get(video.partner or "")
        self._partner_excerpt = video.partner_excerpt
        self._size = settings.size
        self._own = View(sampling=settings.sampling)
        self._also = also
        self._reel = reel
        self._read: dict[str, tuple[Hashable, Clip | MediaError]] = {}

    def clip(self, excerpt: Excerpt, view: View | None = None) -> Clip:
        """Return the frames of *view*, by default the sampled ones of the run.

        Raises `MediaError` each time if there are none.
        """
        view = view or self._own
        if view.crf is not None:
            read = partial(self._compressed, excerpt, view.crf)
            return self._once(f"compressed:{view.crf}", excerpt, read)
        if not self._also:
            return self._all(excerpt)
        place = (self._own.sampling, *self._also).index(view.sampling)
        read = partial(self._part, excerpt, place)
        return self._once(f"part {place}", excerpt, read)

    def _all(self, excerpt: Excerpt) -> Clip:
        """Return the frames of all samplings."""
        want = self._want(self._path, excerpt)
        return self._once("clip", excerpt, partial(self._reel.take, want))

    def _part(self, excerpt: Excerpt, place: int) -> Clip:
        return self._all(excerpt).take(place)

    def _compressed(self, excerpt: Excerpt, crf: int) -> Clip:
        """Return the run's sampled frames as they look at *crf*.

        They are held against the original's where these are there; in any case
        the reader has held them against the file.
        """
        want = Want(path=self._path, excerpt=excerpt, size=self._size, crf=crf)
        clip = self._reel.take(want)
        held, found = self._read.get("clip", (None, None))
        if held == excerpt and isinstance(found, Clip):
            _require_alike(found.take(0), clip)
        return clip

    def _want(self, path: Path, excerpt: Excerpt) -> Want:
        return Want(path=path, excerpt=excerpt, size=self._size, also=self._also)

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

    def light_of(self, source: Clip | None, excerpt: Excerpt) -> Callable[[], bool]:
        """Return what looks at *source*, else at the clip of *excerpt*.

        The clip itself, where there is one: the video may have moved on from it.
        """
        if source is not None:
            return partial(has_light, source)
        return partial(self.has_light, excerpt)

    def _partner_at(self, size: tuple[int, int]) -> Clip:
        assert self._partner_path is not None, "the plan gave this video no partner"
        want = self._want(self._partner_path, self._partner_excerpt)
        if self._size is None and self._reel.offers(want):
            clip = self._reel.take(want)
            if clip.size == size:
                return clip.take(0)
        if self._size is None:
            want = replace(want, size=size)
        return self._reel.take(want).take(0)

    def _once(self, name: str, key: Hashable, read: Callable[[], Clip]) -> Clip:
        if name not in self._read or self._read[name][0] != key:
            self._read.pop(name, None)  # its frames are freed before others come
            self._read[name] = key, _tried(read)
        _, result = self._read[name]
        if isinstance(result, MediaError):
            raise result
        return result


def _require_alike(original: Clip, compressed: Clip) -> None:
    """Raise `MediaError` where more than the pictures of two clips differs."""
    for what, one, other in (
        ("number of frames", len(original), len(compressed)),
        ("size", original.size, compressed.size),
        ("frames", original.source_indices, compressed.source_indices),
        ("times", original.timestamps_s.tolist(), compressed.timestamps_s.tolist()),
    ):
        if one != other:
            raise MediaError(
                f"another {what} after encoding: {other!s:.60}, the video has "
                f"{one!s:.60}"
            )


def has_light(clip: Clip) -> bool:
    """Whether *clip* differs visibly from black."""
    return float(clip.frames.mean()) >= DARKEST


def _tried(read: Callable[[], Clip]) -> Clip | MediaError:
    try:
        return read()
    except MediaError as e:
        return e
