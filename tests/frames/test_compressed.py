"""What H.264 does to a clip, and all that it leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vdg.errors import ConfigError, MediaError
from pytest_vdg.frames import _compressed, _encode, _pyav
from pytest_vdg.frames._encode import SETTINGS, TICKS, encoding, recoded
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.decode import read_clip
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.frames.sampling import Sampling
from tests.frames.clips import KINDS, cut, damage, numbers, steady, write
from tests.realdata import real

FIVE = Sampling(frames=5)
REAL = (
    "av1_video.mkv",
    "carphone_pristine.mp4",
    "h265_video.mp4",
    "video_0.mov",
    "video_90.mov",
    "video_180.mov",
    "video_270.mov",
)
"""Footage of cameras, held in all ways."""


def scene(index: int, height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return an RGB picture of moving waves, which compression does hurt."""
    y, x = np.mgrid[:height, :width]
    waves = [
        np.sin((x + 3 * index) / 7),
        np.sin((y - 2 * index) / 5),
        np.cos((x + y + index) / 9),
    ]
    return (127 + 90 * np.stack(waves, axis=-1)).astype(np.uint8)


def film(
    path: Path,
    *,
    codec: str = "ffv1",
    pixels: str = "yuv420p",
    size: tuple[int, int] = (48, 64),
    times: Sequence[float] = tuple(steady(12)),
    rotation: int = 0,
) -> Path:
    """Write moving waves to *path* and return it; FFV1 loses nothing."""
    base = Fraction(1, 1000)
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=30)
        stream.height, stream.width = size
        stream.pix_fmt = pixels
        stream.codec_context.time_base = base
        stream.codec_context.thread_count = 1
        if rotation:
            stream.set_display_rotation(rotation)
        for index, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(scene(index, *size), format="rgb24")
            frame = frame.reformat(format=pixels)
            frame.pts, frame.time_base = round(time / base), base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def psnr(one: Clip, other: Clip) -> float:
    """Return the peak signal to noise ratio of two clips in decibels."""
    apart = (one.frames.astype(float) - other.frames).astype(float)
    error = float((apart**2).mean())
    return float("inf") if error == 0 else 10 * np.log10(255**2 / error)


def require_alike(one: Clip, other: Clip) -> None:
    """Hold everything but the pixels of two clips against each other."""
    assert one.frames.shape == other.frames.shape
    assert one.timestamps_s.tolist() == other.timestamps_s.tolist()
    assert one.source_indices == other.source_indices
    assert (one.source_fps, one.source_frames) == (
        other.source_fps,
        other.source_frames,
    )


# -- what stays --------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_only_pictures_change(clip_file: Callable[[str], Path], name: str) -> None:
    """Of every kind of file: as many frames, of the same numbers, times and size."""
    path = clip_file(name)
    original, shown = read_clip(path, FIVE), read_clip(path, FIVE, crf=28)
    require_alike(original, shown)
    assert numbers(shown) == numbers(original)
    assert (original.crf, shown.crf) == (None, 28)


@given(
    size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    gaps=st.lists(st.integers(1, 400), max_size=15),
    how=st.tuples(
        st.integers(1, 20), st.integers(0, 51), st.sampled_from([0, 90, 180, 270])
    ),
)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_size_any_times_any_rotation(
    tmp_path: Path,
    size: tuple[int, int],
    gaps: list[int],
    how: tuple[int, int, int],
) -> None:
    """Also a single pixel, a single frame, frames of any length, odd sides, turned."""
    frames, crf, rotation = how
    times = (np.cumsum([0, *gaps]) / 1000).tolist()
    path = tmp_path / "x.mp4"
    film(path, codec="libvpx-vp9", size=size, times=times, rotation=rotation)
    sampling = Sampling(frames=frames)
    original = read_clip(path, sampling)
    require_alike(original, read_clip(path, sampling, crf=crf))


@pytest.mark.parametrize(
    ("codec", "pixels"),
    [
        ("ffv1", "yuv420p"),
        ("ffv1", "yuv422p"),
        ("ffv1", "yuv444p"),
        ("ffv1", "yuva420p"),
        ("ffv1", "gray"),
        ("libx264", "yuvj420p"),
        ("mjpeg", "yuvj422p"),
    ],
)
@pytest.mark.parametrize("shown_at", [None, (20, 30)])
def test_at_crf_0_nothing_is_lost(
    tmp_path: Path, codec: str, pixels: str, shown_at: tuple[int, int] | None
) -> None:
    """8 bits come back to the bit: no pixel format, range or scaling differs."""
    path = film(tmp_path / "x.mkv", codec=codec, pixels=pixels, size=(34, 46))
    original = read_clip(path, FIVE, size=shown_at)
    lossless = read_clip(path, FIVE, size=shown_at, crf=0)
    assert np.array_equal(original.frames, lossless.frames)


