"""Claims about `pytest_vdg.frames.conditions`, on clips made in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import ConditionNotApplicable, ConfigError
from pytest_vdg.frames import conditions
from pytest_vdg.frames._transforms import shuffled
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.conditions import (
    LADDER,
    Condition,
    Draw,
    Request,
    apply,
    derange,
    known_conditions,
    needs_partner,
    register_condition,
)
from tests.frames.clips import make_clip

SPECS = [
    "original",
    "black",
    "single_frame",
    "single_frame:middle",
    "shuffled",
    "shuffled:blocks",
    "reversed",
    "text_only",
    "mismatched",
]
pixels = st.lists(st.integers(0, 5), min_size=1, max_size=12)
ids = st.text(max_size=8)
seeds = st.integers(0, 9)


def show(
    spec: str,
    clip: Clip,
    question_id: str = "q",
    seed: int = 0,
    *,
    block: int = 1,
    partner: Clip | None = None,
) -> Clip | None:
    """Return *clip* under *spec*, with a partner where one is needed."""
    if partner is None and spec == "mismatched":
        partner = make_clip([200, 201, 202])
    return apply(
        Condition.parse(spec),
        clip,
        question_id=question_id,
        seed=seed,
        block=block,
        partner=partner,
    )


def values(clip: Clip | None) -> list[int]:
    """Return the level that each frame of *clip* is filled with."""
    assert clip is not None
    return clip.frames[:, 0, 0, 0].tolist()


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_is_a_value(spec: str) -> None:
    """Every condition can be written down and read back."""
    assert str(Condition.parse(spec)) == spec
    assert spec in known_conditions()


@pytest.mark.parametrize("spec", SPECS)
@given(levels=pixels, question_id=ids, seed=seeds, block=st.integers(1, 4))
def test_only_pictures_change(
    spec: str, levels: list[int], question_id: str, seed: int, block: int
) -> None:
    """Count, size, times and source stay; the clip given is left as it was."""
    clip = make_clip(levels)
    before = clip.digest()
    try:
        shown = show(spec, clip, question_id, seed, block=block)
    except ConditionNotApplicable:
        shown = clip
    assert clip.digest() == before
    if spec == "text_only":
        assert shown is None
        return
    assert shown is not None
    assert shown.frames.shape == clip.frames.shape
    assert shown.timestamps_s.tolist() == clip.timestamps_s.tolist()
    assert shown.source_indices == clip.source_indices
    assert (shown.source_fps, shown.source_frames) == (2.0, len(levels))


@pytest.mark.parametrize("spec", ["shuffled", "shuffled:blocks", "reversed"])
@given(levels=pixels, question_id=ids, seed=seeds, block=st.integers(1, 4))
def test_moving_frames_keeps_them_all_and_changes_the_sequence(
    spec: str, levels: list[int], question_id: str, seed: int, block: int
) -> None:
    """Same frames, other order *of pictures*; else the condition says no."""
    clip = make_clip(levels)
    try:
        shown = values(show(spec, clip, question_id, seed, block=block))
    except ConditionNotApplicable:
        return
    assert Counter(shown) == Counter(levels)
    assert shown != levels


@given(levels=pixels, question_id=ids, seed=seeds)
def test_shuffled_applies_whenever_two_pictures_differ(
    levels: list[int], question_id: str, seed: int
) -> None:
    """It is not applicable exactly where no order differs."""
    clip = make_clip(levels)
    if len(set(levels)) > 1:
        assert values(show("shuffled", clip, question_id, seed)) != levels
    else:
        with pytest.raises(ConditionNotApplicable, match="no order"):
            show("shuffled", clip, question_id, seed)


@pytest.mark.parametrize("odd", range(6))
def test_one_odd_picture_is_moved(odd: int) -> None:
    """Orders that show the same are drawn again."""
    levels = [9 if i == odd else 1 for i in range(6)]
    for question in range(30):
        assert values(show("shuffled", make_clip(levels), str(question))) != levels


class Unlucky(Draw):
    """Draws the order that is there already, however often it is asked."""

    def order(self, count: int, attempt: int = 0) -> list[int]:
        """Return 0, 1, 2..."""
        del attempt
        return list(range(count))


@pytest.mark.parametrize(
    ("levels", "block", "expected"),
    [
        ([1, 2], 1, [2, 1]),
        ([1, 1, 1, 9, 1], 1, [1, 1, 9, 1, 1]),
        ([1, 1, 1, 1, 9], 1, [1, 1, 1, 9, 1]),
        ([1, 2, 1, 2, 3, 4, 5], 2, [1, 2, 3, 4, 1, 2, 5]),
    ],
)
def test_where_no_draw_differs_two_neighbours_are_swapped(
    levels: list[int], block: int, expected: list[int]
) -> None:
    """What is called shuffled is never the original, by whatever bad luck."""
    request = Request(
        argument="blocks", draw=Unlucky(key="k"), block=block, partner=None
    )
    assert values(shuffled(make_clip(levels), request)) == expected


@given(levels=pixels, seed=seeds, questions=st.lists(ids, min_size=2, max_size=5))
def test_the_order_of_calls_does_not_matter(
    levels: list[int], seed: int, questions: list[str]
) -> None:
    """A question gets the same frames first, last, alone or among others."""
    clip = make_clip([*levels, 7, 8])
    for spec in ("shuffled", "single_frame"):
        forth = {q: values(show(spec, clip, q, seed)) for q in questions}
        back = {q: values(show(spec, clip, q, seed)) for q in reversed(questions)}
        assert forth == back


@pytest.mark.parametrize("spec", ["shuffled", "single_frame"])
def test_questions_and_seeds_differ(spec: str) -> None:
    """Randomness comes from the question and the seed, not from one draw."""
    clip = make_clip(range(12))
    by_question = {tuple(values(show(spec, clip, str(q)))) for q in range(40)}
    by_seed = {tuple(values(show(spec, clip, "q", seed))) for seed in range(40)}
    assert min(len(by_question), len(by_seed)) > 5


def test_every_frame_may_be_the_single_one() -> None:
    """Over many questions the single frame is spread over the clip."""
    clip = make_clip(range(4))
    seen = Counter(values(show("single_frame", clip, str(q)))[0] for q in range(400))
    # 100 each; six standard deviations of a fair four-sided die are 52.
    assert all(abs(seen[level] - 100) < 52 for level in range(4))


def test_randomness_is_fixed_for_good() -> None:
    """Stored answers stay valid: these orders must not change with a release.

    The order is that of sha256("0:shuffled:q1:order:0:<i>") for i = 0 ... 5.
    """

    def digest(i: int) -> bytes:
        return hashlib.sha256(f"0:shuffled:q1:order:0:{i}".encode()).digest()

    expected = sorted(range(6), key=digest)
    assert values(show("shuffled", make_clip(range(6)), "q1")) == expected


def test_the_single_frame_is_fixed_for_good() -> None:
    """The one of six frames is sha256("0:single_frame:<id>:pick") modulo 6."""
    for name in ("q1", "q2", "q3", "\u00e9", "\ud800"):
        text = f"0:single_frame:{name}:pick".encode("utf-8", "surrogatepass")
        expected = int(hashlib.sha256(text).hexdigest(), 16) % 6
        shown = values(show("single_frame", make_clip(range(6)), name))
        assert shown == [expected] * 6


def test_who_stands_for_whom_is_fixed_for_good() -> None:
    """A circle in the order of sha256("3:mismatched:video:<id>"): each has the next."""
    videos = [f"v{i}.mp4" for i in range(5)]
    circle = sorted(
        videos,
        key=lambda v: hashlib.sha256(f"3:mismatched:video:{v}".encode()).digest(),
    )
    expected = {one: circle[(i + 1) % 5] for i, one in enumerate(circle)}
    assert derange(videos, 3) == expected


def test_black_is_black() -> None:
    """RGB (0, 0, 0) in every pixel of as many frames."""
    shown = show("black", make_clip([3, 4, 5]))
    assert shown is not None
    assert shown.frames.shape == (3, 4, 6, 3)
    assert not shown.frames.any()


@pytest.mark.parametrize(("count", "middle"), [(1, 0), (2, 1), (5, 2), (8, 4)])
def test_the_middle_frame(count: int, middle: int) -> None:
    """`single_frame:middle` repeats the frame at T // 2."""
    shown = values(show("single_frame:middle", make_clip(range(count))))
    assert shown == [middle] * count


