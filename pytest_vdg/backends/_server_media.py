"""`Media`: a clip as parts of a chat message, every picture encoded once.

Apart from the requests because here the pictures could change: PNG and the
video lose nothing, and a test decodes both.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections import OrderedDict
from fractions import Fraction
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip

JPEG_QUALITY = 95
MOST_HELD = 128 << 20
"""Characters of encoded pictures that are held for the next request."""
_TICKS = 1000
"""Units of a video's clock in a second."""

Part = dict[str, Any]


class Media:
    """Makes the parts of a message that show a clip; used by many threads."""

    def __init__(self, settings: ServerSettings) -> None:
        """Encode nothing yet."""
        self._settings = settings
        self._held: OrderedDict[str, str] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def parts(self, clip: Clip) -> list[Part]:
        """Return the parts that show *clip*: an image a frame, or one video."""
        if self._settings.frames_as == "images":
            return [_image_part(self._image(frame)) for frame in clip.frames]
        return [{"type": "video_url", "video_url": {"url": self._video(clip)}}]

    def close(self) -> None:
        """Forget all pictures."""
        with self._lock:
            self._held.clear()
            self._size = 0

    def _image(self, frame: npt.NDArray[np.uint8]) -> str:
        pixels = np.ascontiguousarray(frame)
        name = hashlib.sha256(repr(frame.shape).encode() + pixels.tobytes()).hexdigest()
        found = self._found(name)
        if found is None:
            kind = self._settings.image_format
            found = self._hold(name, data_url(f"image/{kind}", encoded(pixels, kind)))
        return found

    def _video(self, clip: Clip) -> str:
        times = clip.timestamps_s.tobytes()
        name = clip.digest() + hashlib.sha256(times).hexdigest()
        found = self._found(name)
        if found is not None:
            return found
        return self._hold(name, data_url("video/mp4", encoded_video(clip)))

    def _found(self, name: str) -> str | None:
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
            return self._held.get(name)

    def _hold(self, name: str, url: str) -> str:
        with self._lock:
            if name not in self._held:
                self._held[name] = url
                self._size += len(url)
            while self._size > MOST_HELD and len(self._held) > 1:
                self._size -= len(self._held.popitem(last=False)[1])
        return url


def data_url(kind: str, data: bytes) -> str:
    """Return *data* as an address that holds it."""
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def encoded(frame: npt.NDArray[np.uint8], kind: str) -> bytes:
    """Return *frame*, RGB ``(H, W, 3)``, as a PNG or JPEG file."""
    from PIL import Image

    file = io.BytesIO()
    if kind == "png":
        Image.fromarray(frame).save(file, "PNG", compress_level=3)
    else:
        Image.fromarray(frame).save(file, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return file.getvalue()


def encoded_video(clip: Clip) -> bytes:
    """Return *clip* as an MP4 file, H.264 in RGB without loss, at its own times.

    Every frame stands alone, so that a server reads whichever it likes.
    """
    import av

    if "libx264rgb" not in av.codecs_available:
        raise BackendError(
            "frames_as: video needs the encoder libx264rgb, which this PyAV lacks. "
            "Set: server: {frames_as: images}"
        )
    file = io.BytesIO()
    ticks = _ticks(clip)
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream(
            "libx264rgb",
            rate=Fraction(clip.source_fps).limit_denominator(1001),
            options={"qp": "0", "preset": "ultrafast", "g": "1", "bf": "0"},
        )
        stream.height, stream.width = clip.size
        stream.pix_fmt = "rgb24"
        stream.codec_context.time_base = Fraction(1, _TICKS)
        for pixels, tick in zip(clip.frames, ticks, strict=True):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), "rgb24")
            frame.pts, frame.time_base = tick, Fraction(1, _TICKS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


def _ticks(clip: Clip) -> list[int]:
    """Return when each frame is shown, strictly rising from 0."""
    found: list[int] = []
    for second in clip.timestamps_s - clip.timestamps_s[0]:
        least = found[-1] + 1 if found else 0
        found.append(max(least, round(float(second) * _TICKS)))
    return found


def _image_part(url: str) -> Part:
    return {"type": "image_url", "image_url": {"url": url}}