@pytest.mark.parametrize("pixels", ["bgra", "yuv420p12le", "yuv444p10le", "rgb48le"])
def test_what_h264_has_not_is_only_rounded(tmp_path: Path, pixels: str) -> None:
    """RGB and many bits lose a level or two of 255: above 45 dB at CRF 0."""
    path = film(tmp_path / "x.mkv", pixels=pixels, size=(35, 47))
    assert psnr(read_clip(path, FIVE), read_clip(path, FIVE, crf=0)) > 45


@pytest.mark.parametrize("pixels", ["yuv410p", "yuv411p", "yuv440p"])
def test_chroma_that_h264_has_not_is_refused(tmp_path: Path, pixels: str) -> None:
    """Converted, it would change by more than compression does: about 30 dB."""
    path = film(tmp_path / "x.mkv", pixels=pixels)
    with pytest.raises(
        MediaError, match=f"no pixel format with the chroma of {pixels}"
    ):
        read_clip(path, FIVE, crf=28)


def test_an_odd_edge_is_taken_off_again(tmp_path: Path) -> None:
    """Of 35 x 47 pictures with halved chroma, which H.264 has in even sizes only."""
    path = film(tmp_path / "x.webm", codec="libvpx-vp9", size=(35, 47))
    original = read_clip(path, FIVE)
    assert original.size == (35, 47)
    assert np.array_equal(original.frames, read_clip(path, FIVE, crf=0).frames)


# -- what is lost ------------------------------------------------


@pytest.mark.parametrize("name", REAL)
def test_a_higher_crf_loses_more(name: str) -> None:
    """On real footage: nothing at 0, then 10, 18, 28, 38 and 51 in this order."""
    path = real(f"videos/{name}")
    original = read_clip(path, FIVE)
    shown = [read_clip(path, FIVE, crf=crf) for crf in (0, 10, 18, 28, 38, 51)]
    for clip in shown:
        require_alike(original, clip)
    ratios = [psnr(original, clip) for clip in shown]
    assert ratios[0] == float("inf")
    assert sorted(set(ratios), reverse=True) == ratios
    assert ratios[2] > 35  # CRF 18 is taken for visually lossless
    assert ratios[-1] < 28


def test_the_frames_are_those_of_the_whole_file_encoded_again(tmp_path: Path) -> None:
    """To the bit, as if the encoded video were a file that is read like any other."""
    path = real("videos/carphone_pristine.mp4")
    again = tmp_path / "again.mkv"
    with av.open(str(path)) as given, av.open(str(again), "w") as out:
        stream = out.add_stream("libx264", options={**SETTINGS, "crf": "33"})
        stream.width, stream.height, stream.pix_fmt = 176, 144, "yuv420p"
        context = stream.codec_context
        context.time_base, context.thread_count = Fraction(1, TICKS), 1
        for frame in given.decode(video=0):
            assert frame.time is not None
            frame.pts, frame.time_base = round(frame.time * TICKS), Fraction(1, TICKS)
            frame.pict_type = 0
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    sampling = Sampling(frames=7)
    expected = read_clip(again, sampling)
    shown = read_clip(path, sampling, crf=33)
    assert np.array_equal(expected.frames, shown.frames)


def test_a_frame_depends_on_those_around_it(tmp_path: Path) -> None:
    """So that encoding the sampled frames alone would show other pictures."""
    path = film(tmp_path / "x.mkv", times=steady(60))
    few = film(tmp_path / "few.mkv", times=steady(1))
    one = Sampling(frames=1000, endpoints=True)
    whole = read_clip(path, one, crf=38).frames[0]
    assert np.array_equal(read_clip(path, one).frames[0], read_clip(few, one).frames[0])
    assert not np.array_equal(whole, read_clip(few, one, crf=38).frames[0])


def test_what_is_sampled_does_not_change_what_is_seen(tmp_path: Path) -> None:
    """A frame looks the same whichever others are taken, and however early it ends."""
    path = film(tmp_path / "x.mkv", times=steady(400), size=(16, 16))
    all_of_them = read_clip(path, Sampling(frames=400), crf=30).frames
    for count in (1, 2, 7):
        clip = read_clip(path, Sampling(frames=count), crf=30)
        for index, frame in zip(clip.source_indices, clip.frames, strict=True):
            assert np.array_equal(frame, all_of_them[index])