def test_reversed_is_last_to_first() -> None:
    """Frames run backwards while the time marks stay."""
    shown = show("reversed", make_clip([1, 2, 3]))
    assert values(shown) == [3, 2, 1]


@pytest.mark.parametrize("levels", [[1], [2, 2, 2], [1, 2, 1]])
def test_a_palindrome_cannot_be_reversed(levels: list[int]) -> None:
    """Where both directions look the same, reversing tests nothing."""
    with pytest.raises(ConditionNotApplicable, match="forwards and backwards"):
        show("reversed", make_clip(levels))


@given(seed=seeds, question_id=ids)
def test_blocks_keep_neighbours_together(seed: int, question_id: str) -> None:
    """Pairs move as pairs, and the frame left over stays at the end."""
    shown = values(
        show("shuffled:blocks", make_clip(range(7)), question_id, seed, block=2)
    )
    pairs = [tuple(shown[i : i + 2]) for i in (0, 2, 4)]
    assert sorted(pairs) == [(0, 1), (2, 3), (4, 5)]
    assert pairs != sorted(pairs)
    assert shown[6] == 6


@pytest.mark.parametrize("levels", [[1, 2], [1, 2, 3], [1, 2, 1, 2, 5]])
def test_too_few_blocks_cannot_be_shuffled(levels: list[int]) -> None:
    """One whole block, or equal ones, have no other order."""
    with pytest.raises(ConditionNotApplicable, match="blocks of 2 frames"):
        show("shuffled:blocks", make_clip(levels), block=2)


