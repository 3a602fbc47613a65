"""From PyAV's frames to RGB arrays in displayed orientation.

Apart from ``_pyav.py`` so that turning, mirroring and scaling are done by the
same few lines for videos and for folders of pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.frames._files import CannotRead, safe_text
from pytest_vdg.frames._pyav_stream import NOT_INSTALLED

if TYPE_CHECKING:
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

JPEG_BEGIN, JPEG_END = b"\xff\xd8", b"\xff\xd9"
JPEG_TAIL = 4096
"""Bytes within which a JPEG file must end; some cameras add a few behind it."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """How stored pictures become displayed ones."""

    quarters: int
    """Quarter turns counterclockwise."""
    mirrored: bool
    """Whether the stored picture is turned upside down first."""
    height: int
    """Height as displayed."""
    width: int
    """Width as displayed."""


def turn_of(frame: VideoFrame) -> tuple[Turn, tuple[str, ...]]:
    """Return how the pictures are to be turned, from the first of them."""
    degrees = frame.rotation % 360
    quarters = round(degrees / 90) % 4
    notes: tuple[str, ...] = ()
    if degrees % 90:
        quarters = 0
        notes = (f"It asks to be turned by {degrees} degrees, which is not done.",)
    height, width = frame.height, frame.width
    if quarters % 2:
        height, width = width, height
    turn = Turn(
        quarters=quarters, mirrored=_is_mirrored(frame), height=height, width=width
    )
    return turn, notes


def _is_mirrored(frame: VideoFrame) -> bool:
    """Tell whether the display matrix holds a reflection."""
    from av.sidedata.sidedata import Type

    # Looked up, as going through it gives other things before PyAV 19 than since.
    side_data: Any = frame.side_data  # a mapping by name, say the stubs
    data = side_data.get(Type.DISPLAYMATRIX)
    if data is None:
        return False
    a, b, _, c, d, *_ = np.frombuffer(bytes(data), dtype=np.int32).tolist()
    return bool(a * d - b * c < 0)


def shape_notes(stream: VideoStream) -> tuple[str, ...]:
    """Return a note for pixels that are not square."""
    shape = stream.sample_aspect_ratio
    if shape and shape != 1:
        return (
            (
                f"Its pixels are {shape.numerator}:{shape.denominator}, not square; "
                "frames are not stretched."
            ),
        )
    return ()


def room_for(
    turn: Turn, count: int, size: tuple[int, int] | None
) -> npt.NDArray[np.uint8]:
    """Return an array for *count* pictures."""
    height, width = size or (turn.height, turn.width)
    return np.empty((count, height, width, 3), dtype=np.uint8)


def picture_of(
    frame: VideoFrame, turn: Turn, size: tuple[int, int] | None
) -> npt.NDArray[np.uint8]:
    """Return *frame* as RGB in displayed orientation, of *size* if given."""
    height, width = size or (turn.height, turn.width)
    if turn.quarters % 2:
        height, width = width, height
    rgb = frame.reformat(width=width, height=height, format="rgb24").to_ndarray()
    picture = rgb.astype(np.uint8, copy=False)
    if turn.mirrored:
        picture = picture[::-1]
    return np.rot90(picture, turn.quarters)


def decode_still(content: bytes, size: tuple[int, int] | None) -> npt.NDArray[np.uint8]:
    """Return the one picture in *content* as RGB, of *size* if given.

    A picture that is damaged or cut short raises `CannotRead`: left alone, the
    decoder of JPEG fills what is missing with grey and says nothing.
    """
    try:
        import av
    except ImportError as error:
        raise CannotRead(NOT_INSTALLED) from error
    if content[:2] == JPEG_BEGIN and JPEG_END not in content[-JPEG_TAIL:]:
        raise CannotRead("the picture is cut short: its end mark is missing")
    # From memory, not by name: names with % would be patterns of many files.
    options = {"format_whitelist": "png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,webp"}
    try:
        with av.open(
            BytesIO(content), mode="r", container_options=options
        ) as container:
            stream = container.streams.video[0]
            stream.codec_context.options = {"err_detect": "explode"}
            frame = next(container.decode(stream))
            turn, _ = turn_of(frame)
            return picture_of(frame, turn, size)
    except (av.FFmpegError, ValueError, IndexError, StopIteration) as error:
        raise CannotRead(safe_text(error)) from error
