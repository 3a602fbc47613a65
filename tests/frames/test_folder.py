"""Claims about folders of pictures that stand for a video (hazard 15)."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from pytest_vdg.errors import MediaError
from pytest_vdg.frames.decode import file_digest, probe, read_clip
from pytest_vdg.frames.sampling import Sampling
from tests.frames.clips import SIZE, numbers, picture

ALL = Sampling(frames=1000)


def save(path: Path, value: int, size: tuple[int, int] = SIZE) -> Path:
    """Write the picture of number *value* to *path*."""
    frame = av.VideoFrame.from_ndarray(picture(value, size), format="rgb24")
    encoder = av.CodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt = size[1], size[0], "rgb24"
    encoder.time_base = Fraction(1)
    path.write_bytes(b"".join(bytes(p) for p in encoder.encode(frame)))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of the unpadded pictures 1.png to 12.png."""
    place = tmp_path / "frames 100%"
    place.mkdir()
    for value in range(1, 13):
        save(place / f"{value}.png", value)
    return place


@pytest.mark.parametrize("reader", ["auto", "pyav", "decord"])
def test_two_comes_before_ten(folder: Path, reader: str) -> None:
    """Numbers order frames by value, not by their first digit."""
    clip = read_clip(folder, ALL, reader=reader)
    assert numbers(clip) == list(range(1, 13))
    assert clip.reader.startswith("pictures-by-pyav-")


def test_clutter_is_passed_over(folder: Path) -> None:
    """What file managers leave behind is no frame."""
    for name in ("Thumbs.db", ".DS_Store", "desktop.ini"):
        (folder / name).write_bytes(b"x")
    assert probe(folder).frames == 12


def test_endings_may_be_in_capitals(folder: Path) -> None:
    """A camera's .PNG is a picture like any other."""
    save(folder / "13.PNG", 13)
    assert numbers(read_clip(folder, ALL))[-1] == 13


@pytest.mark.parametrize("name", ["notes.txt", "13.mp4", "13"])
def test_a_stray_file_is_an_error(folder: Path, name: str) -> None:
    """An unknown file may be a frame that would be missed."""
    (folder / name).write_bytes(b"x")
    with pytest.raises(MediaError, match=f"'{name}', which is no picture"):
        probe(folder)


def test_two_files_cannot_be_one_frame(folder: Path) -> None:
    """1.png and 01.png claim the same place."""
    save(folder / "01.png", 7)
    with pytest.raises(MediaError, match=r"claim the same place"):
        probe(folder)


def test_frames_of_one_video_have_one_size(folder: Path) -> None:
    """A picture of another size is named."""
    save(folder / "5.png", 5, (24, 32))
    with pytest.raises(MediaError, match=r"'5.png' has the size \(24, 32\)"):
        read_clip(folder, ALL)


def test_a_broken_picture_is_named(folder: Path) -> None:
    """The message tells which of the frames cannot be read."""
    (folder / "3.png").write_bytes(b"\x89PNG but no more")
    with pytest.raises(MediaError, match=r"frames 100%: '3.png': "):
        read_clip(folder, ALL)


def test_an_error_holds_no_buffer_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in memory could not be closed; Python tells of that since 3.13."""
    gc.collect()  # what others left is not told here
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    (folder / "3.png").write_bytes(b"\x89PNG but no more")
    ring: list[object] = []
    with pytest.raises(MediaError) as caught:
        read_clip(folder, ALL)
    ring += [ring, caught]
    del ring, caught
    gc.collect()
    assert told == []


def jpeg(seed: int) -> bytes:
    """Return a JPEG file of noise, without runs that a decoder could guess."""
    noise = np.random.default_rng(seed).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    frame = av.VideoFrame.from_ndarray(noise, format="rgb24")
    encoder = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt = 96, 64, "yuvj420p"
    encoder.time_base = Fraction(1)
    return b"".join(bytes(packet) for packet in encoder.encode(frame))


@pytest.mark.filterwarnings("ignore:deprecated pixel format")
def test_half_a_jpeg_is_no_picture(tmp_path: Path) -> None:
    """Decoders fill what is missing with grey; such a frame is not scored."""
    whole = jpeg(1)
    (tmp_path / "1.jpg").write_bytes(whole + bytes(64))
    (tmp_path / "2.jpg").write_bytes(jpeg(2))
    assert len(read_clip(tmp_path, ALL)) == 2
    for share in (0.3, 0.9, 0.99):
        (tmp_path / "2.jpg").write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(MediaError, match=r"'2.jpg': the picture is cut short"):
            read_clip(tmp_path, ALL)
    flipped = bytearray(whole)
    for place in range(len(whole) // 2, len(whole) - 20, 37):
        flipped[place] ^= 0x55
    (tmp_path / "2.jpg").write_bytes(flipped)
    with pytest.raises(MediaError, match=r"'2.jpg': "):
        read_clip(tmp_path, ALL)


def test_an_empty_folder_has_no_frames(tmp_path: Path) -> None:
    """A folder without pictures is no video."""
    with pytest.raises(MediaError, match="no frames"):
        probe(tmp_path)


def test_a_folder_has_no_times(folder: Path) -> None:
    """One picture a second is an assumption, and noted."""
    info = probe(folder)
    assert (info.duration_s, info.fps) == (12.0, 1.0)
    assert "no times" in info.notes[0]
    assert read_clip(folder, Sampling(frames=2), size=(24, 32)).size == (24, 32)


def test_a_digest_is_of_the_frames_in_order(folder: Path, tmp_path: Path) -> None:
    """Clutter does not change it, another order does."""
    before = file_digest(folder)
    (folder / "Thumbs.db").write_bytes(b"x")
    assert file_digest(folder) == before
    swap(folder, ("1.png", "2.png"))
    assert file_digest(folder) != before


def swap(folder: Path, names: Iterable[str]) -> None:
    """Exchange two files of *folder*."""
    one, two = (folder / name for name in names)
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
