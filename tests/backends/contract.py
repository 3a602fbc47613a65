"""What every family must do, one function a claim; the same for all of them.

Apart from the test that asserts it because the table in ``docs/models.md`` is
made of the very same results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from pytest_vdg.backends._hf_families import FramesAs
from pytest_vdg.backends._hf_prepare import positions_of
from tests.backends.subject import (
    CONDITIONS,
    LABELS,
    ROUNDING,
    SEEN,
    Subject,
    alone_of,
    apart,
    clip,
    good,
    mixed,
    no_sampling,
    only_labels,
    request,
    shown,
    subject,
)


def frames(it: Subject) -> str:
    """Other pixels give other probabilities; equal ones the same, to the bit."""
    first, other, again = it.ask(clip(seed=1), clip(seed=2), clip(seed=1))
    assert apart(first, other) > SEEN, first.probabilities
    assert first == again
    return "yes"


def tokens(it: Subject) -> str:
    """Every condition costs as many tokens, and the same ids in the same places."""
    own = clip()
    seen = [it.inputs(shown(spec, own, 1)) for spec in CONDITIONS]
    assert seen[0].visual_tokens > 0
    assert {each.frames_seen for each in seen} == {len(own)}
    ids = [each.tensors["input_ids"] for each in seen]
    assert all(each.equal(ids[0]) for each in ids)
    assert len({each.digest for each in seen}) == len(CONDITIONS)
    return "yes"


def order(it: Subject) -> str:
    """The same frames in another order give other probabilities."""
    own, block = clip(6), it.loaded.frames_per_token
    specs = ("original", "shuffled", "shuffled:blocks", "reversed")
    first, *rest = it.ask(*(shown(spec, own, block) for spec in specs))
    for other in rest:
        assert apart(first, other) > SEEN, (first, other)
    return "yes"


def text_only(it: Subject) -> str:
    """Without a video there is an answer, and no trace of a picture."""
    [nothing] = it.ask(None)
    assert (nothing.visual_tokens, nothing.frames_seen) == (0, 0)
    assert nothing.probabilities is not None
    return "yes"


def generate(it: Subject) -> str:
    """Where only labels are likely, the reply begins with the best of them."""
    clips = [clip(2, seed=seed) for seed in range(3)]
    wanted = [request(each) for each in clips]
    with only_labels(it.loaded):
        chosen = it.ask(*clips)
        together = good(it.asking().replies(wanted))
        how = {"scoring": "generate", "max_new_tokens": 1}
        written = it.ask(*clips, **how)
        several = good(it.asking(**how).replies(wanted))
    best = [reply.text for reply in chosen]
    assert set(best) <= set(LABELS)
    for replies in (together, written, several):
        assert [reply.text.strip() for reply in replies] == best
        assert [r.input_digest for r in replies] == [r.input_digest for r in chosen]
    return "yes"


def batch(it: Subject) -> str:
    """Whatever is asked beside it, and whoever asks, a request has one answer."""
    wanted = mixed(it)
    alone = [good(it.asking().replies([each]))[0] for each in wanted]
    asking = it.asking()
    for some in (wanted, wanted[::-1], wanted[::3]):
        replies = good(asking.replies(some))
        for mine, theirs in zip(replies, alone_of(some, wanted, alone), strict=True):
            assert mine.input_digest == theirs.input_digest
            assert apart(mine, theirs) < ROUNDING
    return "yes"


def sharing(it: Subject) -> str:
    """What prompts share changes no answer; a model that cannot share says why."""
    wanted = mixed(it)
    asking = it.asking()
    shared = good(asking.replies(wanted))
    plain = good(it.asking(share_prefixes=False).replies(wanted))
    for mine, theirs in zip(shared, plain, strict=True):
        assert mine.text == theirs.text
        assert apart(mine, theirs) < ROUNDING
    why = asking.sharing
    if why.startswith("shares prefixes"):
        return why.removeprefix("shares ")
    reasons = {
        "cannot be divided": "no: recurrent",
        "see those behind them": "no: seen both ways",
    }
    return next(short for reason, short in reasons.items() if reason in why)


def counts(it: Subject) -> str:
    """One frame, and odd numbers of them, are seen as they are."""
    for number in (1, 2, 3, 5):
        own = clip(number)
        [reply] = it.ask(own)
        assert reply.frames_seen == number
    return "yes"


def times(it: Subject) -> str:
    """Conditions do not change times; other times are seen where it is said so."""
    near, far = clip(fps=2.0), clip(fps=0.25)
    same, other = it.inputs(near), it.inputs(far)
    said = it.loaded.family.times
    ids_equal = same.tensors["input_ids"].equal(other.tensors["input_ids"])
    assert ids_equal == (said != "text")
    if said != "text":
        places = [positions_of(it.loaded, each.tensors) for each in (same, other)]
        assert places[0].equal(places[1]) == (said != "positions")
    for own in (near, far):
        seen = [it.inputs(shown(spec, own, 1)) for spec in CONDITIONS]
        marks = [positions_of(it.loaded, each.tensors) for each in seen]
        assert all(each.equal(marks[0]) for each in marks)
        decode = it.loaded.tokenizer.decode
        assert len({decode(each.tensors["input_ids"][0]) for each in seen}) == 1
    return said


def sampling(it: Subject) -> str:
    """Frames of a fast and long video are all there; nobody chose among them."""
    clips = [clip(number, fps=30.0) for number in (2, 6, 10)]
    with no_sampling(it.loaded):
        seen = [it.inputs(each) for each in clips]
    assert [each.frames_seen for each in seen] == [2, 6, 10]
    few, some, many = (each.visual_tokens for each in seen)
    assert many - some == some - few > 0
    return "never"


Line = Callable[[Subject], str]
LINES: Mapping[str, Line] = {
    "frames reach it": frames,
    "tokens equal": tokens,
    "order reaches it": order,
    "text only": text_only,
    "generate as choice": generate,
    "batch of no matter": batch,
    "prefixes shared": sharing,
    "1, 3, 5 frames": counts,
    "times told": times,
    "samples again": sampling,
}
"""Claims by the head of their column."""


def result(kind: str, line: str, frames_as: FramesAs | None = None) -> str:
    """Return what a claim says of a family; raises where it does not hold.

    With *frames_as*, of the family shown frames that way.
    """
    return _result(kind, line, frames_as)


@cache  # which takes an argument that is left out for another one than its default
def _result(kind: str, line: str, frames_as: FramesAs | None) -> str:
    return LINES[line](subject(kind, frames_as))