def test_a_block_is_one_frame_unless_said() -> None:
    """Where a model merges nothing, blocks are shuffled like frames."""
    blocks = Condition.parse("shuffled:blocks")
    assert values(apply(blocks, make_clip([1, 2]), question_id="q", seed=0)) == [2, 1]


@pytest.mark.parametrize(
    ("partner", "expected"),
    [
        ([11, 12, 13, 14], [11, 12, 13, 14]),
        ([11, 12], [11, 11, 12, 12]),
        ([11], [11, 11, 11, 11]),
        (list(range(11, 18)), [11, 13, 15, 17]),
    ],
)
def test_another_video_is_brought_to_the_same_count(
    partner: list[int], expected: list[int]
) -> None:
    """The nearest of the partner's frames, first to last, at our time marks."""
    shown = show("mismatched", make_clip([1, 2, 3, 4]), partner=make_clip(partner))
    assert values(shown) == expected


def test_mismatched_needs_a_partner_of_the_same_size() -> None:
    """A missing or differently sized partner is the caller's mistake."""
    clip = make_clip([1, 2])
    condition = Condition.parse("mismatched")
    with pytest.raises(ValueError, match="needs the clip of another video"):
        apply(condition, clip, question_id="q", seed=0)
    with pytest.raises(ValueError, match=r"size=clip\.size"):
        show("mismatched", clip, partner=make_clip([1], size=(8, 8)))


def test_a_copy_of_the_video_is_no_mismatch() -> None:
    """Two files with the same pictures cannot stand for different videos."""
    with pytest.raises(ConditionNotApplicable, match="same pictures"):
        show("mismatched", make_clip([1, 2]), partner=make_clip([1, 2]))


def test_who_needs_a_partner() -> None:
    """Only `mismatched` looks at another video."""
    assert [s for s in SPECS if needs_partner(Condition.parse(s))] == ["mismatched"]


