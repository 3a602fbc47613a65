"""Tests of what is asked and what an answer is worth, without any connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from pytest_vdg.backends import Prompt, _server_asking
from pytest_vdg.backends._server_asking import Asking
from pytest_vdg.backends._server_chat import Chat
from pytest_vdg.backends._server_http import Counts, Refused, Wire
from pytest_vdg.backends._server_media import Media
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.backends._server_sight import COLOUR_QUESTION, QUESTION
from pytest_vdg.backends._server_told import Told
from pytest_vdg.backends.protocol import Reply, Request
from pytest_vdg.errors import BackendError, CouldNotBeJudged, VideoNotConsumed
from pytest_vdg.frames.clip import Clip
from tests.backends.conftest import make_clip
from tests.backends.stubserver import read_message
from tests.backends.test_server_pace import Clock

Body = Mapping[str, Any]
CLIP = make_clip(8, size=(2, 2))
TEXT_TOKENS = 20


class Server:
    """Answers each request as *says*, at once; a number is a count of tokens."""

    def __init__(self, says: Callable[[Body], int | Mapping[str, Any]]) -> None:
        self._says = says
        self.bodies: list[Body] = []

    def post(self, body: Body) -> Mapping[str, Any]:
        """Return the answer to *body*."""
        self.bodies.append(body)
        said = self._says(body)
        if isinstance(said, int):
            said = {"usage": {"prompt_tokens": said}}
        return {"choices": [{"message": {"content": "A"}}], **said}


def refused(status: int, said: str) -> Refused:
    """Return the error of a request that is not taken."""
    return Refused(f"status {status} ({said})", status=status, said=said)


def shown(body: Body) -> int:
    """Return how many pictures or videos *body* shows."""
    return len(body["messages"][0]["content"]) - 1


def asking(
    server: Server, *, scoring: str = "generate", longest: int = 16, **given: object
) -> Asking:
    """Return what asks *server*, having tried it out."""
    url = "http://127.0.0.1:8000/v1"
    settings = ServerSettings.of(
        "m", {"url": url, **given}, scoring=scoring, max_new_tokens=longest
    )
    wire = cast("Wire", server)
    chat = Chat(settings, wire, Media(settings))
    made = Asking(settings, wire=wire, chat=chat, told=Told(settings))
    made.try_out()
    return made


def reply(made: Asking, prompt: Prompt, clip: Clip | None = CLIP) -> Reply:
    """Return the reply about *clip*, once the text was counted."""
    made.tokens(prompt.text, None)
    return made.reply(Request(prompt=prompt, clip=clip))


@pytest.mark.parametrize(
    ("frames_as", "cost", "seen"),
    [
        ("images", 8, (8, 8)),
        ("images", 7, (0, 0)),
        ("images", 0, (0, 0)),
        ("images", -5, (0, 0)),
        ("video", 1, (8, 1)),
        ("video", 0, (0, 0)),
    ],
)
def test_frames_that_cost_too_little_were_not_seen(
    prompt: Prompt, frames_as: str, cost: int, seen: tuple[int, int]
) -> None:
    """An image costs a token at least, and so does a video; less is a loss of some."""
    server = Server(lambda body: TEXT_TOKENS + cost * bool(shown(body)))
    found = reply(asking(server, frames_as=frames_as), prompt)
    assert (found.frames_seen, found.visual_tokens) == seen
    assert found.prompt_tokens == TEXT_TOKENS + cost


@pytest.mark.parametrize(("frames_as", "tokens"), [("images", 8), ("video", 1)])
def test_without_counts_the_pictures_are_counted(
    prompt: Prompt, frames_as: str, tokens: int
) -> None:
    """As many as were sent; a prompt without any has none."""
    made = asking(Server(lambda body: {}), frames_as=frames_as)
    about, without = (
        made.reply(Request(prompt=prompt, clip=each)) for each in (CLIP, None)
    )
    assert (about.frames_seen, about.visual_tokens) == (8, tokens)
    assert (without.frames_seen, without.visual_tokens) == (0, 0)
    assert about.prompt_tokens == without.prompt_tokens == 0


def test_a_text_is_counted_once_and_cheaply(prompt: Prompt) -> None:
    """For a single token of reply, whatever a reply may be long; or by a reply."""
    server = Server(lambda body: TEXT_TOKENS)
    made = asking(server, longest=64)
    assert not made.is_counted(prompt.text)
    assert made.tokens(prompt.text, None) == TEXT_TOKENS
    assert made.is_counted(prompt.text)
    before = len(server.bodies)
    assert made.tokens(prompt.text, None) == TEXT_TOKENS
    assert [body["max_tokens"] for body in server.bodies[before - 1 :]] == [1]
    other = Prompt(text="Light?", labels=("A", "B"), option_texts=("no", "yes"))
    made.reply(Request(prompt=other, clip=None))
    assert server.bodies[-1]["max_tokens"] == 64
    assert made.is_counted(other.text)


def test_sight_is_tried_until_it_is_shown_and_again_for_more(prompt: Prompt) -> None:
    """Once for clips as long; a server that failed is not taken at its word later."""
    sees = False
    server = Server(lambda body: TEXT_TOKENS + 16 * shown(body) * sees)
    made = asking(server)
    for _ in range(2):
        with pytest.raises(VideoNotConsumed):
            made.check_sight(CLIP)
    sees = True
    made.check_sight(CLIP)
    before = len(server.bodies)
    made.check_sight(CLIP)
    made.check_sight(make_clip(3, size=(2, 2)))
    assert len(server.bodies) == before
    made.check_sight(make_clip(9, size=(2, 2)))
    assert max(map(shown, server.bodies[before:])) == 9


def test_choice_takes_the_text_where_no_label_is_listed(prompt: Prompt) -> None:
    """Then it chose none; and what is listed is the most probable label."""
    listed = [{"token": "The", "logprob": -0.1}]
    place = {"token": "The", "logprob": -0.1, "top_logprobs": listed}
    choice = {"message": {"content": "The"}, "logprobs": {"content": [place]}}
    said = {"choices": [choice], "usage": {"prompt_tokens": TEXT_TOKENS}}
    made = asking(Server(lambda body: said), scoring="choice")
    found = reply(made, prompt, None)
    assert (found.text, found.probabilities) == ("The", None)
    listed.append({"token": " B", "logprob": -3.0})
    assert reply(made, prompt, None).text == "B"


def test_what_was_sent_is_known_by_its_digest(prompt: Prompt) -> None:
    """The same request has the same one, another picture or text has another."""
    made = asking(Server(lambda body: TEXT_TOKENS + 16 * shown(body)))
    again = make_clip(8, size=(2, 2))
    other = make_clip(8, size=(2, 2), seed=1)
    digests = [reply(made, prompt, each).input_digest for each in (CLIP, again, other)]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_fewer_probabilities_are_asked_for_before_none(status: int) -> None:
    """Some servers allow five tokens where others allow twenty: nothing is left out."""

    def says(body: Body) -> int:
        if body["top_logprobs"] > 5:
            raise refused(status, "top_logprobs must be at most 5")
        return TEXT_TOKENS

    server = Server(says)
    made = asking(server)
    assert [body["top_logprobs"] for body in server.bodies] == [20, 5]
    assert made._chat.left_out == []


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "temperature must be 1"),
        (401, "no seed for this key"),
        (413, "logprobs are too large"),
    ],
)
def test_what_is_refused_for_another_reason_is_raised(status: int, said: str) -> None:
    """Nothing is left out for a word in it, and it is not sent again."""

    def says(body: Body) -> int:
        raise refused(status, said)

    server = Server(says)
    with pytest.raises(BackendError, match=said):
        asking(server)
    assert len(server.bodies) == 1


def test_a_server_that_refuses_everything_is_not_asked_for_ever() -> None:
    """Each field is left out once; then what it said is raised."""

    def says(body: Body) -> int:
        raise refused(400, "no logprobs, no seed, not max_completion_tokens")

    server = Server(says)
    with pytest.raises(BackendError, match="no seed"):
        asking(server)
    last = server.bodies[-1]
    assert not {"logprobs", "top_logprobs", "seed", "max_tokens"} & set(last)
    assert (last["max_completion_tokens"], last["temperature"]) == (1, 0)
    assert len(server.bodies) == 5  # probabilities twice, two fields, and as it is


@pytest.mark.parametrize("clip", [CLIP, None])
def test_the_number_of_frames_stands_wherever_it_is_asked_for(
    clip: Clip | None,
) -> None:
    """At any depth; without a video, its place is not there, and all else is."""
    server = Server(lambda body: TEXT_TOKENS)
    request = {
        "n_frames": "{frames}",
        "deep": {"a": ["{frames}", 0, None], "b": {"c": "{frames}", "d": False}},
        "seed": None,
        "note": "{frames} of them",
    }
    body = asking(server, request=request)._chat.body("A or B?", clip)
    number = [] if clip is None else [8]
    inner = {"d": False} if clip is None else {"c": 8, "d": False}
    assert body["deep"] == {"a": [*number, 0, None], "b": inner}
    assert body.get("n_frames") == (None if clip is None else 8)
    assert body["note"] == "{frames} of them"
    assert "seed" not in body
    assert request["deep"]["a"][0] == "{frames}"  # type: ignore[index]


def test_trying_out_counts_the_text_that_sight_is_tried_with() -> None:
    """It is not sent a second time, and who answered it is known from then on."""
    server = Server(lambda body: {"usage": {"prompt_tokens": 9}, "model": "m-1"})
    made = asking(server)
    assert made.tokens(QUESTION, None) == 9
    assert len(server.bodies) == 1
    assert made._told.observed(()) == {"server model": "m-1"}
    server._says = lambda body: {"usage": {"prompt_tokens": 9}, "model": "m-2"}
    with pytest.raises(CouldNotBeJudged):
        made.tokens("A or B?", None)


def test_of_what_was_cut_short_only_replies_are_told(prompt: Prompt) -> None:
    """What counts a text is cut on purpose."""
    cut = {"message": {"content": "The"}, "finish_reason": "length"}
    said = {"choices": [cut], "usage": {"prompt_tokens": TEXT_TOKENS}}
    made = asking(Server(lambda body: said))
    reply(made, prompt, None)
    (note, _) = made._told.notes(Counts(requests=3), counts_tokens=True, not_used=())
    assert note.endswith(", 1 replies cut at their most tokens")


def test_a_reply_is_what_was_said_and_how_long_it_took(
    prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verbatim, also where a label is listed; seconds from sending to reading."""
    clock = Clock()
    monkeypatch.setattr(_server_asking.time, "perf_counter", clock)

    def says(body: Body) -> int | Mapping[str, Any]:
        clock.sleep(3)
        message = {"content": " It is B.\n"}
        listed = [{"token": "B", "logprob": -0.1}]
        place = {"token": "B", "logprob": -0.1, "top_logprobs": listed}
        choice = {"message": message, "logprobs": {"content": [place]}}
        return {"choices": [choice], "usage": {"prompt_tokens": TEXT_TOKENS}}

    found = reply(asking(Server(says)), prompt, None)
    assert (found.text, found.seconds) == (" It is B.\n", 3)


@pytest.mark.parametrize(
    ("frames_as", "costs", "told"),
    [
        ("images", [0, 16, *[32] * 7], "the last of 8 images"),
        ("video", [0, *[64] * 8], "samples videos again"),
    ],
)
def test_sight_is_looked_for_the_way_frames_are_shown(
    frames_as: str, costs: list[int], told: str
) -> None:
    """Images one by one, and a video against a shorter one."""

    def says(body: Body) -> int:
        _, pictures = read_message(body["messages"][0])
        return TEXT_TOKENS + costs[len(pictures)]

    with pytest.raises(VideoNotConsumed, match=told):
        asking(Server(says), frames_as=frames_as).check_sight(CLIP)


def test_without_counts_colours_are_what_is_looked_for() -> None:
    """Each of the four is shown once; whoever says the same of all is found out."""
    server = Server(lambda body: {})
    with pytest.raises(VideoNotConsumed, match="the model named 1 "):
        asking(server).check_sight(CLIP)
    asked = [body["messages"][0]["content"] for body in server.bodies[1:]]
    assert [parts[-1]["text"] for parts in asked] == [COLOUR_QUESTION] * 4
    assert len({parts[0]["image_url"]["url"] for parts in asked}) == 4
