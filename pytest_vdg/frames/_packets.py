"""What a file's packets say of its frames, and how far damage reaches.

Apart from the reader because it is arithmetic on plain values, tested without
a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Packet(NamedTuple):
    """What a packet says of its frame, in ticks of the stream's time base."""

    pts: int | None
    dts: int | None
    duration: int
    key: bool
    discard: bool
    corrupt: bool = False


def pts_of(packet: Packet) -> int:
    """Return the presentation time of a packet that is known to have one."""
    assert packet.pts is not None
    return packet.pts


def find_damage(
    packets: Sequence[Packet],
    order: Sequence[int | None],
    failed: set[int],
    corrupt: set[int],
    one_to_one: bool,
) -> tuple[frozenset[int], int]:
    """Return the shown frames that an error may have reached, and the error count.

    An error in one frame spoils those decoded after it, up to the next key
    frame and including what is shown before that key frame.

    Parameters
    ----------
    packets
        All packets in the order of the file. Those that the container marks as
        corrupt count as errors: a decoder may take half a frame for a whole one.
    order
        Presentation time of each frame that came out.
    failed
        Packets that the decoder refused.
    corrupt
        Shown frames that the decoder marked as concealed.
    one_to_one
        Whether a packet without a frame is an error (else it may be hidden).
    """
    first_key = next((i for i, packet in enumerate(packets) if packet.key), 0)
    at = {packet.pts: i for i, packet in enumerate(packets) if packet.pts is not None}
    broken = {i for i, packet in enumerate(packets) if packet.corrupt}
    starts = {i for i in failed | broken if i >= first_key}
    starts |= {at[pts] for pts in (order[c] for c in corrupt) if pts in at}
    if one_to_one and None not in order and len(at) == len(packets):
        starts |= _absent(packets, set(order), first_key)
    if len(at) < len(packets) or None in order:
        # Without times no frame can be told from its packet, and decoders put
        # frames out at most 16 later.
        begins = min({max(0, i - 16) for i in starts} | corrupt, default=len(order))
        return frozenset(range(begins, len(order))), len(starts | corrupt)
    spoilt: set[int | None] = set()
    for start in sorted(starts):
        if packets[start].pts not in spoilt:
            spoilt |= _reach(packets, start)
    reached = {position for position, pts in enumerate(order) if pts in spoilt}
    return frozenset(reached | corrupt), len(starts)


def _absent(
    packets: Sequence[Packet], shown: set[int | None], first_key: int
) -> set[int]:
    """Return the packets from the first key frame on whose frame never came."""
    begin = pts_of(packets[first_key])
    return {
        i
        for i, packet in enumerate(packets)
        if i >= first_key
        and not packet.discard
        and pts_of(packet) >= begin
        and packet.pts not in shown
    }


def _reach(packets: Sequence[Packet], start: int) -> set[int | None]:
    """Return the times of all frames that depend on packet *start*, at worst."""
    stop = next(
        (i for i in range(start + 1, len(packets)) if packets[i].key), len(packets)
    )
    times = {packet.pts for packet in packets[start:stop]}
    if stop < len(packets):
        until = pts_of(packets[stop])
        times |= {p.pts for p in packets[stop : stop + 64] if pts_of(p) < until}
    return times