@given(st.lists(ids, min_size=2, max_size=12), seeds, st.randoms())
def test_a_derangement(videos: list[str], seed: int, random: object) -> None:
    """Each video stands for one other, whatever the order of the list."""
    if len(set(videos)) < 2:
        return
    swaps = derange(videos, seed)
    assert set(swaps) == set(swaps.values()) == set(videos)
    assert all(one != other for one, other in swaps.items())
    assert derange([*reversed(videos), videos[0]], seed) == swaps


def test_seeds_give_other_derangements() -> None:
    """The run's seed decides who stands for whom."""
    videos = [f"v{i}" for i in range(6)]
    assert len({tuple(derange(videos, seed).items()) for seed in range(9)}) > 1


@pytest.mark.parametrize("videos", [[], ["a"], ["a", "a"]])
def test_one_video_cannot_be_deranged(videos: list[str]) -> None:
    """Without a second video the condition has no meaning."""
    with pytest.raises(ConditionNotApplicable, match="at least two different videos"):
        derange(videos, 0)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("shufled", r"unknown condition 'shufled'\. Did you mean 'shuffled'\?"),
        ("", "unknown condition ''.*Known: black, .*Example: "),
        ("Black", "Did you mean 'black'"),
        ("single_frame:midle", "Did you mean 'single_frame:middle'"),
        ("single_frame:", "does not know the argument ''"),
        ("shuffled:block", "Did you mean 'shuffled:blocks'"),
        ("black:1", "takes no argument, got '1'. Example: black"),
        (None, "a condition is a text, got None"),
    ],
)
def test_a_misspelt_condition_is_explained(spec: str, words: str) -> None:
    """The error says what came, what was probably meant, and what to type."""
    with pytest.raises(ConfigError, match=words):
        Condition.parse(spec)


def test_the_ladder_is_made_of_conditions() -> None:
    """Its rungs can all be parsed, and end with the original."""
    assert [str(Condition.parse(rung)) for rung in LADDER] == list(LADDER)
    assert LADDER[-1] == "original"


@pytest.mark.parametrize("block", [0, -1, 1.5, True])
def test_a_block_is_a_positive_integer(block: int) -> None:
    """A block of no frames is refused at the door."""
    with pytest.raises(ValueError, match="block must be an integer"):
        show("shuffled:blocks", make_clip([1, 2]), block=block)


@pytest.fixture
def inverted() -> Iterator[str]:
    """Register a condition for one test, and take it away again."""

    def invert(clip: Clip, request: Request) -> Clip:
        if request.argument == "cut":
            return replace(
                clip,
                frames=clip.frames[:1],
                timestamps_s=clip.timestamps_s[:1],
                source_indices=clip.source_indices[:1],
            )
        if request.argument == "narrow":
            return replace(clip, frames=clip.frames[:, :, 1:].copy())
        if request.argument == "late":
            return replace(clip, timestamps_s=clip.timestamps_s + 1)
        return replace(clip, frames=255 - clip.frames)

    register_condition("inverted", invert, arguments=["cut", "narrow", "late"])
    yield "inverted"
    del conditions._KINDS["inverted"]


def test_a_condition_can_be_added(inverted: str) -> None:
    """One function and one call make a new word for every benchmark."""
    assert values(show(inverted, make_clip([1, 2]))) == [254, 253]
    assert inverted in known_conditions()
    assert not needs_partner(Condition.parse(inverted))


@pytest.mark.parametrize("how", ["cut", "narrow", "late"])
def test_an_added_condition_is_held_to_the_rules(inverted: str, how: str) -> None:
    """A transform that changes count, size or times alone is found out, not scored."""
    with pytest.raises(ValueError, match="must keep"):
        show(f"{inverted}:{how}", make_clip([1, 2]))


@pytest.mark.parametrize("name", ["black", "a:b", ""])
def test_a_condition_needs_a_free_and_plain_name(name: str) -> None:
    """Neither a taken name nor one with a colon can be registered."""
    with pytest.raises(ConfigError, match=r"exists already|letters"):
        register_condition(name, lambda clip, request: clip)
