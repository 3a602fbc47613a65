"""A video through H.264 and back: libx264 encodes it, and what it made is decoded.

Apart from reading, which gives the frames, because this is where the loss comes
from: one encoder with one setting, on one thread, whose name and settings are
part of every answer that rests on it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_vdg.errors import ConfigError, MediaError
from pytest_vdg.frames._files import safe_text
from pytest_vdg.frames._planes import Layout, planes_of
from pytest_vdg.frames._pyav_stream import NOT_INSTALLED

if TYPE_CHECKING:
    from av.packet import Packet as AVPacket
    from av.video.codeccontext import VideoCodecContext
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

    Packet = AVPacket[VideoStream]

TICKS = 90_000
"""Ticks of the encoder's clock in a second."""
SETTINGS = {"preset": "medium", "x264-params": "cpu-independent=1"}
"""Of libx264 besides the CRF and one thread; all else is its default. It then makes
the same of the same frames on every machine."""
_NAME = re.compile(rb"x264 - core (\S+(?: r\d+ [0-9a-f]+)?)")


@lru_cache(maxsize=1)
def encoder_version() -> str:
    """Return which libx264 it is, e.g. ``x264 core 165, libavcodec 62.28.102``.

    The encoder writes its version into what it encodes; nothing else tells it.
    Raises `ConfigError` where there is no such encoder.
    """
    try:
        import av
    except ImportError as error:
        raise ConfigError(f"condition 'compressed' needs PyAV: {NOT_INSTALLED}") from (
            error
        )
    frame = av.VideoFrame(16, 16, "yuv420p")
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    context = _encoder(Layout.of(frame), frame, 1.0, 28)
    frame.pts, frame.time_base = 0, Fraction(1, TICKS)
    packets = [*context.encode(frame), *context.encode(None)]
    found = _NAME.search(b"".join(map(bytes, packets)))
    core = found[1].decode("ascii", "replace") if found else "of unknown version"
    numbers = ".".join(map(str, av.library_versions["libavcodec"]))
    return f"x264 core {core}, libavcodec {numbers}"


def encoding() -> str:
    """Return encoder and settings: all that frames depend on besides the CRF."""
    settings = ",".join(f"{name}={value}" for name, value in SETTINGS.items())
    return f"{encoder_version()}, {settings},threads=1"


def recoded(
    frames: Iterable[tuple[int, VideoFrame]],
    *,
    ticks: Sequence[int],
    fps: float,
    crf: int,
    wanted: Collection[int],
) -> Iterator[tuple[int, VideoFrame]]:
    """Yield the *wanted* ones of *frames* as they look after encoding at *crf*.

    No more is encoded than it takes: an encoder looks ahead, not back, so that
    what comes after the last frame it has given out changes nothing.

    Parameters
    ----------
    frames
        Position and picture of each, rising and without a gap.
    ticks
        When each begins, by position, strictly rising.
    fps
        Mean rate of the video.
    crf
        Constant rate factor, 0 to 51.
    wanted
        Positions to yield, in rising order.

    Raises
    ------
    MediaError
        Unless the same frames come back: as many, at the same times, of the same
        size and colours.
    """
    import av

    loop = _Loop(ticks=ticks, fps=fps, crf=crf, wanted=frozenset(wanted))
    try:
        yield from loop.through(frames)
    except av.FFmpegError as error:
        raise MediaError(f"cannot be encoded: {safe_text(error)}") from error


