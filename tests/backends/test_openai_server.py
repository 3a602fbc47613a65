"""Tests of `OpenAIBackend`: what is asked, what comes back, and whether it was seen."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import pytest

from pytest_vdg.backends import Prompt
from pytest_vdg.backends.openai_server import OpenAIBackend, ServerSettings
from pytest_vdg.backends.protocol import (
    LoadingBackend,
    ManyBackend,
    Request,
    TellingBackend,
)
from pytest_vdg.errors import BackendError, CouldNotBeJudged, VideoNotConsumed
from pytest_vdg.frames.clip import Clip
from tests.backends.conftest import make_clip
from tests.backends.stubserver import (
    Fault,
    Pixels,
    StubServer,
    connected,
    error,
    sees_light,
)

LIGHT, DARK = make_clip(8), make_clip(8, black=True)


def stub(**does: object) -> StubServer:
    """Return a server whose model tells light from dark."""
    return StubServer(model=sees_light, **does)  # type: ignore[arg-type]


def requests(prompt: Prompt, *clips: Clip | None) -> list[Request]:
    """Return *prompt* about each of *clips*."""
    return [Request(prompt=prompt, clip=clip) for clip in clips]


def test_a_server_is_asked_as_any_backend(prompt: Prompt) -> None:
    """It answers alone and together, and tells what it took."""
    with connected(stub()) as backend:
        assert isinstance(backend, ManyBackend)
        assert isinstance(backend, LoadingBackend)
        assert isinstance(backend, TellingBackend)
        together = backend.ask_many(requests(prompt, LIGHT, None, DARK))
        assert [each.text for each in together] == ["A", "B", "B"]  # type: ignore[union-attr]
        assert backend.ask(prompt, LIGHT) == together[0]


@pytest.mark.parametrize("frames_as", ["images", "video"])
def test_what_was_seen_is_counted(prompt: Prompt, frames_as: str) -> None:
    """Visual tokens are what the prompt costs beyond its text: 16 for each of 8."""
    with connected(stub(), frames_as=frames_as) as backend:
        light, text = backend.ask(prompt, LIGHT), backend.ask(prompt, None)
        black = backend.ask(prompt, DARK)
    assert (light.frames_seen, light.visual_tokens) == (8, 128)
    assert (text.frames_seen, text.visual_tokens) == (0, 0)
    assert light.prompt_tokens == text.prompt_tokens + 128 == black.prompt_tokens
    assert len({light.input_digest, text.input_digest, black.input_digest}) == 3


def test_conditions_differ_in_the_pictures_alone(prompt: Prompt) -> None:
    """As many image parts of one kind, the same text and the same settings."""
    with connected(stub()) as backend:
        backend.load()
        for clip in (LIGHT, DARK):
            backend.ask(prompt, clip)
        bodies = [backend._chat.body(prompt.text, clip) for clip in (LIGHT, DARK)]
    kinds = []
    for body in bodies:
        (message,) = body.pop("messages")
        kinds.append([part["type"] for part in message["content"]])
    assert bodies[0] == bodies[1]
    assert kinds[0] == kinds[1] == ["image_url"] * 8 + ["text"]


def test_asking_is_greedy_and_short(prompt: Prompt) -> None:
    """Temperature 0, a seed, few tokens; a text-only prompt has no image."""
    served = stub()
    with connected(served) as backend:
        backend.ask(prompt, None)
    body = served.bodies[-1]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 0, 16)
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text"]


def test_probabilities_come_where_a_server_gives_them(prompt: Prompt) -> None:
    """0.7, 0.2 and 0.05 of 0.95, as the stub's model says."""
    with connected(stub()) as backend:
        reply = backend.ask(prompt, LIGHT)
    shares = {"A": 0.7 / 0.95, "B": 0.2 / 0.95, "C": 0.05 / 0.95}
    assert reply.probabilities == pytest.approx(shares)
    assert reply.label_mass == pytest.approx(0.95)


@pytest.mark.parametrize("does", [{"gives_logprobs": False}, {"listed": 1}])
def test_without_probabilities_the_text_is_the_answer(
    prompt: Prompt, does: dict[str, object]
) -> None:
    """A server that gives none, or too few, is asked all the same."""
    with connected(stub(**does)) as backend:
        reply = backend.ask(prompt, LIGHT)
    assert (reply.text, reply.probabilities, reply.label_mass) == ("A", None, None)


def test_none_are_asked_for_where_they_are_off(prompt: Prompt) -> None:
    """`logprobs: off` leaves the fields out."""
    served = stub()
    with connected(served, logprobs="off") as backend:
        assert backend.ask(prompt, LIGHT).probabilities is None
    assert not any({"logprobs", "top_logprobs"} & set(body) for body in served.bodies)


