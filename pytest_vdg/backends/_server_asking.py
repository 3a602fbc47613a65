"""`Asking`: one request to a server at a time, and what its answer is worth.

Apart from the backend, which asks many at a time, because here it is decided
whether a reply may be judged: were the pictures there, and who answered?
"""

from __future__ import annotations

import time

from pytest_vdg.backends._server_answer import Said, label_probabilities, read_answer
from pytest_vdg.backends._server_chat import Chat, digest_of
from pytest_vdg.backends._server_http import Wire
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.backends._server_sight import (
    COLOUR_QUESTION,
    QUESTION,
    check_colours,
    check_images,
    check_video,
)
from pytest_vdg.backends._server_told import Told
from pytest_vdg.backends.protocol import Reply, Request
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip


class Asking:
    """Asks one server; `reply` may be called by many threads."""

    def __init__(
        self, settings: ServerSettings, *, wire: Wire, chat: Chat, told: Told
    ) -> None:
        """Know nothing of the server yet: `try_out` comes first."""
        self._settings = settings
        self._wire, self._chat, self._told = wire, chat, told
        self.counts_tokens: bool | None = None
        """Whether the server tells what a prompt costs; None until it was asked."""
        self._proven = 0
        self._text_tokens: dict[str, int] = {}

    def try_out(self) -> None:
        """Find out which request the server takes, and whether it counts tokens."""
        said = read_answer(self._chat.try_out(QUESTION))
        self._told.note(said)
        if said.prompt_tokens is not None:
            self._text_tokens[QUESTION] = said.prompt_tokens
        self.counts_tokens = said.prompt_tokens is not None

    def check_sight(self, clip: Clip) -> None:
        """Raise `VideoNotConsumed` unless as many frames as *clip* has arrive.

        Tried once, and again for a longer clip.
        """
        if len(clip) <= self._proven:
            return
        if not self.counts_tokens:
            check_colours(lambda shown: self._said(COLOUR_QUESTION, shown)[0], clip)
        elif self._settings.frames_as == "images":
            check_images(lambda shown: self.tokens(QUESTION, shown), clip)
        else:
            check_video(lambda shown: self.tokens(QUESTION, shown), clip)
        self._proven = len(clip)

    def is_counted(self, text: str) -> bool:
        """Tell whether it is known what *text* costs, or cannot be known."""
        return not self.counts_tokens or text in self._text_tokens

    def tokens(self, text: str, clip: Clip | None) -> int:
        """Return what *text* with *clip* costs; without one it is asked once."""
        if clip is None and text in self._text_tokens:
            return self._text_tokens[text]
        said, _, _ = self._said(text, clip, most=1)
        tokens = _counted(said)
        if clip is None:
            self._text_tokens[text] = tokens
        return tokens

    def reply(self, request: Request) -> Reply:
        """Return the reply to *request*, whose text must have been counted.

        Raises `BackendError` where there is none.
        """
        prompt, clip = request.prompt, request.clip
        said, digest, seconds = self._said(prompt.text, clip)
        self._told.replied(said)
        labels = label_probabilities(said.first or {}, prompt.labels)
        tokens = _counted(said) if self.counts_tokens else 0
        if clip is None and self.counts_tokens:
            self._text_tokens[prompt.text] = tokens
        visual = self._visual(prompt.text, clip, tokens)
        return Reply(
            text=self._text(said, labels.best),
            probabilities=labels.probabilities,
            label_mass=labels.label_mass,
            frames_seen=0 if clip is None or visual == 0 else len(clip),
            visual_tokens=visual,
            prompt_tokens=tokens,
            input_digest=digest,
            seconds=seconds,
        )

    def _text(self, said: Said, best: str | None) -> str:
        if self._settings.scoring == "generate":
            return said.text
        if said.first is None:
            raise BackendError(
                "scoring: choice takes the most probable label, and the server gives "
                "no (sound) logprobs. Set: scoring: generate"
            )
        return said.text if best is None else best

    def _visual(self, text: str, clip: Clip | None, tokens: int) -> int:
        """Return the tokens that the pictures cost; their number where none are told.

        Zero where they are too few for every image to be there.
        """
        if clip is None:
            return 0
        least = len(clip) if self._settings.frames_as == "images" else 1
        if not self.counts_tokens:
            return least
        cost = tokens - self._text_tokens[text]
        return cost if cost >= least else 0

    def _said(
        self, text: str, clip: Clip | None, *, most: int | None = None
    ) -> tuple[Said, str, float]:
        """Return an answer, the digest of what was sent, and the seconds it took."""
        body = self._chat.body(text, clip, most=most)
        start = time.perf_counter()
        said = read_answer(self._wire.post(body))
        self._told.note(said)
        return said, digest_of(body), time.perf_counter() - start


def _counted(said: Said) -> int:
    if said.prompt_tokens is None:
        raise BackendError(
            "the server told no token count with this answer, as it did before, so "
            "that it cannot be known what the model was shown"
        )
    return said.prompt_tokens
