"""Claims about how far damage reaches, on packets written by hand."""

from __future__ import annotations

from pytest_vdg.frames._packets import Packet, find_damage


def packets(*frames: tuple[int | None, str]) -> list[Packet]:
    """Return packets in the order of the file: (time, "K", "P", "B" or "D")."""
    return [
        Packet(pts=pts, dts=None, duration=1, key=kind == "K", discard=kind == "D")
        for pts, kind in frames
    ]


OPEN = packets(
    (0, "K"),
    (3, "P"),
    (1, "B"),
    (2, "B"),
    (6, "K"),
    (4, "B"),  # shown before the key frame, made of frames on both sides of it
    (5, "B"),
    (9, "P"),
    (7, "B"),
    (8, "B"),
)
ORDER = list(range(10))


def test_damage_reaches_to_what_is_shown_before_the_next_key() -> None:
    """An error in frame 3 spoils 1 to 5, not the key frame and what follows."""
    spoilt, errors = find_damage(OPEN, ORDER, {1}, set(), one_to_one=True)
    assert (sorted(spoilt), errors) == ([1, 2, 3, 4, 5], 1)


def test_frames_decoded_before_the_error_are_safe() -> None:
    """A concealed frame 2 spoils only what is decoded from it on."""
    spoilt, _ = find_damage(OPEN, ORDER, set(), {2}, one_to_one=True)
    assert sorted(spoilt) == [2, 4, 5]


def test_a_frame_that_never_came_is_an_error() -> None:
    """Where each packet is a frame, one that is absent is damage."""
    order = [i for i in ORDER if i != 7]
    spoilt, errors = find_damage(OPEN, order, set(), set(), one_to_one=True)
    assert [order[i] for i in sorted(spoilt)] == [8]
    assert errors == 1


def test_a_packet_marked_by_its_container_is_an_error() -> None:
    """What a broadcast lost on its way is known before it is decoded."""
    lossy = [p._replace(corrupt=p.pts == 9) for p in OPEN]
    spoilt, errors = find_damage(lossy, ORDER, set(), set(), one_to_one=True)
    assert (sorted(spoilt), errors) == ([7, 8, 9], 1)


def test_a_hidden_frame_is_none() -> None:
    """Where packets may be hidden frames, an absent one is no damage."""
    order = [i for i in ORDER if i != 7]
    assert find_damage(OPEN, order, set(), set(), one_to_one=False) == (frozenset(), 0)


def test_what_precedes_the_first_key_is_no_damage() -> None:
    """A recording that begins in the middle has frames nobody can decode."""
    late = packets((0, "P"), (1, "P"), (2, "K"), (3, "P"))
    assert find_damage(late, [2, 3], {0, 1}, set(), one_to_one=True)[1] == 0


def test_discarded_packets_are_not_missed() -> None:
    """What an edit list hides does not come out, and need not."""
    edited = packets((0, "K"), (1, "D"), (2, "P"))
    assert find_damage(edited, [0, 2], set(), set(), one_to_one=True)[1] == 0


def test_without_times_all_that_follows_is_suspect() -> None:
    """No frame can be told from its packet, so none after the error is believed."""
    untimed = packets(*[(None, "K" if i == 0 else "P") for i in range(40)])
    spoilt, errors = find_damage(untimed, [None] * 40, {30}, set(), one_to_one=True)
    assert (sorted(spoilt), errors) == (list(range(14, 40)), 1)