def test_choice_takes_the_most_probable_label(prompt: Prompt) -> None:
    """Also where another token is more probable than any label."""

    def chatty(text: str, pictures: Sequence[Pixels]) -> dict[str, float]:
        return {"The": 0.6, " B": 0.3, "A": 0.05, "C": 0.04}

    served = StubServer(model=chatty)
    with connected(served, scoring="choice") as backend:
        reply = backend.ask(prompt, None)
    assert reply.text == "B"
    assert served.bodies[-1]["max_tokens"] == 1


def test_choice_without_probabilities_is_no_answer(prompt: Prompt) -> None:
    """It fails with what to set instead, and does not take the text."""
    with (
        connected(stub(gives_logprobs=False), scoring="choice") as backend,
        pytest.raises(BackendError, match="Set: scoring: generate"),
    ):
        backend.ask(prompt, None)


@pytest.mark.parametrize(
    ("field", "said", "left"),
    [
        ("seed", "Unknown field: seed", "seed"),
        ("logprobs", "This model does not support logprobs", "logprobs"),
        ("max_tokens", "use 'max_completion_tokens' instead", ""),
    ],
)
def test_what_a_server_does_not_take_is_left_out(
    prompt: Prompt, field: str, said: str, left: str
) -> None:
    """Found out once; what answers do not depend on is left out, and told."""
    served = stub(refuses={field: said})
    with connected(served) as backend:
        assert backend.ask(prompt, LIGHT).text == "A"
        assert backend.observed.get("server does not take", "") == left
    assert sum(field in body for body in served.bodies) <= 2


def test_a_server_that_samples_is_not_asked(prompt: Prompt) -> None:
    """Greedy answers are asked for: where that is refused, nothing is asked."""
    served = stub(refuses={"temperature": "temperature is not supported"})
    with (
        connected(served) as backend,
        pytest.raises(BackendError, match="temperature is not supported"),
    ):
        backend.ask(prompt, LIGHT)
    assert len(served.bodies) == 1
    served = stub(refuses=served.refuses)
    with connected(served, request={"temperature": None}) as backend:
        assert backend.ask(prompt, LIGHT).text == "A"


def test_further_fields_are_sent_and_are_part_of_who_is_asked(prompt: Prompt) -> None:
    """``{frames}`` is the number shown, and without a video the field is not there."""
    extra = {"chat_template_kwargs": {"num_frames": "{frames}", "thinking": False}}
    served = stub()
    with connected(served, request=extra) as backend:
        backend.ask(prompt, LIGHT)
        assert served.bodies[-1]["chat_template_kwargs"] == {
            "num_frames": 8,
            "thinking": False,
        }
        backend.ask(prompt, None)
        assert served.bodies[-1]["chat_template_kwargs"] == {"thinking": False}
        assert "num_frames" in backend.identity.environment["request"]


def test_any_letter_arrives_and_half_a_one_breaks_nothing() -> None:
    """JSON files may hold half of a pair; a server may well refuse it, we do not."""
    text = "Où est le 漢 \U0001f3a5, \ud83c?"
    asked = Prompt(text=text, labels=("A", "B"), option_texts=("ici", "là"))
    served = stub()
    with connected(served) as backend:
        assert backend.ask(asked, None).text == "B"
    assert served.bodies[-1]["messages"][0]["content"][0]["text"] == text


DROPS = {
    "all": lambda pictures: [],
    "all but the first": lambda pictures: pictures[:1],
    "all but the last": lambda pictures: pictures[-1:],
    "beyond four": lambda pictures: pictures[:4],
    "beyond seven": lambda pictures: pictures[:7],
    "every second": lambda pictures: pictures[::2],
}


@pytest.mark.parametrize(
    ("drops", "usage"), [*((name, True) for name in DROPS), ("all", False)]
)
def test_a_server_that_drops_images_is_found_out(
    prompt: Prompt, drops: str, usage: bool
) -> None:
    """By its token counts; without any, where no picture arrives at all."""
    served = stub(seen=DROPS[drops], tells_usage=usage)
    with (
        connected(served) as backend,
        pytest.raises(VideoNotConsumed, match="pictures do not reach the model"),
    ):
        backend.ask(prompt, LIGHT)
    asked = [body["messages"][0]["content"][-1]["text"] for body in served.bodies]
    assert prompt.text not in asked


@pytest.mark.parametrize("frames", [1, 2, 3, 8, 32])
@pytest.mark.parametrize("frames_as", ["images", "video"])
def test_a_server_that_shows_all_is_believed(
    prompt: Prompt, frames: int, frames_as: str
) -> None:
    """Whatever the number of frames, one included."""
    with connected(stub(), frames_as=frames_as) as backend:
        assert backend.ask(prompt, make_clip(frames)).frames_seen == frames


