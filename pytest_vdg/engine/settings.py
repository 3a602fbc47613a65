"""`RunSettings`: how a run is made, as one value.

Apart from the runner so that configuration, keys and fingerprints speak of
the same fields, and so that nothing is set on a model in passing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from pytest_vdg.benchmarks.prompts import DEFAULT_INSTRUCTION
from pytest_vdg.errors import did_you_mean
from pytest_vdg.frames.decode import READERS
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Caps

ON_BAD_MEDIA = ("fail", "skip")


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How a run is made. Scoring and the like belong to the backend."""

    sampling: Sampling
    """Which frames of a video are shown."""
    seed: int = 0
    """Of all random choices, together with the question's id."""
    instruction: str = DEFAULT_INSTRUCTION
    """Last line of each prompt; empty for none."""
    reader: str = "auto"
    """What decodes videos: ``auto``, ``pyav`` or ``decord``."""
    size: tuple[int, int] | None = None
    """Height and width that all frames are resized to; None: as in the file."""
    caps: Caps = field(default_factory=Caps)
    """How much may be missing before the run cannot be judged."""
    on_bad_media: Literal["fail", "skip"] = "fail"
    """What videos that cannot be read do: stop the run before the model is
    loaded, or become ``failed`` cells that count against the caps."""
    give_up_after: int = 20
    """Stop when each of this many first cells failed in the backend; >= 1."""

    def __post_init__(self) -> None:
        """Refuse what no run could be made with."""
        for name, known in (("reader", READERS), ("on_bad_media", ON_BAD_MEDIA)):
            given = getattr(self, name)
            if given not in known:
                raise ValueError(
                    f"{name} must be one of {known}, got {given!r}."
                    + did_you_mean(str(given), known)
                )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise TypeError(f"seed must be an integer, got {self.seed!r}")
        if self.size is not None and not all(side >= 1 for side in self.size):
            raise ValueError(f"size must be at least (1, 1), got {self.size!r}")
        if self.give_up_after < 1:
            raise ValueError(
                f"give_up_after must be at least 1, got {self.give_up_after!r}"
            )

    def comparable(self) -> dict[str, str]:
        """Return what must be equal for two runs to be compared.

        Caps and policies are left out: they change verdicts, not answers.
        """
        size = "as in the file" if self.size is None else "x".join(map(str, self.size))
        digest = hashlib.sha256(self.instruction.encode()).hexdigest()
        return {
            "instruction": digest[:16],
            "reader": self.reader,
            "sampling": self.sampling.spec(),
            "seed": str(self.seed),
            "size": size,
        }
