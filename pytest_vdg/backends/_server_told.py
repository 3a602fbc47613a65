"""`Told`: what a server says of itself, and what people should hear of it.

Apart from the backend because a name is all that is known of a hosted model:
when it changes under way, two models answered and no run can be judged.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from pytest_vdg.backends._server_answer import Said
from pytest_vdg.backends._server_http import Counts
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.errors import CouldNotBeJudged

_MOST_SYSTEMS = 3


class Told:
    """Notes what comes with each answer; used by many threads."""

    def __init__(self, settings: ServerSettings) -> None:
        """Know nothing yet."""
        self._settings = settings
        self._lock = threading.Lock()
        self._model = ""
        self._systems: dict[str, int] = {}
        self._cut = 0

    def note(self, said: Said) -> None:
        """Note what came with an answer.

        Raises `CouldNotBeJudged` where another model gave it than those before.
        """
        with self._lock:
            before = self._model
            self._model = before or said.model
            if said.system:
                self._systems[said.system] = self._systems.get(said.system, 0) + 1
        if before and said.model and said.model != before:
            raise CouldNotBeJudged(
                f"the server at {self._settings.host} answered as {before!r} and then "
                f"as {said.model!r}: answers of two models cannot be judged as one. "
                "Name the exact model as checkpoint, not one that stands for others"
            )

    def replied(self, said: Said) -> None:
        """Note that an answer is a reply to a question."""
        with self._lock:
            self._cut += said.cut

    def observed(self, left_out: Sequence[str]) -> Mapping[str, str]:
        """Return what was told, for the record of a run."""
        systems = sorted(self._systems)
        more = len(systems) - _MOST_SYSTEMS
        told = ", ".join(systems[:_MOST_SYSTEMS]) + (f", {more} more" * (more > 0))
        found = {
            "server model": self._model,
            "server system_fingerprint": told,
            "server does not take": ", ".join(left_out),
        }
        return {name: value for name, value in found.items() if value}

    def notes(
        self,
        counts: Counts,
        *,
        counts_tokens: bool | None,
        not_used: Sequence[str],
    ) -> tuple[str, ...]:
        """Return what people should hear: what it took, and what is not known."""
        settings = self._settings
        notes = []
        if not_used:
            notes.append(
                f"backend openai: {', '.join(not_used)} in vdg.yaml or on the command "
                "line: the server's own affair, and not used"
            )
        if counts.requests:
            notes.append(self._sent(counts))
            notes.append(
                f"{settings.name}: weights: unknown (server). Whether two runs asked "
                "the same model is known by its name alone"
            )
        if counts_tokens is False:
            notes.append(
                f"{settings.name}: the server tells no token counts. That pictures "
                "reach the model was shown by four plain colours; that every frame "
                "does was not"
            )
        return tuple(notes)

    def _sent(self, counts: Counts) -> str:
        settings = self._settings
        told = (
            f"{settings.name} at {settings.host}: {counts.requests:,} requests "
            f"({counts.retries:,} of them tried again, {counts.failed:,} given up), "
            f"{counts.prompt_tokens:,} prompt and {counts.completion_tokens:,} "
            "completion tokens"
        )
        if self._cut and settings.scoring == "generate":
            told += f", {self._cut:,} replies cut at their most tokens"
        prices = settings.price_per_million
        if prices:
            cost = counts.prompt_tokens * prices.get("prompt", 0.0)
            cost += counts.completion_tokens * prices.get("completion", 0.0)
            told += f", cost {cost / 1e6:.4g}"
        return told