def test_the_same_comes_out_each_time(tmp_path: Path) -> None:
    """Whatever lies in memory: x264 without ``cpu-independent`` gives two results."""
    path = film(tmp_path / "x.mkv", size=(36, 48), times=steady(20))
    rng, seen = np.random.default_rng(0), set()
    for _ in range(12):
        junk = [
            rng.integers(0, 255, int(n), np.uint8) for n in rng.integers(1e2, 1e5, 30)
        ]
        del junk
        seen.add(read_clip(path, FIVE, crf=18).digest())
    assert len(seen) == 1


# -- parts of videos, folders ------------------------------------


def test_an_excerpt_is_encoded_as_a_video_of_its_own(tmp_path: Path) -> None:
    """Its pictures do not depend on what comes before it, nor on what comes after."""
    part = Excerpt(start_s=1.0, end_s=2.0)
    path = film(tmp_path / "x.mkv", times=steady(90))
    shown = read_clip(path, FIVE, excerpt=part, crf=33)
    require_alike(read_clip(path, FIVE, excerpt=part), shown)
    base = Fraction(1, 1000)
    with av.open(str(path)) as given, av.open(str(tmp_path / "cut.mkv"), "w") as out:
        stream = out.add_stream("ffv1", rate=30)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "yuv420p"
        stream.codec_context.time_base = base
        for index, frame in enumerate(given.decode(video=0)):
            if 30 <= index < 60:
                frame.pts, frame.time_base = round((index - 30) / 30 / base), base
                out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    alone = read_clip(tmp_path / "cut.mkv", FIVE, crf=33)
    assert psnr(alone, shown) > 50  # the clocks differ by rounding, hence not equal


