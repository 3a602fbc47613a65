"""Claims about which frames are read: those on show at the times asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pytest_vdg.errors import ConfigError, MediaError
from pytest_vdg.frames import _pyav, _pyav_take, decode
from pytest_vdg.frames.decode import (
    file_digest,
    probe,
    read_clip,
    reader_versions,
)
from pytest_vdg.frames.excerpt import WHOLE
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.window import frames_to_take
from tests.frames.clips import KINDS, number, numbers, sequential, steady, write

FindClip = Callable[[str], Path]

SAMPLINGS = [
    Sampling(frames=1),
    Sampling(frames=4),
    Sampling(frames=7),
    Sampling(frames=1000),
    Sampling(fps=3),
    Sampling(frames=5, endpoints=True),
]
READERS = ["auto", "pyav", "decord"]
FIRST = {"edit_list.mp4": 15, "two_streams.mkv": 100}
"""Number that the first frame shows, where it is not 0."""
NOT_BY_DECORD = {
    "av1.mp4": "decord (finds no video|returns pictures of shape)",
    "mpeg4.avi": "only trusted with",
    "stream.ts": "only trusted with",
    "mpeg2.mpg": "only trusted with",
    "raw.h264": "only trusted with",
    "edit_list.mp4": "decord counts 48 frames, PyAV 45",
}
SEEKABLE = {
    "long_gop.mp4",
    "long_gop.mkv",
    "one_gop.mp4",
    "open_gop.mkv",
    "hevc.mp4",
    "vp9.webm",
    "av1.mp4",
    "edit_list.mp4",
    "fragments.mp4",
    "vfr.mp4",
}


def threads() -> int:
    """Return the number of threads of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("Threads:")[1].split()[0])


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.parametrize("reader", READERS)
def test_every_kind_of_clip_is_read_exactly(
    name: str, reader: str, clip_file: FindClip
) -> None:
    """The pictures are those of a plain loop from the first frame to the last."""
    path = clip_file(name)
    if reader == "decord" and name in NOT_BY_DECORD:
        with pytest.raises(MediaError, match=NOT_BY_DECORD[name]):
            read_clip(path, SAMPLINGS[0], reader=reader)
        return
    expected = sequential(path)
    for sampling in SAMPLINGS:
        clip = read_clip(path, sampling, reader=reader)
        assert clip.source_frames == len(expected)
        for index, frame in zip(clip.source_indices, clip.frames, strict=True):
            assert np.array_equal(frame, expected[index])
            if name != "anim.gif":
                assert number(frame) == index + FIRST.get(name, 0)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_probe_and_clip_agree(name: str, clip_file: FindClip) -> None:
    """What `probe` announces is what `read_clip` takes frames from."""
    info = probe(clip_file(name))
    clip = read_clip(clip_file(name), Sampling(frames=3))
    assert clip.source_frames == info.frames == len(info.pts_s)
    assert clip.source_fps == info.fps == pytest.approx(info.frames / info.duration_s)
    assert clip.size == (info.height, info.width)
    assert clip.timestamps_s.tolist() == info.pts_s[list(clip.source_indices)].tolist()
    assert info.pts_s[0] == 0
    assert info.duration_s > info.pts_s[-1]


