"""Claims about files that cannot be read: each is named, none is scored."""

from __future__ import annotations

import http.server
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from pytest_vdg.benchmarks.sight import DATA
from pytest_vdg.errors import MediaError
from pytest_vdg.frames import _decord, _pyav
from pytest_vdg.frames._files import safe_text
from pytest_vdg.frames.decode import file_digest, probe, read_clip
from pytest_vdg.frames.sampling import Sampling
from tests.frames.clips import (
    cut,
    damage,
    numbers,
    sequential,
    steady,
    write,
    write_silence,
)

FindClip = Callable[[str], Path]
ALL = Sampling(frames=1000)
READERS = ["auto", "pyav", "decord"]


def complaint(path: str | Path, reader: str = "auto") -> str:
    """Return what reading all frames of *path* complains of, path first."""
    with pytest.raises(MediaError) as caught:
        read_clip(path, ALL, reader=reader)
    words = str(caught.value)
    assert words.startswith(safe_text(path))
    return words.removeprefix(safe_text(path))


CONTENTS = {
    "empty": (b"", "empty (0 bytes)"),
    "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>", "an HTML page"),
    "xml page": (b"<?xml version='1.0'?><html><head/></html>", "an HTML page"),
    "json": (b'{"error": "quota exceeded"}', "text, not a video"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
    "nulls": (bytes(5000), "NUL bytes only"),
    "noise": (bytes(range(128, 256)) * 40, "cannot be read"),
    "playlist": (b"#EXTM3U\n#EXTINF:4,\nsecret.ts\n", "a playlist"),
    "late playlist": (b"\xef\xbb\xbf#EXTM3U\n#EXTINF:4,\na.ts\n", "a playlist"),
    "concat": (b"ffconcat version 1.0\nfile other.mp4\n", "a playlist"),
    "dash": (b"<?xml version='1.0'?><MPD><Period/></MPD>", "a playlist"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", CONTENTS)
def test_what_is_no_video_is_named(kind: str, reader: str, tmp_path: Path) -> None:
    """An empty file, an error page and a playlist are told apart (hazard 12)."""
    content, words = CONTENTS[kind]
    path = tmp_path / "clip.mp4"
    path.write_bytes(content)
    assert words in complaint(path, reader)
    with pytest.raises(MediaError, match=str(path)):
        probe(path)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    """A missing file, a pipe and a NUL in the name are refused with words."""
    assert "no such file" in complaint(tmp_path / "nowhere.mp4")
    os.mkfifo(tmp_path / "pipe.mp4")
    assert "not a regular file" in complaint(tmp_path / "pipe.mp4")
    with pytest.raises(MediaError, match="NUL character"):
        read_clip("a\x00b.mp4", ALL)
    with pytest.raises(MediaError, match="cannot be read"):
        file_digest(tmp_path / "nowhere.mp4")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/x.mp4", "concat:a.ts|b.ts", "file:///etc/passwd"],
)
def test_addresses_are_no_files(address: str, reader: str) -> None:
    """Only local files are read; nothing asks another machine (hazard 69)."""
    assert "only local files" in complaint(address, reader)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["list.m3u8", "list.ffconcat", "list.mp4"])
def test_playlists_are_not_followed(
    name: str, reader: str, clip_file: FindClip, tmp_path: Path
) -> None:
    """A playlist of a file that exists gives none of its frames (hazard 69)."""
    video = clip_file("stream.ts")
    text = f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:2,\n{video}\n#EXT-X-ENDLIST\n"
    if name.endswith("concat"):
        text = f"ffconcat version 1.0\nfile '{video}'\n"
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert "not followed" in complaint(path, reader)


def test_pyav_itself_opens_no_playlist(clip_file: FindClip, tmp_path: Path) -> None:
    """Even past our own look at the content, FFmpeg's whitelists hold."""
    path = tmp_path / "list.m3u8"
    path.write_text(
        f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:2,\n{clip_file('stream.ts')}\n"
        "#EXT-X-ENDLIST\n",
        encoding="utf-8",
    )
    with pytest.raises(MediaError):
        _pyav.scan(path)