@pytest.mark.parametrize("name", ["long_gop.mp4", "open_gop.mkv", "intra_refresh.mp4"])
@pytest.mark.parametrize("start_s", [0.0, 0.4, 1.2, 1.5])
def test_a_late_excerpt_begins_at_a_key_frame(
    clip_file: Callable[[str], Path],
    name: str,
    start_s: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And shows what it shows when the file is decoded from its first frame."""
    part = Excerpt(start_s=start_s, end_s=start_s + 0.5)
    path = clip_file(name)
    sought = read_clip(path, FIVE, excerpt=part, crf=38)
    monkeypatch.setattr(_pyav, "scan", _pyav.scan_by_decoding)
    plain = read_clip(path, FIVE, excerpt=part, crf=38)
    require_alike(sought, plain)
    assert np.array_equal(sought.frames, plain.frames)


def test_a_folder_of_pictures_is_a_video_too(tmp_path: Path) -> None:
    """Its pictures at its rate, all of them encoded, those sampled shown."""
    for index in range(9):
        frame = av.VideoFrame.from_ndarray(scene(index, 33, 47), format="rgb24")
        frame.to_image().save(tmp_path / f"{index}.png")
    part = Excerpt(start_s=1.0, end_s=4.0, picture_rate=2.0)
    for excerpt in (part, Excerpt(picture_rate=2.0)):
        original = read_clip(tmp_path, FIVE, excerpt=excerpt)
        require_alike(original, read_clip(tmp_path, FIVE, excerpt=excerpt, crf=28))
    ratios = [
        psnr(original, read_clip(tmp_path, FIVE, excerpt=excerpt, crf=crf))
        for crf in (0, 18, 38)
    ]
    assert sorted(ratios, reverse=True) == ratios
    assert ratios[0] > 45


def test_pictures_of_two_sizes_are_no_video(tmp_path: Path) -> None:
    """The odd one is named, also where it is not among those sampled."""
    for index, height in enumerate((32, 32, 34, 32)):
        frame = av.VideoFrame.from_ndarray(scene(index, height, 32), format="rgb24")
        frame.to_image().save(tmp_path / f"{index}.png")
    with pytest.raises(MediaError, match=r"2\.png.*\(34, 32\).*\(32, 32\)"):
        read_clip(tmp_path, Sampling(frames=1, endpoints=True), crf=28)


# -- what is refused ---------------------------------------------


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """As it is without encoding: the damage must not be taken for compression."""
    whole = write(tmp_path / "whole.mp4", steady(40), options={"g": "40"})
    broken = damage(whole, range(5, 20), tmp_path / "broken.mp4")
    with pytest.raises(MediaError, match=r"broken\.mp4.*damaged"):
        read_clip(broken, FIVE, crf=28)
    short = cut(write(tmp_path / "x.mkv", steady(90)), 0.5, tmp_path / "short.mkv")
    with pytest.raises(MediaError, match="cut short"):
        read_clip(short, FIVE, crf=28)


def test_a_surprise_means_decoding_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where packets promise other frames than come, what comes is believed."""
    path = write(tmp_path / "x.mp4", steady(30))
    promised = _pyav.scan(path)
    odd = replace(promised, order=(*promised.order[:-1], 1))
    monkeypatch.setattr(_pyav, "scan", lambda _: odd)
    shown = read_clip(path, FIVE, crf=18)
    assert numbers(shown) == numbers(read_clip(path, FIVE, reader="pyav"))


def test_readers_are_not_mixed(clip_file: Callable[[str], Path]) -> None:
    """Decord's original and PyAV's compressed frames would differ in two things."""
    with pytest.raises(ConfigError, match="two differences at once"):
        read_clip(clip_file("one_gop.mp4"), FIVE, reader="decord", crf=28)


@pytest.mark.parametrize("crf", [-1, 52, True, 28.0])
def test_a_crf_that_h264_has_not_is_refused(
    clip_file: Callable[[str], Path], crf: int
) -> None:
    """From 0 to 51, and whole."""
    with pytest.raises((ValueError, TypeError), match="crf must be"):
        read_clip(clip_file("one_gop.mp4"), FIVE, crf=crf)


def test_without_the_encoder_it_is_said_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some builds of PyAV have no libx264."""

    def refuse(name: str, mode: str) -> None:
        raise av.codec.codec.UnknownCodecError(name)

    _encode.encoder_version.cache_clear()
    # In its place, as the class itself can be changed in some releases only.
    monkeypatch.setattr(av, "CodecContext", SimpleNamespace(create=refuse))
    try:
        with pytest.raises(
            ConfigError, match="libx264, which this build of PyAV lacks"
        ):
            read_clip(tmp_path / "nowhere.mp4", FIVE, crf=28)
    finally:
        _encode.encoder_version.cache_clear()


def test_who_encoded_is_told(clip_file: Callable[[str], Path]) -> None:
    """Version and settings by name, in the clip and for keys."""
    shown = read_clip(clip_file("one_gop.mp4"), FIVE, crf=28)
    assert shown.reader.startswith(f"pyav-{av.__version__}, x264 core ")
    for part in ("x264 core ", "libavcodec ", "preset=medium", "threads=1"):
        assert part in encoding()


# -- an encoder that misbehaves ----------------------------------


def grey(count: int) -> list[tuple[int, av.VideoFrame]]:
    """Return frames of one grey, with their positions."""
    made = []
    for place in range(count):
        pixels = np.full((32, 32, 3), 128, np.uint8)
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        made.append((place, frame.reformat(format="yuv420p")))
    return made


def through(count: int, wanted: Sequence[int]) -> list[int]:
    """Return which of *count* frames come back from the encoder."""
    ticks = [3000 * place for place in range(count)]
    found = recoded(grey(count), ticks=ticks, fps=30.0, crf=28, wanted=wanted)
    return [place for place, _ in found]


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_what_is_wanted_comes_back_in_order(data: st.DataObject) -> None:
    """Each once, whatever else is there, beyond several groups of pictures."""
    count = data.draw(st.integers(1, 600))
    wanted = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=9))
    assert through(count, sorted(wanted)) == sorted(wanted)


def test_frames_that_do_not_come_back_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Dropped by the encoder, lost in decoding, of another size: never silent."""
    whole = _encode._decode

    monkeypatch.setattr(_encode, "_decode", lambda packets: list(whole(packets))[:-1])
    with pytest.raises(MediaError, match="decode to others, or to fewer"):
        through(5, [4])

    def smaller(packets: Sequence[av.Packet]) -> list[av.VideoFrame]:
        found = []
        for frame in whole(packets):
            small = frame.reformat(width=16, height=16)
            small.pts = frame.pts
            found.append(small)
        return found

    monkeypatch.setattr(_encode, "_decode", smaller)
    with pytest.raises(MediaError, match="another form"):
        through(5, [4])
    monkeypatch.undo()
    too_far = recoded(grey(3), ticks=[0, 9, 18, 27], fps=30.0, crf=28, wanted=[3])
    with pytest.raises(MediaError, match="1 of the frames asked for did not come back"):
        list(too_far)


def test_a_picture_of_another_size_is_an_error(
    clip_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held against the size that is displayed, after turning."""
    monkeypatch.setattr(
        _compressed, "picture_of", lambda *_: np.zeros((2, 2, 3), np.uint8)
    )
    with pytest.raises(MediaError, match=r"the size \(2, 2\) after encoding"):
        read_clip(clip_file("one_gop.mp4"), FIVE, crf=28)