@pytest.mark.parametrize("name", sorted(SEEKABLE))
def test_usual_files_are_not_decoded_from_end_to_end(
    name: str, clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Probing and reading them takes the packets' times and key frames."""

    def refuse(path: Path) -> _pyav.Scan:
        raise AssertionError(f"{path} was decoded as a whole")

    monkeypatch.setattr(_pyav, "scan_by_decoding", refuse)
    probe(clip_file(name))
    read_clip(clip_file(name), Sampling(frames=4))


def test_seeking_decodes_less_than_all(
    clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 frames with a key frame every 8, one is found within its group."""
    decoded = 0
    plain = _pyav_take.decoded

    def counting(*arguments: object) -> object:
        nonlocal decoded
        for packet, frames in plain(*arguments):
            decoded += len(frames or ())
            yield packet, frames

    monkeypatch.setattr(_pyav_take, "decoded", counting)
    clip = read_clip(clip_file("hevc.mp4"), Sampling(frames=1))
    assert numbers(clip) == [20]
    assert 1 <= decoded < 20


@pytest.mark.parametrize(
    "trouble", ["lands late", "drops a frame", "marks a frame", "fails"]
)
def test_a_surprise_while_seeking_means_decoding_all(
    trouble: str, clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever seeking gives that was not expected, the frames stay exact."""
    path = clip_file("long_gop.mp4")
    scan = _pyav.scan_by_decoding
    whole: list[Path] = []

    def remember(path: Path) -> _pyav.Scan:
        whole.append(path)
        return scan(path)

    def troubled(container: object, stream: object) -> object:
        frames = list(plain(container, stream))
        if trouble == "drops a frame":
            del frames[3]
        elif trouble == "marks a frame":
            frames[3] = Concealed(frames[3])
        elif trouble == "fails":
            frames[3] = None
        else:
            frames = frames[5:]
        return iter(frames)

    class Concealed:
        is_corrupt = True

        def __init__(self, frame: object) -> None:
            self.pts = frame.pts

    plain = _pyav_take._frames_or_none
    monkeypatch.setattr(_pyav_take, "_frames_or_none", troubled)
    monkeypatch.setattr(_pyav, "scan_by_decoding", remember)
    assert numbers(read_clip(path, Sampling(frames=9))) == list(range(5, 90, 10))
    assert whole == [path]


def test_a_seek_that_lands_late_is_noticed(
    clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container whose index points behind the key frame is read in order."""
    monkeypatch.setattr(_pyav_take, "_seek", lambda *_: False)
    clip = read_clip(clip_file("long_gop.mp4"), Sampling(frames=2))
    assert numbers(clip) == [22, 67]


def test_time_decides_in_a_video_of_two_rates(clip_file: FindClip) -> None:
    """30 a second for 2 s, then 3 a second for 3 s: one look at each second."""
    clip = read_clip(clip_file("vfr.mp4"), Sampling(frames=5))
    # 0.5 and 1.5 s are frames 15 and 45; at 2.5, 3.5 and 4.5 s stand the frames
    # that began at 2.33, 3.33 and 4.33 s, numbers 61, 64 and 67.
    assert numbers(clip) == [15, 45, 61, 64, 67]
    assert clip.timestamps_s.tolist() == pytest.approx(
        [0.5, 1.5, 2 + 1 / 3, 3 + 1 / 3, 4 + 1 / 3], abs=2e-3
    )


@pytest.mark.parametrize("name", ["long_audio.mp4", "long_audio.mkv"])
def test_sound_does_not_stretch_the_pictures(name: str, clip_file: FindClip) -> None:
    """4 s of sound and 2 s of pictures is a video of 2 s (hazard 7)."""
    info = probe(clip_file(name))
    assert info.duration_s == pytest.approx(2, abs=0.01)
    assert info.fps == pytest.approx(30, rel=0.01)


def test_webm_without_a_count(clip_file: FindClip) -> None:
    """WebM stores neither count nor stream duration; both are found (hazard 7)."""
    info = probe(clip_file("vp9.webm"))
    assert (info.frames, info.codec) == (40, "vp9")
    assert info.duration_s == pytest.approx(4 / 3, abs=0.01)


def test_one_frame_is_a_video(clip_file: FindClip) -> None:
    """Asked for 32 frames, a video of one gives one (hazards 10 and 11)."""
    clip = read_clip(clip_file("one_frame.mp4"), Sampling(frames=32))
    assert numbers(clip) == [0]
    assert clip.timestamps_s.tolist() == [0.0]


def test_times_count_from_the_first_frame(clip_file: FindClip) -> None:
    """A video that begins at 5 s has its first frame at 0."""
    clip = read_clip(clip_file("late.mp4"), Sampling(frames=2, endpoints=True))
    assert numbers(clip) == [0, 39]
    assert clip.timestamps_s.tolist() == pytest.approx([0, 39 / 30], abs=1e-3)


def test_what_an_edit_list_hides_is_not_shown(clip_file: FindClip) -> None:
    """Frames before the cut are in the file, and no player shows them."""
    clip = read_clip(clip_file("edit_list.mp4"), Sampling(frames=1000))
    assert numbers(clip) == list(range(15, 60))
    assert clip.source_frames == 45


def test_the_stream_that_players_take(clip_file: FindClip) -> None:
    """Of two video streams both readers take the default one, not the first."""
    for reader in READERS:
        clip = read_clip(
            clip_file("two_streams.mkv"), Sampling(frames=2), reader=reader
        )
        assert (clip.size, numbers(clip)) == ((96, 128), [107, 122])


@pytest.mark.parametrize("rotation", [90, 180, 270])
@pytest.mark.parametrize("flip", [False, True])
def test_pictures_are_turned_for_display(
    rotation: int, flip: bool, tmp_path: Path
) -> None:
    """Stored pictures are turned as FFmpeg turns them, then mirrored."""
    path = write(tmp_path / "r.mp4", steady(3), rotation=rotation, flip=flip)
    stored = write(tmp_path / "s.mp4", steady(3))
    expected = np.rot90(sequential(stored)[1], rotation // 90)
    if flip:
        expected = expected[:, ::-1]
    clip = read_clip(path, Sampling(frames=1))
    info = probe(path)
    assert np.array_equal(clip.frames[0], expected)
    assert (info.height, info.width) == expected.shape[:2]
    assert info.rotation == rotation or flip


def test_decord_may_not_return_shifted_pixels(tmp_path: Path) -> None:
    """Turned narrow clips come out of decord with four channels: refused."""
    path = write(tmp_path / "r.mp4", steady(3), rotation=90)
    try:
        clip = read_clip(path, Sampling(frames=1), reader="decord")
    except MediaError as error:
        assert "shape (64, 48, 4)" in str(error)  # noqa: PT017
    else:
        assert np.array_equal(clip.frames[0], sequential(path)[1])


@pytest.mark.parametrize("reader", READERS)
def test_a_size_can_be_asked_for(reader: str, clip_file: FindClip) -> None:
    """Height comes first, and the frames stay the same ones."""
    path = clip_file("long_gop.mp4")
    clip = read_clip(path, Sampling(frames=3), reader=reader, size=(96, 40))
    assert (clip.size, numbers(clip)) == ((96, 40), [15, 45, 75])


def test_a_size_is_that_of_the_displayed_picture(tmp_path: Path) -> None:
    """A turned clip is scaled to the height asked for, not to the width."""
    path = write(tmp_path / "r.mp4", steady(3), rotation=90)
    clip = read_clip(path, Sampling(frames=1), size=(120, 80))
    assert clip.size == (120, 80)
    assert number(np.rot90(clip.frames[0], -1)) == 1


@pytest.mark.parametrize("size", [(0, 4), (4,), (4, -1)])
def test_a_size_without_pixels_is_refused(
    size: tuple[int, int], clip_file: FindClip
) -> None:
    """Sizes are checked before the file is opened."""
    with pytest.raises(ValueError, match="size must be"):
        read_clip("nowhere.mp4", Sampling(frames=1), size=size)


def test_the_reader_is_recorded(clip_file: FindClip) -> None:
    """A clip says which reader made it, and in which version."""
    path = clip_file("one_frame.mp4")
    versions = reader_versions()
    assert list(versions) == ["pyav", "decord"]
    for reader, name in (("auto", "pyav"), ("pyav", "pyav"), ("decord", "decord")):
        clip = read_clip(path, Sampling(frames=1), reader=reader)
        assert clip.reader == f"{name}-{versions[name]}"


def test_an_unknown_reader_is_explained() -> None:
    """The message says what was probably meant."""
    with pytest.raises(ConfigError, match=r"no reader 'pyaw'.*Did you mean 'pyav'"):
        read_clip("x.mp4", Sampling(frames=1), reader="pyaw")


def test_decord_stands_in_where_pyav_cannot(
    clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without PyAV the same frames come, and the clip says from whom."""
    expected = read_clip(clip_file("long_gop.mp4"), Sampling(frames=4))
    monkeypatch.setitem(sys.modules, "av", None)
    clip = read_clip(clip_file("long_gop.mp4"), Sampling(frames=4))
    assert clip.reader.startswith("decord-")
    assert np.array_equal(clip.frames, expected.frames)
    assert clip.source_indices == expected.source_indices
    assert probe(clip_file("long_gop.mp4")).frames == 90


def test_readers_that_disagree_are_not_believed(
    clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader is refused on a file where decord's frames are not PyAV's."""
    pick = partial(frames_to_take, sampling=Sampling(frames=4), excerpt=WHOLE)
    wrong = _pyav.read(clip_file("long_gop.mp4"), pick, None)
    shifted = wrong.frames[[1, 2, 3, 0]]
    other = type(wrong)(info=wrong.info, indices=wrong.indices, frames=shifted)
    monkeypatch.setattr(decode, "_by_pyav", lambda *_: other)
    with pytest.raises(MediaError, match="different pictures"):
        read_clip(clip_file("long_gop.mp4"), Sampling(frames=4), reader="decord")


def test_no_reader_is_imported_before_a_file_is_read() -> None:
    """Sampling, conditions and the readers' modules cost no heavy import."""
    code = (
        "import sys, pytest_vdg.frames.decode, pytest_vdg.frames.conditions;"
        "print({'av', 'decord', 'torch', 'scipy'} & set(sys.modules))"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed == "set()\n"


@pytest.mark.parametrize("reader", ["pyav", "decord"])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_no_threads_are_left_behind(reader: str, clip_file: FindClip) -> None:
    """Thirty clips later there are about as many threads as before (hazard 14)."""
    counts = []
    for _ in range(30):
        read_clip(clip_file("hevc.mp4"), Sampling(frames=2), reader=reader)
        counts.append(threads())
    # One left by each clip would be 25 by then. Those of a reader that ends may
    # still be counted, a core each; and other tests' may come and go.
    assert min(counts[25:]) - counts[0] < 18


@pytest.mark.parametrize("reader", ["pyav", "decord"])
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_no_files_are_left_open(reader: str, clip_file: FindClip) -> None:
    """Readers are closed when the frames are there."""
    path = clip_file("long_gop.mkv")
    read_clip(path, Sampling(frames=2), reader=reader)
    links = [link for link in Path("/proc/self/fd").iterdir() if link.exists()]
    assert path not in [link.resolve() for link in links]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "name", ["a b#1%.mp4", "100%03d.mp4", "Ünïcödé ❄.mp4", "a:b|c.mp4", "-i.mp4"]
)
def test_names_are_taken_literally(
    name: str, reader: str, clip_file: FindClip, tmp_path: Path
) -> None:
    """Spaces, #, %, colons and other scripts in names mean nothing (hazard 69)."""
    folder = tmp_path / "dir with space"
    folder.mkdir()
    path = folder / name
    path.write_bytes(clip_file("one_gop.mp4").read_bytes())
    assert numbers(read_clip(path, Sampling(frames=2), reader=reader)) == [15, 45]
    assert file_digest(path) == file_digest(clip_file("one_gop.mp4"))


def test_a_relative_name_with_a_colon_is_a_file(
    clip_file: FindClip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that looks like a protocol is a name all the same."""
    monkeypatch.chdir(tmp_path)
    Path("concat:x.mp4").write_bytes(clip_file("one_gop.mp4").read_bytes())
    assert numbers(read_clip("concat:x.mp4", Sampling(frames=1))) == [30]


def test_pixels_that_are_not_square_are_noted(tmp_path: Path) -> None:
    """Frames are not stretched, and `probe` says so."""
    path = write(
        tmp_path / "wide.mp4",
        steady(3),
        options={"x264-params": "sar=4/3"},
    )
    assert any("not square" in note for note in probe(path).notes)
    assert probe(path).width == 64