def test_pyav_itself_asks_no_server() -> None:
    """An address handed to PyAV directly reaches no server."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        """Notes what it is asked for."""

        def do_GET(self) -> None:
            """Note the path."""
            asked.append(self.path)

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        server.timeout = 0.5
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/x.mp4"
        with pytest.raises(MediaError), _pyav.opened(FakePath(address)):
            pass
        thread.join()
    assert asked == []


class FakePath:
    """A path that is an address, which no `Path` can be."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __str__(self) -> str:
        return self.address

    def open(self, mode: str) -> object:
        """Pretend that no content is known."""
        return io.BytesIO()


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    """A file without pictures and a codec nobody knows are told apart (hazard 6)."""
    path = write_silence(tmp_path / "song.mp4")
    assert "no video stream (found: audio)" in complaint(path)


class NoVideo:
    """A decord that lacks a codec: it says what it says of sound alone."""

    @staticmethod
    def cpu(_: int) -> None:
        """Return a device."""

    @staticmethod
    def VideoReader(*_: object, **__: object) -> None:  # noqa: N802 - decord's name
        """Find nothing."""
        raise RuntimeError("ERROR cannot find video stream with wanted index: -1")


@pytest.mark.parametrize("reader", READERS)
def test_a_codec_that_decord_lacks_is_not_called_a_missing_video(
    reader: str,
    clip_file: FindClip,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """AV1 is read by PyAV or refused for its codec; sound alone has no video."""
    monkeypatch.setitem(sys.modules, "decord", NoVideo)
    song = write_silence(tmp_path / "song.mp4")
    assert "no video stream (found: audio)" in complaint(song, reader)
    if reader == "decord":
        words = complaint(clip_file("av1.mp4"), reader)
        assert "lacks the codec (AV1 often)" in words
        assert "wanted index" not in words
    else:
        assert numbers(read_clip(clip_file("av1.mp4"), ALL)) == list(range(40))


class NoFrames:
    """A reader that opens a file and finds nothing in it."""

    def __len__(self) -> int:
        return 0

    def next(self) -> None:
        """End at once."""
        raise StopIteration


@pytest.mark.parametrize("look", [probe, lambda path: read_clip(path, ALL)])
def test_a_reader_that_finds_nothing_says_so(
    look: Callable[[Path], object],
    clip_file: FindClip,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Zero frames are an error with the path, never a crash or an index of -1."""
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setattr(_decord, "_open", lambda *_: NoFrames())
    path = clip_file("long_gop.mp4")
    with pytest.raises(MediaError, match=f"{path}: .*(?s:.)*no frames: decord"):
        look(path)


@pytest.mark.parametrize(
    ("name", "codec"),
    [("long_gop.mp4", b"avc1"), ("long_gop.mkv", b"V_MPEG4/ISO/AVC")],
)
def test_an_unknown_codec_is_told_by_both_readers(
    name: str, codec: bytes, clip_file: FindClip, tmp_path: Path
) -> None:
    """The message holds path, both readers, versions and words (hazards 6, 13)."""
    path = tmp_path / name
    unknown = codec[:-3] + b"zzz"
    path.write_bytes(clip_file(name).read_bytes().replace(codec, unknown))
    words = complaint(path)
    assert "codec of its video has no decoder" in words
    assert "pyav " in words
    assert "decord " in words
    assert len(words) < 1000
    assert words == safe_text(words, 1000)


def test_without_any_reader_the_message_says_what_to_type(
    clip_file: FindClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With neither package installed, both are named with the command."""
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setitem(sys.modules, "decord", None)
    words = complaint(clip_file("one_frame.mp4"))
    assert words.count("pip install 'pytest-vdg[model]'") == 2


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_download_that_stopped_lacks_its_index(share: float, tmp_path: Path) -> None:
    """MP4 with the index at the end: the missing part is named (hazard 12)."""
    whole = write(tmp_path / "w.mp4", steady(60), size=(240, 320), options={"crf": "0"})
    words = complaint(cut(whole, share, tmp_path / "c.mp4"))
    assert "cut short" in words
    assert "moov" in words


def test_an_index_that_came_first_does_not_help(tmp_path: Path) -> None:
    """MP4 with the index in front announces more frames than are there."""
    whole = write(
        tmp_path / "w.mp4",
        steady(60),
        size=(240, 320),
        options={"crf": "0", "g": "10"},
        container_options={"movflags": "faststart"},
    )
    words = complaint(cut(whole, 0.6, tmp_path / "c.mp4"))
    assert "of 2.0 s" in words


@pytest.mark.parametrize("share", [0.6, 0.85])
@pytest.mark.parametrize("name", ["long_gop.mkv", "vp9.webm", "vp8.webm"])
def test_a_cut_matroska_file_is_told(
    name: str, share: float, clip_file: FindClip, tmp_path: Path
) -> None:
    """Readers end early without an error; the announced length tells (hazard 4)."""
    path = cut(clip_file(name), share, tmp_path / name)
    assert len(sequential(path)) > 0
    assert "cut short" in complaint(path)
    with pytest.raises(MediaError, match=r"decoded \d\.\d of \d\.\d s"):
        probe(path)


@pytest.mark.parametrize("share", [0.8, 0.85])
def test_a_cut_avi_file_is_told(
    share: float, clip_file: FindClip, tmp_path: Path
) -> None:
    """AVI announces a count that a cut file does not hold (hazard 4)."""
    path = cut(clip_file("mpeg4.avi"), share, tmp_path / "c.avi")
    assert "cut short or damaged" in complaint(path)


@pytest.mark.parametrize("name", ["long_gop.mkv", "stream.ts", "mpeg2.mpg", "vp9.webm"])
@pytest.mark.parametrize("share", [0.35, 0.5, 0.77, 0.97])
def test_a_cut_file_never_gives_a_wrong_picture(
    name: str, share: float, clip_file: FindClip, tmp_path: Path
) -> None:
    """Either an error, or only frames that show their own number."""
    path = cut(clip_file(name), share, tmp_path / name)
    try:
        clip = read_clip(path, ALL)
    except MediaError:
        return
    # The last frames of a cut stream may miss one that was stored after them.
    shown = numbers(clip)
    assert shown[:-3] == list(range(len(shown) - 3))
    assert shown == sorted(set(shown))


@pytest.mark.parametrize("name", ["long_gop.mp4", "mpeg4.avi", "vp9.webm", "hevc.mp4"])
def test_a_damaged_file_is_not_scored(
    name: str, clip_file: FindClip, tmp_path: Path
) -> None:
    """Flipped bits in several frames: readers conceal them, we do not (hazard 5)."""
    hit = (3, 9, 14, 20, 26, 33)
    path = damage(clip_file(name), hit, tmp_path / name)
    good = sequential(clip_file(name))
    try:
        clip = read_clip(path, ALL)
    except MediaError as error:
        assert "damaged" in str(error) or "cut short" in str(error)  # noqa: PT017
    else:
        # No decoder noticed anything; then nothing may look different either.
        assert len(clip) == len(good)
        assert np.abs(clip.frames.astype(int) - np.stack(good)).max() < 100


@pytest.mark.parametrize("reader", READERS)
def test_one_error_spoils_what_follows_it(
    reader: str, clip_file: FindClip, tmp_path: Path
) -> None:
    """A frame up to the next key frame is refused, one after it is given."""
    path = damage(clip_file("long_gop.mp4"), [5], tmp_path / "d.mp4")
    # Key frames are 0 and 45: the middle of the second half is beyond harm.
    after = read_clip(path, Sampling(frames=1), reader=reader)
    assert numbers(after) == [45]
    with pytest.raises(MediaError, match="damaged: 1 of the 2 frames asked for"):
        read_clip(path, Sampling(frames=2), reader=reader)


def test_damage_that_had_to_be_seen_is_noted(
    clip_file: FindClip, tmp_path: Path
) -> None:
    """Where `probe` decodes, a single error is a note and many are an error."""
    path = clip_file("mpeg4.avi")
    one = damage(path, [35], tmp_path / "one.avi")
    assert any("1 of 40 frames" in note for note in probe(one).notes)
    many = damage(path, [5, 11, 17, 23], tmp_path / "many.avi")
    with pytest.raises(MediaError, match=r"damaged: \d+ of 40 frames"):
        probe(many)


def test_nothing_decodes(clip_file: FindClip, tmp_path: Path) -> None:
    """A file of which no frame decodes has no frames."""
    path = damage(clip_file("vp9.webm"), range(40), tmp_path / "d.webm")
    content = bytearray(path.read_bytes())
    path.write_bytes(content)
    words = complaint(path)
    assert "no frames" in words or "damaged" in words


def test_no_rate_and_no_times(clip_file: FindClip) -> None:
    """A bare stream has neither; its frames are spread evenly, and noted."""
    info = probe(clip_file("raw.h264"))
    assert info.frames == 40
    assert any("spread evenly" in note for note in info.notes)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\x00b\x1b[31m\x07", "a?b?[31m?"),
        ("lone \ud800 half, \ufffe", "lone ? half, ?"),
        ("Ünï ❄ 𝄞\tx\ny", "Ünï ❄ 𝄞\tx\ny"),
        ("x\x85\x9b", "x??"),
    ],
)
def test_messages_fit_into_xml(text: str, safe: str) -> None:
    """What XML cannot hold or a terminal obeys becomes a question mark."""
    assert safe_text(text) == safe


def test_messages_are_bounded() -> None:
    """Of a long message the beginning and the end are kept."""
    words = safe_text("begin " + "x" * 10_000 + " end")
    assert len(words) <= 300
    assert words.startswith("begin")
    assert words.endswith("end")


def test_a_name_with_control_characters_is_told_safely(tmp_path: Path) -> None:
    """The path in the message is safe too."""
    path = tmp_path / "evil\x1b[31m.mp4"
    path.write_bytes(b"")
    assert "\x1b" not in complaint(path)


def test_an_absurd_rate_is_not_believed(tmp_path: Path) -> None:
    """A file that claims 600 frames a second is given no such times."""
    path = write(
        tmp_path / "fast.mkv",
        steady(20, 600),
        rate=Fraction(600),
        time_base=Fraction(1, 600),
    )
    assert probe(path).fps <= 500


def test_torch_works_after_decord_was_tried(tmp_path: Path) -> None:
    """A bad clip of one slice must not crash the model that answers another."""
    pytest.importorskip("decord")
    pytest.importorskip("torch")
    whole = (DATA / "sight" / "clips" / "0000.mp4").read_bytes()
    (tmp_path / "bad.mp4").write_bytes(whole[:900])
    code = (
        "import sys\n"
        "from pytest_vdg.errors import MediaError\n"
        "from pytest_vdg.frames.decode import probe\n"
        "try:\n"
        "    probe(sys.argv[1])\n"
        "except MediaError:\n"
        "    pass\n"
        "assert 'decord' in sys.modules\n"
        "import torch\n"
        "layer = torch.nn.Linear(384, 384)\n"
        "for _ in range(20):\n"
        "    layer(torch.randn(512, 384))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "bad.mp4")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_title_that_is_no_text_is_no_damage(tmp_path: Path) -> None:
    """Cameras and old tools write names in whatever encoding; frames are frames."""
    path = tmp_path / "titled.mp4"
    with av.open(str(path), "w") as container:
        container.metadata["title"] = "Zo\u00eb"
        stream = container.add_stream("libx264", rate=4)
        stream.width = stream.height = 32
        frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), "rgb24")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    content = path.read_bytes()
    assert content.count(b"Zo\xc3\xab") == 1
    path.write_bytes(content.replace(b"Zo\xc3\xab", b"Zo\xeb "))
    assert len(read_clip(path, ALL, reader="pyav")) == 1