@pytest.mark.parametrize("frames", [2, 8, 32])
def test_a_server_that_samples_a_video_again_is_found_out(
    prompt: Prompt, frames: int
) -> None:
    """One that takes four frames of any video costs the same for all of them."""
    served = stub(seen=lambda pictures: list(pictures[:1]) * 4)
    with (
        connected(served, frames_as="video") as backend,
        pytest.raises(VideoNotConsumed, match="samples videos again"),
    ):
        backend.ask(prompt, make_clip(frames))


def test_a_server_that_allows_fewer_frames_is_found_out(prompt: Prompt) -> None:
    """20 of 32: the later half costs a quarter of what the earlier one does."""
    with (
        connected(stub(seen=lambda p: p[:20]), frames_as="video") as backend,
        pytest.raises(VideoNotConsumed, match="not all of 32 frames"),
    ):
        backend.ask(prompt, make_clip(32))


def test_a_longer_clip_is_tried_out_again(prompt: Prompt) -> None:
    """A limit of eight images shows when more are sent, not before."""
    with connected(stub(seen=lambda p: p[:8])) as backend:
        assert backend.ask(prompt, LIGHT).frames_seen == 8
        with pytest.raises(VideoNotConsumed):
            backend.ask(prompt, make_clip(12))


@pytest.mark.parametrize("frames", [9, 12, 120])
def test_numbers_of_images_may_cost_tokens(prompt: Prompt, frames: int) -> None:
    """``Image 12:`` costs a token more than ``Image 9:``, and none is missing."""
    served = stub(tokens_per_image=16, numbers=True)
    clip = make_clip(frames, size=(8, 8))
    with connected(served) as backend:
        assert backend.ask(prompt, clip).frames_seen == frames


def test_one_request_whose_images_are_lost_shows_it(prompt: Prompt) -> None:
    """Its reply says that no frame was seen, which ends the run."""
    served = stub()
    with connected(served) as backend:
        backend.ask(prompt, LIGHT)
        served.seen = lambda pictures: []
        lost = backend.ask(prompt, LIGHT)
    assert (lost.frames_seen, lost.visual_tokens) == (0, 0)


def test_every_second_of_an_odd_number_is_found_out(prompt: Prompt) -> None:
    """The last of seven is there, and costs a token; four of seven do not do."""
    with (
        connected(stub(seen=DROPS["every second"])) as backend,
        pytest.raises(VideoNotConsumed, match="not all of them are there"),
    ):
        backend.ask(prompt, make_clip(7))


def test_without_token_counts_colours_are_named(prompt: Prompt) -> None:
    """A server that counts nothing is believed if it names four colours; it is told."""
    with connected(stub(tells_usage=False)) as backend:
        reply = backend.ask(prompt, LIGHT)
        assert (reply.text, reply.frames_seen, reply.visual_tokens) == ("A", 8, 8)
        assert any("no token counts" in note for note in backend.notes)


def test_a_count_that_goes_missing_is_no_answer(prompt: Prompt) -> None:
    """What was known of every answer before is not given up for one."""
    served = stub()
    with connected(served) as backend:
        backend.ask(prompt, LIGHT)
        served.faults.append(Fault(change=lambda found: found.pop("usage")))
        with pytest.raises(BackendError, match="no token count with this answer"):
            backend.ask(prompt, LIGHT)


def test_another_model_under_way_ends_the_run(prompt: Prompt) -> None:
    """Answers of two models are not judged as those of one."""
    served = stub()
    with connected(served) as backend:
        backend.ask(prompt, LIGHT)
        served.name = "stub-2"
        with pytest.raises(CouldNotBeJudged, match="'stub-1' and then as 'stub-2'"):
            backend.ask(prompt, LIGHT)


def test_nothing_is_asked_after_what_ended_the_run(prompt: Prompt) -> None:
    """However late whoever waits for the answers hears of it."""
    served = stub()
    with connected(served, max_concurrent=1) as backend:
        backend.ask(prompt, LIGHT)
        before = len(served.bodies)
        served.name = "stub-2"
        with pytest.raises(CouldNotBeJudged, match="as 'stub-2'"):
            backend.ask_many(requests(prompt, *[LIGHT] * 20))
    assert len(served.bodies) == before + 1


def test_the_text_of_a_prompt_is_counted_once(prompt: Prompt) -> None:
    """Five conditions with a video cost five requests and one; text_only saves it."""
    served = stub()
    with connected(served) as backend:
        backend.ask(prompt, LIGHT)
        before = len(served.bodies)
        backend.ask_many(requests(prompt, LIGHT, DARK, LIGHT, DARK, LIGHT))
        assert len(served.bodies) == before + 5
        other = Prompt(text="Light?", labels=("A", "B"), option_texts=("no", "yes"))
        backend.ask_many(requests(other, LIGHT, None))
        assert len(served.bodies) == before + 7


