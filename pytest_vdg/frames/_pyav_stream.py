"""Opening files with PyAV, and stepping through packets and frames.

Apart from ``_pyav.py`` so that what is opened, how, and with which limits is
in one place, whatever is then read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._files import CannotRead, mp4_complaint, safe_text
from pytest_vdg.frames._packets import Packet, pts_of
from pytest_vdg.frames._timeline import check_whole

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet as AVPacket
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

NOT_INSTALLED = "av is not installed (pip install 'pytest-vdg[model]')"
"""What to type where the package is missing."""
THREADS = 1
"""Decoding threads. With more, a decoder reports damage later and less often."""

# Local files only, and only containers that hold their frames themselves: no
# playlists (hls, concat, dash), no image patterns, no devices.
_OPTIONS = {
    "protocol_whitelist": "file",
    "format_whitelist": (
        "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,flv,asf,ogg,ivf,gif,apng,"
        "webp,h264,hevc,obu,av1,mjpeg,yuv4mpegpipe,nut,mxf,dv,rm,3gp,vob"
    ),
}
_ALWAYS_LENIENT = 19


@contextmanager
def opened(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open *path*, yield it with its video stream, and close it."""
    try:
        import av
    except ImportError as error:
        raise CannotRead(NOT_INSTALLED) from error
    try:
        container = av.open(str(path), container_options=_OPTIONS, **_lenient())
    except (av.FFmpegError, ValueError, OSError) as error:
        raise CannotRead(mp4_complaint(path) or safe_text(error)) from error
    with container:
        stream = _video_stream(container, path)
        stream.codec_context.thread_count = THREADS
        yield container, stream


def _lenient() -> dict[str, Any]:
    """Return what keeps names and titles that are no UTF-8 from being an error.

    PyAV has taken none of them for one since 19, and no longer knows the option.
    """
    import av

    major = int(av.__version__.split(".")[0])
    return {"metadata_errors": "replace"} if major < _ALWAYS_LENIENT else {}


def _video_stream(container: InputContainer, path: Path) -> VideoStream:
    """Return the stream FFmpeg calls best, which other readers take too.

    Cover pictures of songs are no video. A file may list several streams; its
    first one need not be the best.
    """
    from av.stream import Disposition

    videos = [
        stream
        for stream in container.streams.video
        if not stream.disposition & Disposition.attached_pic
    ]
    if not videos:
        complaint = mp4_complaint(path)
        if complaint:
            raise MediaError(complaint)
        kinds = sorted({str(stream.type) for stream in container.streams})
        raise MediaError(f"no video stream (found: {', '.join(kinds) or 'nothing'})")
    best = container.streams.best("video")
    stream = next((video for video in videos if video is best), videos[0])
    # The stubs promise a codec context; there is none without a decoder.
    if getattr(stream, "codec_context", None) is None:
        raise CannotRead("the codec of its video has no decoder here")
    return stream


def time_base(stream: VideoStream) -> Fraction:
    """Return the length of a tick in seconds."""
    return stream.time_base or Fraction(1, 1)


def rates_of(stream: VideoStream) -> tuple[Fraction | None, ...]:
    """Return the rates that the file announces, the most telling first."""
    return (stream.average_rate, stream.guessed_rate, stream.base_rate)


def packets_of(container: InputContainer, stream: VideoStream) -> Iterator[Packet]:
    """Yield what each packet of *stream* says of its frame."""
    for packet in demuxed(container, stream):
        if packet.size:
            yield packet_of(packet)


def packet_of(packet: AVPacket[VideoStream]) -> Packet:
    """Return what *packet* says of its frame."""
    return Packet(
        pts=packet.pts,
        dts=packet.dts,
        duration=packet.duration or 0,
        key=packet.is_keyframe,
        discard=packet.is_discard,
        corrupt=packet.is_corrupt,
    )


def demuxed(
    container: InputContainer, stream: VideoStream
) -> Iterator[AVPacket[VideoStream]]:
    """Yield packets until the end of the file, or of what can be read of it."""
    import av

    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            # What is missing shows in the comparison with what is announced.
            return
        if packet is None:
            return
        yield packet


def frames_of(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Yield what decodes, leaving out what does not."""
    for _, frames in decoded(container, stream):
        yield from frames or ()


def decoded(
    container: InputContainer, stream: VideoStream
) -> Iterator[tuple[AVPacket[VideoStream], list[VideoFrame] | None]]:
    """Yield each packet with the frames it set free; None where it failed."""
    import av

    for packet in demuxed(container, stream):
        try:
            yield packet, packet.decode()
        except av.FFmpegError:  # noqa: PERF203 - one packet's error is not the next's
            yield packet, None


def check_announced(
    container: InputContainer,
    stream: VideoStream,
    packets: Sequence[Packet],
    path: Path,
) -> None:
    """Raise `MediaError` when the packets end long before the video should."""
    if not packets:
        if stream.frames or stream.duration:
            raise MediaError(
                f"no frames: none of {stream.frames or 'the announced'} frames is in "
                "the file, it is cut short"
            )
        raise MediaError("no frames: the video stream is empty")
    base = time_base(stream)
    timed = [p for p in packets if p.pts is not None]
    announced = None
    found = 0.0
    if timed:
        end = max(pts_of(p) + p.duration for p in timed)
        # Some containers announce the end, others the length.
        found = float((end - min(0, *map(pts_of, timed))) * base)
        announced = _announced_s(stream)
        if announced is None and container.duration:
            total = container.duration / 1e6
            if total > found + 0.25:
                # The sound may be longer than the pictures; a cut ends both.
                found = max(found, _end_of_all_s(path))
            announced = total
    check_whole(
        decoded_s=found,
        announced_s=announced,
        decoded_frames=len(packets),
        # An edit list hides frames that are counted, so time goes first.
        announced_frames=stream.frames if announced is None else 0,
    )


def _announced_s(stream: VideoStream) -> float | None:
    """Return how long the stream itself says that it is."""
    if stream.duration and stream.duration > 0:
        return float(stream.duration * time_base(stream))
    for name, value in stream.metadata.items():
        if name.upper().startswith("DURATION"):
            try:
                hours, minutes, seconds = value.split(":")
                return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
            except ValueError:
                return None
    return None


def _end_of_all_s(path: Path) -> float:
    """Return when the last packet of any stream of *path* ends."""
    end = 0.0
    with opened(path) as (container, _):
        import av

        packets = container.demux()
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError:
                return end
            if packet is None:
                return end
            if packet.pts is not None and packet.time_base:
                stop = (packet.pts + (packet.duration or 0)) * packet.time_base
                end = max(end, float(stop))
