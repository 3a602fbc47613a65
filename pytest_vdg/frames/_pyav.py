"""Reading with PyAV: by presentation time, through key frames where that is safe.

Apart from ``decode.py`` so that PyAV is named in one module; the decision when
seeking is safe, and the check that it was, are here.

How exactness is kept:

1. The packets are read without decoding. In MP4, MOV, Matroska and WebM with
   H.264, HEVC, VP9 or AV1, one packet is one shown frame, so the presentation
   times are known then. The decoder is started at the last key frame before a
   wanted frame, and *every* frame it gives from there on must be the expected one.
2. Anything else, and any surprise (missing or equal times, a frame that is
   absent or concealed, a seek that lands elsewhere), means that the file is
   decoded from its first to its last frame, and what comes out is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.errors import MediaError
from pytest_vdg.frames._packets import Packet, find_damage, pts_of
from pytest_vdg.frames._pyav_picture import Turn, shape_notes, turn_of
from pytest_vdg.frames._pyav_stream import (
    check_announced,
    decoded,
    frames_of,
    opened,
    packet_of,
    packets_of,
    rates_of,
    time_base,
)
from pytest_vdg.frames._pyav_take import take_by_seeking, take_in_order
from pytest_vdg.frames._scan import Scan
from pytest_vdg.frames._timeline import (
    Reading,
    Timeline,
    VideoInfo,
    check_whole,
    make_timeline,
)
from pytest_vdg.frames.window import Pick

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream

DAMAGED_SHARE = 0.01
"""A file with a larger share of damaged frames (and more than one) is refused."""

_SEEKABLE_CONTAINERS = {"mov", "matroska"}
_SEEKABLE_CODECS = {"h264", "hevc", "vp9", "av1"}


def scan(path: Path) -> Scan:
    """Learn which frames *path* shows and when, decoding as little as possible."""
    with opened(path) as (container, stream):
        packets = tuple(packets_of(container, stream))
        check_announced(container, stream, packets, path)
        seekable = _is_seekable(container, stream, packets)
        base, rates = time_base(stream), rates_of(stream)
    if not seekable:
        return scan_by_decoding(path)
    shown = sorted((p for p in packets if not p.discard), key=pts_of)
    line = make_timeline(
        [float(pts_of(packet) * base) for packet in shown],
        last_s=float(shown[-1].duration * base),
        rates=rates,
    )
    with opened(path) as (container, stream):
        first = next(frames_of(container, stream), None)
        if first is None or line.notes:
            return scan_by_decoding(path)
        turn, notes = turn_of(first)
        notes += shape_notes(stream)
        codec = stream.codec_context.codec.canonical_name
    return Scan(
        info=_info(line, turn, codec, notes),
        order=tuple(packet.pts for packet in shown),
        packets=packets,
        turn=turn,
        seekable=True,
        tainted=frozenset(),
    )


def read(path: Path, pick: Pick, size: tuple[int, int] | None) -> Reading:
    """Return the frames of *path* that *pick* takes, scaled to *size* if given."""
    known = scan(path)
    indices = pick(known.info)
    if known.seekable:
        frames = take_by_seeking(path, known, indices.tolist(), size)
        if frames is not None:
            return Reading(info=known.info, indices=indices, frames=frames)
        known = scan_by_decoding(path)
        indices = pick(known.info)
    bad = known.tainted.intersection(indices.tolist())
    if bad:
        raise MediaError(
            f"damaged: {len(bad)} of the {len(indices)} frames asked for lie between "
            "a decoding error and the next key frame"
        )
    frames = take_in_order(path, known, indices.tolist(), size)
    return Reading(info=known.info, indices=indices, frames=frames)


def _info(line: Timeline, turn: Turn, codec: str, notes: tuple[str, ...]) -> VideoInfo:
    """Return what `probe` hands out."""
    return VideoInfo(
        frames=len(line.pts_s),
        pts_s=line.pts_s,
        duration_s=line.duration_s,
        fps=line.fps,
        width=turn.width,
        height=turn.height,
        rotation=turn.quarters * 90,
        codec=codec,
        notes=notes + line.notes,
    )


def _is_seekable(
    container: InputContainer, stream: VideoStream, packets: Sequence[Packet]
) -> bool:
    """Tell whether each packet is one shown frame with a time of its own."""
    times = [packet.pts for packet in packets]
    return (
        container.format.name.split(",")[0] in _SEEKABLE_CONTAINERS
        and stream.codec_context.codec.canonical_name in _SEEKABLE_CODECS
        and not all(packet.discard for packet in packets)
        and not any(packet.corrupt for packet in packets)
        and packets[0].key
        and None not in times
        and len(set(times)) == len(times)
    )


@dataclass(kw_only=True)
class _Decoding:
    """What came out when a file was decoded from end to end."""

    packets: list[Packet] = field(default_factory=list)
    order: list[int | None] = field(default_factory=list)
    corrupt: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    last_ticks: int = 0
    turn: Turn | None = None
    notes: tuple[str, ...] = ()


def _decode_all(container: InputContainer, stream: VideoStream) -> _Decoding:
    """Decode everything, keeping times and errors but no picture."""
    seen = _Decoding()
    for packet, frames in decoded(container, stream):
        if packet.size:
            seen.packets.append(packet_of(packet))
        if frames is None:
            seen.failed.add(max(0, len(seen.packets) - 1))
            continue
        for frame in frames:
            if seen.turn is None:
                seen.turn, seen.notes = turn_of(frame)
            if frame.is_corrupt:
                seen.corrupt.add(len(seen.order))
            seen.order.append(frame.pts)
            seen.last_ticks = frame.duration or 0
    seen.notes += shape_notes(stream)
    return seen


def scan_by_decoding(path: Path) -> Scan:
    """Decode *path* from end to end, and believe what comes out."""
    with opened(path) as (container, stream):
        seen = _decode_all(container, stream)
        codec = stream.codec_context.codec.canonical_name
        base, rates = time_base(stream), rates_of(stream)
    if seen.turn is None:
        raise MediaError(f"no frames: none of {len(seen.packets)} packets decodes")
    tainted, damaged = find_damage(
        seen.packets,
        seen.order,
        seen.failed,
        seen.corrupt,
        one_to_one=codec in _SEEKABLE_CODECS,
    )
    count = f"{damaged} of {len(seen.packets)} frames do not decode without errors"
    if damaged > max(1, DAMAGED_SHARE * len(seen.packets)):
        raise MediaError(f"damaged: {count}")
    line = make_timeline(
        [None if pts is None else float(pts * base) for pts in seen.order],
        last_s=float(seen.last_ticks * base),
        rates=rates,
    )
    check_whole(
        decoded_s=line.duration_s,
        announced_s=None if line.notes else _packets_s(seen.packets, base),
        decoded_frames=len(seen.order),
    )
    notes = seen.notes + ((f"{count}.",) if damaged else ())
    return Scan(
        info=_info(line, seen.turn, codec, notes),
        order=tuple(seen.order),
        packets=tuple(seen.packets),
        turn=seen.turn,
        seekable=False,
        tainted=tainted,
    )


def _packets_s(packets: Sequence[Packet], base: Fraction) -> float | None:
    """Return how long the shown packets say that they last."""
    shown = [p for p in packets if p.pts is not None and not p.discard]
    if not shown:
        return None
    start = min(map(pts_of, shown))
    return float((max(pts_of(p) + p.duration for p in shown) - start) * base)