def test_a_prompt_that_cannot_be_counted_is_not_asked_about_a_video(
    prompt: Prompt,
) -> None:
    """Its error stands in each of its places; the others are answered."""
    served = stub()
    lost = Prompt(text="Light?", labels=("A", "B"), option_texts=("no", "yes"))
    asked = [Request(prompt=each, clip=LIGHT) for each in (lost, prompt, lost, prompt)]
    with connected(served, max_concurrent=1) as backend:
        backend.ask(prompt, LIGHT)
        before = len(served.bodies)
        served.faults = [error(400, "too long")]
        answers = backend.ask_many(asked)
        sent = served.bodies[before:]
    assert [isinstance(each, BackendError) for each in answers] == [True, False] * 2
    assert "too long" in str(answers[0])
    texts = [body["messages"][0]["content"][-1]["text"] for body in sent]
    assert texts == [lost.text, prompt.text, prompt.text]


def test_many_are_under_way_and_no_more_than_allowed(prompt: Prompt) -> None:
    """Three at a time, as set; and each answer stands in its own place."""
    served, full = stub(), threading.Event()

    def answers_when_full(text: str, pictures: Sequence[Pixels]) -> Mapping[str, float]:
        if served.under_way == 3:
            full.set()
        assert full.wait(600)
        return sees_light(text, pictures)  # type: ignore[return-value]

    clips = [LIGHT, DARK, None] * 5
    with connected(served, max_concurrent=3) as backend:
        backend.ask_many(requests(prompt, *clips[:3]))  # looked at once, alone
        served.model = answers_when_full
        answers = backend.ask_many(requests(prompt, *clips))
    assert [a.text for a in answers] == ["A", "B", "B"] * 5  # type: ignore[union-attr]
    assert served.most_at_once == 3


def test_tokens_and_costs_are_told(prompt: Prompt) -> None:
    """As the server counts them; prices are of a million tokens."""
    served = stub()
    price = {"prompt": 1e6, "completion": 2e6}
    with connected(served, price_per_million=price) as backend:
        served.faults = [error(500)]
        backend._wire._rng.seed(0)
        backend.ask(prompt, None)
        counts, notes = backend.counts, backend.notes
    tokens = counts.prompt_tokens + 2 * counts.completion_tokens
    assert (counts.requests, counts.retries, counts.failed) == (3, 1, 0)
    assert f"cost {tokens:.4g}" in notes[0]
    assert "3 requests (1 of them tried again, 0 given up)" in notes[0]
    assert "weights: unknown (server)" in notes[1]


def test_nothing_is_sent_before_something_is_asked() -> None:
    """Neither to make one, nor to know who it is, nor to close it."""
    served = stub()
    with connected(served) as backend:
        assert backend.identity.subject == {
            "weights": "unknown (server)",
            "model": "stub",
        }
        assert backend.notes == ()
        assert backend.observed == {}
    assert served.bodies == []


def test_it_can_be_asked_again_after_it_was_closed(prompt: Prompt) -> None:
    """`close` frees what is held, twice if need be."""
    with connected(stub()) as backend:
        backend.ask(prompt, LIGHT)
        backend.close()
        backend.close()
        assert backend.ask(prompt, LIGHT).text == "A"


def made(**server: object) -> OpenAIBackend:
    """Return a backend that is never asked."""
    url = "http://127.0.0.1:8000/v1"
    return OpenAIBackend(ServerSettings.of("m", {"url": url, **server}))


def test_answers_are_reused_within_a_session_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who knows what is behind the name tomorrow? Workers of one session share."""
    monkeypatch.delenv("PYTEST_XDIST_TESTRUNUID", raising=False)
    assert made().identity.reuse == made().identity.reuse != ""
    alone = made().identity.reuse
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "run-7")
    assert made().identity.reuse == "run-7" != alone


def test_answers_may_be_reused_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one stretch of the clock, whoever asks; and not in the next."""
    from pytest_vdg.backends import openai_server

    now = 1_000_000.0 * 3600
    monkeypatch.setattr(openai_server.time, "time", lambda: now)
    first = made(reuse_hours=10).identity.reuse
    now += 9.9 * 3600
    assert made(reuse_hours=10).identity.reuse == first
    now += 0.2 * 3600
    assert made(reuse_hours=10).identity.reuse != first


@pytest.mark.parametrize(
    "other", [{"frames_as": "video"}, {"image_format": "jpeg"}, {"request": {"x": 1}}]
)
def test_what_changes_answers_is_part_of_who_is_asked(other: dict[str, object]) -> None:
    """Runs that differ in it are not compared; address and pace are no part."""
    assert made(**other).identity.environment != made().identity.environment
    same = made(retries=1, max_concurrent=2, timeout_s=5, requests_per_minute=9)
    assert same.identity.environment == made().identity.environment
