"""Tests of `Media`: the pictures that are sent are the frames themselves."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends import _server_media
from pytest_vdg.backends._server_media import Media, _ticks, encoded, encoded_video
from pytest_vdg.backends._server_settings import ServerSettings
from tests.backends.conftest import make_clip
from tests.backends.stubserver import read_message, read_video

URL = "http://127.0.0.1:8000/v1"


def media(**server: object) -> Media:
    """Return what encodes clips as *server* says."""
    return Media(ServerSettings.of("m", {"url": URL, **server}))


@pytest.mark.parametrize("size", [(48, 48), (33, 17), (1, 1)])
@pytest.mark.parametrize("frames_as", ["images", "video"])
def test_nothing_is_lost_on_the_way(frames_as: str, size: tuple[int, int]) -> None:
    """Every pixel of noise, in odd sizes too, and in the order of the clip."""
    if frames_as == "video" and size == (1, 1):
        size = (2, 2)
    clip = make_clip(5, size=size)
    _, pictures = read_message({"content": media(frames_as=frames_as).parts(clip)})
    assert np.array_equal(np.stack(pictures), clip.frames)


def test_a_video_has_the_times_of_its_frames() -> None:
    """They start at zero, and uneven ones stay uneven."""
    import av

    clip = make_clip(4, timestamps_s=[1.0, 1.5, 3.25, 3.2505])
    with av.open(io.BytesIO(encoded_video(clip))) as container:
        times = [float(f.time or 0) for f in container.decode(video=0)]
    assert times == pytest.approx([0.0, 0.5, 2.25, 2.251], abs=1e-3)
    assert len(read_video(encoded_video(make_clip(1)))) == 1


def test_jpeg_keeps_black_black() -> None:
    """The condition that shows nothing shows nothing, after a lossy format too."""
    from PIL import Image

    black = make_clip(1, black=True).frames[0]
    shown = np.asarray(Image.open(io.BytesIO(encoded(black, "jpeg"))))
    assert not shown.any()


def test_a_picture_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shuffled shows the same pictures as original, and black one picture."""
    made = []

    def noted(frame: object, kind: str) -> bytes:
        made.append(kind)
        return encoded(frame, kind)  # type: ignore[arg-type]

    monkeypatch.setattr(_server_media, "encoded", noted)
    shared = media()
    first = shared.parts(make_clip(4))
    assert shared.parts(make_clip(4)) == first
    shared.parts(make_clip(4, black=True))
    assert len(made) == 5


def test_the_same_frames_at_other_times_are_another_video() -> None:
    """Slow motion is not the clip; asked again, each is what it was."""
    shared = media(frames_as="video")
    slow, fast = make_clip(4, fps=1.0), make_clip(4, fps=8.0)
    first = [shared.parts(clip) for clip in (slow, fast)]
    assert first[0] != first[1]
    assert [shared.parts(clip) for clip in (slow, fast)] == first


def test_the_same_bytes_in_another_size_are_another_picture() -> None:
    """Black pictures of two clips differ in nothing else."""
    shared = media()
    clips = [make_clip(1, black=True, size=size) for size in ((2, 8), (4, 4))]
    for clip in clips:
        _, pictures = read_message({"content": shared.parts(clip)})
        assert np.array_equal(np.stack(pictures), clip.frames)


@given(st.lists(st.floats(0, 5), min_size=1, max_size=12))
def test_each_frame_is_shown_after_the_one_before(gaps: list[float]) -> None:
    """To the thousandth of a second from the first on, and never two at once."""
    times = np.cumsum([3.0, *gaps])
    ticks = _ticks(make_clip(len(times), size=(2, 2), timestamps_s=list(times)))
    assert ticks[0] == 0
    assert all(a < b for a, b in pairwise(ticks))
    late = [tick - 1000 * (time - 3.0) for tick, time in zip(ticks, times, strict=True)]
    assert min(late) >= -0.501
    assert max(late) <= 0.501 + len(times)  # where some are less than that apart


def test_the_picture_that_was_used_last_is_held_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The original's frames come back under each condition; others' do not."""
    clips = [make_clip(1, seed=seed) for seed in range(3)]
    size = len(media().parts(clips[0])[0]["image_url"]["url"])
    monkeypatch.setattr(_server_media, "MOST_HELD", 2 * size + size // 2)
    shared, made = media(), []
    plain = _server_media.encoded
    monkeypatch.setattr(
        _server_media,
        "encoded",
        lambda frame, kind: made.append(1) or plain(frame, kind),
    )
    for place in (0, 1, 0, 2, 0):
        shared.parts(clips[place])
    assert len(made) == 3
    shared.close()
    assert shared._size == 0 == len(shared._held)
    for place in (0, 1, 0, 1):
        shared.parts(clips[place])
    assert len(made) == 5


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old pictures go when the room is used up, and come back right."""
    clips = [make_clip(2, seed=seed) for seed in range(4)]
    before = [media().parts(clip) for clip in clips]
    size = len(before[0][0]["image_url"]["url"])
    monkeypatch.setattr(_server_media, "MOST_HELD", 3 * size)
    small = media()
    assert [small.parts(clip) for clip in clips] == before
    assert sum(map(len, small._held.values())) <= 3 * size
    assert small.parts(clips[0]) == before[0]