@dataclass(kw_only=True, eq=False)
class _Loop:
    """One encoding under way."""

    ticks: Sequence[int]
    fps: float
    crf: int
    wanted: frozenset[int]
    sent: deque[int] = field(default_factory=deque)
    """Positions that were given to the encoder and are in no finished group."""
    group: list[Packet] = field(default_factory=list)
    """Packets from the last key frame on, which need nothing before it."""
    originals: dict[int, VideoFrame] = field(default_factory=dict)
    """Those that are wanted, as they were, until they come back."""
    layout: Layout | None = None
    first: VideoFrame | None = None

    def __post_init__(self) -> None:
        """Note what is looked for, by time."""
        self.places = {self.ticks[place]: place for place in self.wanted}
        self.left = set(self.places)

    def through(
        self, frames: Iterable[tuple[int, VideoFrame]]
    ) -> Iterator[tuple[int, VideoFrame]]:
        """Yield the wanted frames."""
        for packet in self._packets(frames):
            if packet.is_keyframe and self.group:
                yield from self._decoded(whole=True)
            self.group.append(packet)
            if self.left <= {each.pts for each in self.group}:
                yield from self._decoded(whole=False)
                return
        raise MediaError(
            f"{len(self.left)} of the frames asked for did not come back from encoding"
        )

    def _packets(self, frames: Iterable[tuple[int, VideoFrame]]) -> Iterator[Packet]:
        context: VideoCodecContext | None = None
        for place, frame in frames:
            if self.layout is None:
                self.layout = Layout.of(frame)
            fitted = self.layout.fit(frame)
            if context is None:
                self.first = fitted
                context = _encoder(self.layout, fitted, self.fps, self.crf)
            fitted.pts, fitted.time_base = self.ticks[place], Fraction(1, TICKS)
            # Which frames are key frames is for this encoder to choose.
            fitted.pict_type = 0
            if place in self.wanted:
                self.originals[place] = frame
            self.sent.append(place)
            yield from context.encode(fitted)
        if context is not None:
            yield from context.encode(None)

    def _decoded(self, *, whole: bool) -> Iterator[tuple[int, VideoFrame]]:
        """Yield what is wanted of the group, and forget it."""
        times = sorted(each.pts for each in self.group if each.pts is not None)
        if whole:
            due = [self.ticks[self.sent.popleft()] for _ in self.group if self.sent]
            if times != due:
                raise MediaError("the encoder dropped or moved frames")
        group, self.group = self.group, []
        if self.left.isdisjoint(times):
            return
        assert self.layout is not None
        # One by one: all of them would be ten seconds of bare pictures.
        for expected, frame in zip_longest(times, _decode(group)):
            if frame is None or frame.pts is None or frame.pts != expected:
                raise MediaError("the encoded frames decode to others, or to fewer")
            self._check(frame)
            if frame.pts in self.left:
                self.left.remove(frame.pts)
                place = self.places[frame.pts]
                yield place, self.layout.restore(frame, onto=self.originals.pop(place))

    def _check(self, frame: VideoFrame) -> None:
        assert self.first is not None
        if _look(frame) != _look(self.first):
            raise MediaError(
                f"the encoded frames have another form: {_look(frame)}, the video has "
                f"{_look(self.first)}"
            )


def _look(frame: VideoFrame) -> tuple[object, ...]:
    """Return what a picture's look depends on besides its pixels.

    Full-range formats have names of their own (``yuvj``) beside the range; no
    range means the limited one.
    """
    name = frame.format.name
    full = "yuvj" in name or frame.color_range == 2
    size = frame.width, frame.height
    return (*size, planes_of(name), full, int(frame.colorspace))


def _encoder(
    layout: Layout, first: VideoFrame, fps: float, crf: int
) -> VideoCodecContext:
    """Return an encoder for frames that look like *first*."""
    import av

    try:
        # Of this name there is no encoder but one for video.
        context: Any = av.CodecContext.create("libx264", "w")
    except ValueError as error:
        raise ConfigError(
            "condition 'compressed' needs the encoder libx264, which this build of "
            "PyAV lacks; the wheels on PyPI have it"
        ) from error
    context.width, context.height = layout.coded
    context.pix_fmt = layout.pixels
    context.time_base = Fraction(1, TICKS)
    context.framerate = Fraction(fps).limit_denominator(1001)
    context.thread_count = 1
    context.color_range = first.color_range
    context.colorspace = first.colorspace
    context.options = {**SETTINGS, "crf": str(crf)}
    return context  # type: ignore[no-any-return]


def _decode(packets: Sequence[Packet]) -> Iterator[VideoFrame]:
    """Yield the frames of one group of pictures in the order of display."""
    import av

    decoder: Any = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    for packet in packets:
        yield from decoder.decode(packet)
    yield from decoder.decode(None)
