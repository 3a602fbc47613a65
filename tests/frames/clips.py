"""Clips made on the spot, in which every frame says its own number.

Apart from the tests so that all of them burn in and read back the number in
the same way. A number is twelve black or white cells, which survive lossy
compression, so that a frame is recognised by its picture and not by its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.stream import Disposition

from pytest_vdg.frames.clip import Clip

CELLS = (3, 4)
"""Rows and columns of cells; ``2**12`` numbers."""
SIZE = (48, 64)
"""Height and width of most clips."""


def picture(number: int, size: tuple[int, int] = SIZE) -> npt.NDArray[np.uint8]:
    """Return an RGB picture of *size* that shows *number* in cells."""
    rows, columns = CELLS
    bits = [(number >> place) & 1 for place in range(rows * columns)]
    cells = np.array(bits, dtype=np.uint8).reshape(CELLS) * 200 + 28
    height, width = size
    down = np.arange(height) * rows // height
    across = np.arange(width) * columns // width
    return np.repeat(cells[np.ix_(down, across)][..., None], 3, axis=2)


def number(frame: npt.NDArray[np.uint8]) -> int:
    """Return the number that *frame* shows, whatever its size."""
    rows, columns = CELLS
    height, width = frame.shape[:2]
    value = 0
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        y, x = int((row + 0.5) * height / rows), int((column + 0.5) * width / columns)
        value |= int(frame[y - 1 : y + 2, x - 1 : x + 2].mean() > 128) << place
    return value


def numbers(clip: Clip) -> list[int]:
    """Return the number that each frame of *clip* shows."""
    return [number(frame) for frame in clip.frames]


def write(
    path: Path,
    times: Iterable[float | int],
    *,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    size: tuple[int, int] = SIZE,
    time_base: Fraction = Fraction(1, 30000),
    options: dict[str, str] | None = None,
    container: str | None = None,
    container_options: dict[str, str] | None = None,
    rotation: int = 0,
    flip: bool = False,
    rate: Fraction = Fraction(30),
    audio_s: float = 0.0,
    shown: Sequence[int] | None = None,
) -> Path:
    """Write frames 0, 1, 2... at *times* (seconds) to *path* and return it.

    *shown* replaces the numbers burnt in; *audio_s* adds as many seconds of
    silence; *rotation* and *flip* say how the pictures are to be displayed.
    """
    with av.open(
        str(path), "w", format=container, container_options=container_options or {}
    ) as out:
        stream = out.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height = size[1], size[0]
        stream.pix_fmt = pixels
        stream.codec_context.time_base = time_base
        stream.codec_context.thread_count = 1
        if rotation or flip:
            stream.set_display_rotation(rotation, hflip=flip)
        sound = out.add_stream("aac", rate=8000) if audio_s else None
        for index, time in enumerate(times):
            shows = index if shown is None else shown[index]
            frame = av.VideoFrame.from_ndarray(picture(shows, size), format="rgb24")
            frame.pts = round(time / time_base)
            frame.time_base = time_base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        if sound is not None:
            _mux_silence(out, sound, audio_s)
    return path


def write_silence(path: Path, seconds: float = 2.0) -> Path:
    """Write a file with sound and no pictures to *path* and return it."""
    with av.open(str(path), "w") as out:
        _mux_silence(out, out.add_stream("aac", rate=8000), seconds)
    return path


def write_two_streams(path: Path) -> Path:
    """Write a small stream 0, 1, 2... and a large default one 100, 101, 102..."""
    with av.open(str(path), "w") as out:
        streams = []
        for size in (SIZE, (96, 128)):
            stream = out.add_stream("libx264", rate=30)
            stream.width, stream.height, stream.pix_fmt = size[1], size[0], "yuv420p"
            streams.append((stream, size))
        streams[1][0].disposition = Disposition.default
        for index in range(30):
            for place, (stream, size) in enumerate(streams):
                frame = av.VideoFrame.from_ndarray(
                    picture(index + 100 * place, size), format="rgb24"
                )
                frame.pts, frame.time_base = index, Fraction(1, 30)
                out.mux(stream.encode(frame))
        for stream, _ in streams:
            out.mux(stream.encode(None))
    return path


def _mux_silence(
    out: av.container.OutputContainer, sound: av.AudioStream, seconds: float
) -> None:
    """Write *seconds* of silence to stream *sound* of *out*."""
    for start in range(0, int(seconds * 8000), 1024):
        silence = av.AudioFrame.from_ndarray(
            np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono"
        )
        silence.sample_rate, silence.pts = 8000, start
        silence.time_base = Fraction(1, 8000)
        out.mux(sound.encode(silence))
    out.mux(sound.encode(None))


def steady(frames: int, fps: float = 30.0, start: float = 0.0) -> list[float]:
    """Return the times of *frames* frames at *fps* from *start* on."""
    return [start + index / fps for index in range(frames)]


def cut(path: Path, share: float, to: Path) -> Path:
    """Write the first *share* of the bytes of *path* to *to* and return it."""
    content = path.read_bytes()
    to.write_bytes(content[: int(len(content) * share)])
    return to


def damage(path: Path, packets: Sequence[int], to: Path) -> Path:
    """Flip bits inside the payload of some *packets* of *path*; lengths stay."""
    content = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        for index, packet in enumerate(container.demux(container.streams.video[0])):
            if index in packets:
                assert packet.pos is not None
                for offset in range(packet.size // 2, packet.size, 3):
                    content[packet.pos + offset] ^= 0x55
    to.write_bytes(content)
    return to


def sequential(path: Path) -> list[npt.NDArray[np.uint8]]:
    """Return every frame that decodes, first to last, as displayed.

    The plain loop that the readers are held against.
    """
    found = []
    with av.open(str(path)) as container:
        stream = container.streams.best("video")
        assert stream is not None
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.FFmpegError:
                continue
            found += [
                np.rot90(frame.to_ndarray(format="rgb24"), frame.rotation // 90)
                for frame in frames
            ]
    return found


def make_clip(
    values: Sequence[int], *, size: tuple[int, int] = (4, 6), fps: float = 2.0
) -> Clip:
    """Return a clip in memory whose frame *i* is filled with ``values[i]``."""
    frames = np.empty((len(values), *size, 3), dtype=np.uint8)
    for index, value in enumerate(values):
        frames[index] = value
    return Clip(
        frames=frames,
        timestamps_s=np.arange(len(values), dtype=np.float64) / fps,
        source_fps=fps,
        source_frames=len(values),
        source_indices=tuple(range(len(values))),
        reader="synthetic",
    )


def _long_gop(path: Path) -> Path:
    return write(path, steady(90), options={"g": "45", "bf": "3"})


KINDS: dict[str, Callable[[Path], Path]] = {
    "long_gop.mp4": _long_gop,
    "long_gop.mkv": _long_gop,
    "one_gop.mp4": lambda p: write(p, steady(60), options={"g": "999", "bf": "2"}),
    "open_gop.mkv": lambda p: write(
        p, steady(60), options={"g": "15", "bf": "3", "x264-params": "open-gop=1"}
    ),
    "intra_refresh.mp4": lambda p: write(
        p, steady(60), options={"g": "20", "x264-params": "intra-refresh=1"}
    ),
    "hevc.mp4": lambda p: write(
        p,
        steady(40),
        codec="libx265",
        options={"x265-params": "keyint=8:bframes=3:open-gop=1:log-level=none"},
    ),
    "vp9.webm": lambda p: write(
        p, steady(40), codec="libvpx-vp9", options={"deadline": "realtime", "b": "300k"}
    ),
    "vp8.webm": lambda p: write(
        p,
        steady(40),
        codec="libvpx",
        options={"auto-alt-ref": "1", "lag-in-frames": "16", "b": "300k"},
    ),
    "av1.mp4": lambda p: write(
        p, steady(40), codec="libsvtav1", size=(64, 96), options={"preset": "12"}
    ),
    "mpeg4.avi": lambda p: write(
        p,
        steady(40),
        codec="mpeg4",
        options={"bf": "2", "g": "12"},
        time_base=Fraction(1, 30),
    ),
    "stream.ts": lambda p: write(
        p, steady(60), options={"g": "30", "bf": "3"}, time_base=Fraction(1, 90000)
    ),
    "mpeg2.mpg": lambda p: write(
        p,
        steady(40),
        codec="mpeg2video",
        options={"bf": "2", "g": "12"},
        time_base=Fraction(1, 30),
    ),
    "raw.h264": lambda p: write(p, steady(40), options={"bf": "2"}),
    "anim.gif": lambda p: write(
        p, steady(20, 10), codec="gif", pixels="rgb8", time_base=Fraction(1, 100)
    ),
    "one_frame.mp4": lambda p: write(p, [0]),
    "odd.mkv": lambda p: write(p, steady(12), size=(35, 47), pixels="yuv444p"),
    "ten_bit.mkv": lambda p: write(p, steady(12), pixels="yuv420p10le"),
    "late.mp4": lambda p: write(p, steady(40, start=5.0), options={"bf": "2"}),
    "fragments.mp4": lambda p: write(
        p,
        steady(40),
        options={"g": "20"},
        container_options={"movflags": "frag_keyframe+empty_moov"},
    ),
    "edit_list.mp4": lambda p: write(
        p, steady(60, start=-0.5), options={"bf": "2", "g": "12"}
    ),
    "long_audio.mp4": lambda p: write(p, steady(60), audio_s=4),
    "long_audio.mkv": lambda p: write(p, steady(60), audio_s=4),
    "vfr.mp4": lambda p: write(
        p,
        [i / 30 for i in range(60)] + [2 + i / 3 for i in range(9)],
        options={"bf": "2"},
    ),
    "slow.mp4": lambda p: write(p, steady(8, 0.4), rate=Fraction(2, 5)),
    "two_streams.mkv": write_two_streams,
}
"""Healthy clips of many kinds; all show 0, 1, 2... unless a test says else."""
