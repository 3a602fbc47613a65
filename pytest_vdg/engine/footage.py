"""Videos of a run, each decoded when it is first needed and at most once.

Apart from the runner so that "decode once" is a property of one small object,
and a failure to decode is remembered as faithfully as a clip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_vdg.engine.plan import VideoPlan
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import MediaError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import file_digest, read_clip

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
    """The clip of one video, and of the partner that stands in for it."""

    def __init__(
        self, video: VideoPlan, paths: Mapping[str, Path], settings: RunSettings
    ) -> None:
        """Decode nothing yet. *paths* are those of all videos of the slice."""
        self._path = video.path
        self._partner = video.partner
        self._partner_path = paths.get(video.partner or "")
        self._settings = settings
        self._read: dict[str, Clip | MediaError] = {}

    def clip(self) -> Clip:
        """Return the sampled frames; raise `MediaError` each time if there are none."""
        return self._once("clip", self._path, self._settings.size)

    def partner(self) -> Clip:
        """Return the partner's frames at the size of `clip`."""
        assert self._partner_path is not None, "the plan gave this video no partner"
        size = self.clip().size
        try:
            return self._once("partner", self._partner_path, size)
        except MediaError as e:
            raise MediaError(f"partner video {self._partner}: {e}") from e

    def has_light(self) -> bool:
        """Whether the clip is known to differ visibly from black."""
        try:
            return float(self.clip().frames.mean()) >= DARKEST
        except MediaError:
            return False

    def _once(self, name: str, path: Path, size: tuple[int, int] | None) -> Clip:
        if name not in self._read:
            how = self._settings
            try:
                self._read[name] = read_clip(
                    path, how.sampling, reader=how.reader, size=size
                )
            except MediaError as e:
                self._read[name] = e
        result = self._read[name]
        if isinstance(result, MediaError):
            raise result
        return result
