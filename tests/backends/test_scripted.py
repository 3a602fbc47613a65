"""Tests of `ScriptedBackend`."""

from __future__ import annotations

import pytest

from pytest_vdg.backends import Backend, Prompt, Reply, ScriptedBackend
from pytest_vdg.errors import BackendError
from tests.backends.conftest import make_clip


def test_it_is_a_backend() -> None:
    """The fake has all that the protocol asks for."""
    assert isinstance(ScriptedBackend(lambda prompt, clip: "A"), Backend)


def test_text_is_returned_verbatim(prompt: Prompt) -> None:
    """A text answer is the reply as it stands, without probabilities."""
    reply = ScriptedBackend(lambda prompt, clip: " It is A.\n").ask(prompt, None)
    assert reply.text == " It is A.\n"
    assert reply.probabilities is None
    assert reply.label_mass is None


def test_probabilities_are_renormalised_and_their_mass_is_kept(prompt: Prompt) -> None:
    """What the labels miss to 1 is the mass of everything that is no label."""
    reply = ScriptedBackend(lambda prompt, clip: {"A": 0.1, "C": 0.3}).ask(prompt, None)
    assert reply.probabilities == pytest.approx({"A": 0.25, "B": 0.0, "C": 0.75})
    assert reply.label_mass == pytest.approx(0.4)
    assert reply.text == "C"


@pytest.mark.parametrize("answer", [{}, {"A": 0.0}, {"A": -1.0}, {"A": float("nan")}])
def test_what_is_no_probability_is_no_reply(
    prompt: Prompt, answer: dict[str, float]
) -> None:
    """An answer that cannot be normalised is a failure, never a guess."""
    with pytest.raises(BackendError, match="no probability"):
        ScriptedBackend(lambda prompt, clip: answer).ask(prompt, None)


def test_a_label_that_is_no_option_is_refused(prompt: Prompt) -> None:
    """A script that answers beside the options is wrong, and says so."""
    with pytest.raises(ValueError, match="no option: 'Z'"):
        ScriptedBackend(lambda prompt, clip: {"Z": 1.0}).ask(prompt, None)


def test_the_script_is_given_the_frames(prompt: Prompt) -> None:
    """The function sees the very clip, so it can look at the pixels."""
    backend = ScriptedBackend(
        lambda prompt, clip: "A" if clip is not None and clip.frames.any() else "B"
    )
    replies = [
        backend.ask(prompt, clip).text for clip in (make_clip(), make_clip(black=True))
    ]
    assert replies == ["A", "B"]
    assert backend.calls == 2


def test_tokens_follow_the_merged_frames(prompt: Prompt) -> None:
    """Five frames merged in pairs make three groups of tokens."""
    backend = ScriptedBackend(
        lambda prompt, clip: "A", frames_per_token=2, tokens_per_frame=7
    )
    reply = backend.ask(prompt, make_clip(5))
    assert (reply.frames_seen, reply.visual_tokens) == (5, 21)
    assert backend.ask(prompt, None).visual_tokens == 0


def test_a_dropped_video_leaves_no_trace(prompt: Prompt) -> None:
    """A model whose video is lost reads the same input whatever the clip."""
    backend = ScriptedBackend(lambda prompt, clip: "A", consumes_video=False)
    light, dark, none = (
        backend.ask(prompt, clip) for clip in (make_clip(), make_clip(black=True), None)
    )
    assert (light.frames_seen, light.visual_tokens) == (0, 0)
    assert light.input_digest == dark.input_digest == none.input_digest


def test_the_digest_tells_frames_apart(prompt: Prompt) -> None:
    """Other pixels or another question are another input; equal ones are not."""
    backend = ScriptedBackend(lambda prompt, clip: "A")
    first, again, other = (
        backend.ask(prompt, make_clip(seed=seed)).input_digest for seed in (1, 1, 2)
    )
    assert first == again != other


def test_failures_of_the_script_pass_through(prompt: Prompt) -> None:
    """A script plays a failing model by raising what a model would raise."""

    def fail(prompt: Prompt, clip: object) -> str:
        raise BackendError("out of memory")

    with pytest.raises(BackendError, match="out of memory"):
        ScriptedBackend(fail).ask(prompt, None)


def test_names_tell_models_apart() -> None:
    """The name stands for the weights, and the settings for the environment."""
    one = ScriptedBackend(lambda prompt, clip: "A", name="one")
    two = ScriptedBackend(lambda prompt, clip: "A", name="two", scoring="choice")
    assert one.identity.subject != two.identity.subject
    assert two.identity.environment["scoring"] == "choice"


@pytest.mark.parametrize("argument", ["frames_per_token", "tokens_per_frame"])
def test_counts_start_at_one(argument: str) -> None:
    """A model that merges no frame, or makes no token, cannot be played."""
    with pytest.raises(ValueError, match=f"{argument} must be at least 1"):
        ScriptedBackend(lambda prompt, clip: "A", **{argument: 0})  # type: ignore[arg-type]


def test_closing_twice_is_harmless() -> None:
    """Closing is noted, and may happen again."""
    backend = ScriptedBackend(lambda prompt, clip: "A")
    backend.close()
    backend.close()
    assert backend.closed


@pytest.mark.parametrize("mass", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_mass_that_is_no_probability_is_refused(mass: float) -> None:
    """What a reply says of its labels together lies between 0 and 1."""
    with pytest.raises(ValueError, match="label_mass must lie in"):
        Reply(
            text="A",
            label_mass=mass,
            frames_seen=0,
            visual_tokens=0,
            prompt_tokens=1,
            input_digest="",
            seconds=0.0,
        )
