"""Pictures as an H.264 encoder takes them, and back: pixel format and even sides.

Apart from the encoder because this is what keeps compression the only change:
chroma stays as fine as it is stored, no picture goes through RGB on its way, and
what is put on at an edge is taken off again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from pytest_vdg.errors import MediaError

if TYPE_CHECKING:
    from av.video.format import VideoFormat
    from av.video.frame import VideoFrame
    from av.video.plane import VideoPlane

TAKEN = frozenset(
    f"yuv{chroma}p{depth}" for chroma in ("420", "422", "444") for depth in ("", "10le")
) | {"yuvj420p", "yuvj422p", "yuvj444p", "gray", "gray10le"}
"""Pixel formats that libx264 encodes and H.264 gives back."""
_CHROMA = {(8, 8): "420", (8, 16): "422", (16, 16): "444"}
"""From chroma samples of a picture of 16 x 16 to the name."""
_LIMITED, _BT601 = 1, 5
"""FFmpeg's numbers for a colour range and a colour matrix."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How all pictures of one encoding are stored, before it and in it."""

    source: str
    """Pixel format of the video."""
    pixels: str
    """Pixel format that is encoded, one of `TAKEN`."""
    rgb: bool
    """Whether pictures are turned into luma and chroma to be encoded."""
    width: int
    """As stored in the source, before it is turned for display."""
    height: int

    @classmethod
    def of(cls, frame: VideoFrame) -> Layout:
        """Return the layout for a video that begins with *frame*."""
        return cls(
            source="rgb24" if frame.format.has_palette else frame.format.name,
            pixels=pixels_for(frame.format),
            rgb=frame.format.is_rgb or frame.format.has_palette,
            width=frame.width,
            height=frame.height,
        )

    @property
    def coded(self) -> tuple[int, int]:
        """Width and height that are encoded: even where chroma is halved."""
        stored = planes_of(self.pixels)
        across = 1 if "444" in stored else 2
        down = 2 if "420" in stored else 1
        return -(-self.width // across) * across, -(-self.height // down) * down

    def fit(self, frame: VideoFrame) -> VideoFrame:
        """Return *frame* as it is encoded.

        The edge is repeated by a row or a column at most, as the encoder itself
        repeats it up to whole blocks.
        """
        if self.rgb:
            fitted = frame.reformat(
                width=self.width,
                height=self.height,
                format=self.pixels,
                dst_colorspace=_BT601,
                dst_color_range=_LIMITED,
            )
            fitted.colorspace, fitted.color_range = _BT601, _LIMITED
        else:
            fitted = frame.reformat(
                width=self.width, height=self.height, format=self.pixels
            )
        return recut(fitted, *self.coded)

    def restore(self, frame: VideoFrame, onto: VideoFrame) -> VideoFrame:
        """Return *onto*, a frame of the video, with the pixels of a decoded *frame*.

        All else of it stays, such as range, matrix and where chroma lies: a picture
        that differs in these is turned into RGB, or scaled, in another way.
        """
        fits = (onto.width, onto.height) == (self.width, self.height)
        back = recut(frame, self.width, self.height)
        if planes_of(frame.format.name) != planes_of(self.source):
            way = {"src_colorspace": _BT601, "src_color_range": _LIMITED}
            back = back.reformat(format=self.source, **(way if self.rgb else {}))
        if not fits or onto.format.name != self.source:
            return back
        _overwrite(onto, back)
        return onto


def planes_of(pixels: str) -> str:
    """Return the name of the format with the same planes and the limited range.

    Grey comes back from H.264 with chroma that is not used.
    """
    alike = {"gray": "yuv420p", "gray10le": "yuv420p10le"}
    return alike.get(pixels, pixels.replace("yuvj", "yuv"))


def pixels_for(format_: VideoFormat) -> str:
    """Return the pixel format to encode in.

    Chroma stays as coarse as it is: full for RGB, which only rounds a little. More
    than 10 bits become 10. Raises `MediaError` where H.264 has no such format.
    """
    if format_.name in TAKEN:
        return format_.name
    parts = format_.components
    deep = "10le" if max(part.bits for part in parts) > 8 else ""
    if format_.is_rgb or format_.has_palette:
        return f"yuv444p{deep}"
    if len(parts) < 3:
        return f"gray{deep}"
    chroma = _CHROMA.get((format_.chroma_width(16), format_.chroma_height(16)))
    if chroma is None:
        raise MediaError(
            f"H.264 has no pixel format with the chroma of {format_.name}, and to "
            "convert it would change more than compression does"
        )
    return f"yuv{chroma}p{deep}"


def recut(frame: VideoFrame, width: int, height: int) -> VideoFrame:
    """Return *frame* at another size, cut or with its edge repeated; not scaled.

    Its format is one of `TAKEN`, which have a plane for each component.
    """
    if (frame.width, frame.height) == (width, height):
        return frame
    from av import VideoFrame as NewFrame

    made = NewFrame(width, height, frame.format.name)
    deep = frame.format.components[0].bits > 8
    wide: type[np.generic] = np.uint16 if deep else np.uint8
    for source, target in zip(frame.planes, made.planes, strict=True):
        kept = _rows(source, wide)[: target.height, : min(source.width, target.width)]
        more = (0, target.height - len(kept)), (0, target.width - kept.shape[1])
        _rows(target, wide)[:, : target.width] = np.pad(kept, more, mode="edge")
    made.colorspace, made.color_range = frame.colorspace, frame.color_range
    return made


def _overwrite(frame: VideoFrame, pixels: VideoFrame) -> None:
    """Put *pixels*, of the same size and planes, or more, in place of *frame*'s."""
    frame.make_writable()  # its decoder may still look at it
    for source, target in zip(pixels.planes, frame.planes, strict=False):
        rows, room = _rows(source, np.uint8), _rows(target, np.uint8)
        both = min(rows.shape[1], room.shape[1])
        room[:, :both] = rows[:, :both]


def _rows(plane: VideoPlane, kind: type[np.generic]) -> npt.NDArray[np.generic]:
    """Return the samples of *plane* as they lie in memory, with what pads each row."""
    # The stubs do not say that a plane is a buffer.
    samples = np.frombuffer(cast("memoryview", plane), kind)
    return samples.reshape(plane.height, -1)
