"""`Excerpt`: which part of a video a question is about.

Apart from sampling because it belongs to the question, not to the way it is
asked: the same part is shown under every condition and to every model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """Part of a video, in seconds from its first frame; all of it by default."""

    start_s: float = 0.0
    """Where it begins; the frame on show at this moment is the first."""
    end_s: float | None = None
    """Where it ends; no frame that begins here or later. None: at the end."""
    picture_rate: float | None = None
    """Pictures a second of a folder of pictures, which has no times of its own;
    None for a video file, and for 1 a second."""

    def __post_init__(self) -> None:
        """Refuse parts that hold no moment."""
        numbers = [self.start_s, self.end_s, self.picture_rate]
        if not all(n is None or math.isfinite(n) for n in numbers):
            raise ValueError(f"an excerpt is made of finite numbers, got {numbers}")
        if self.start_s < 0:
            raise ValueError(f"an excerpt starts at 0 or later, got {self.start_s} s")
        if self.end_s is not None and self.end_s <= self.start_s:
            raise ValueError(
                f"an excerpt ends after it starts, got {self.start_s} to {self.end_s} s"
            )
        if self.picture_rate is not None and self.picture_rate <= 0:
            raise ValueError(f"a rate is above 0, got {self.picture_rate} a second")

    @property
    def spec(self) -> str:
        """The excerpt in one word, for keys and digests; empty for all of it.

        >>> Excerpt(start_s=2.5, end_s=4, picture_rate=3).spec
        '2.5-4s,3/s'
        """
        parts = []
        if self.start_s or self.end_s is not None:
            end = "" if self.end_s is None else _exact(self.end_s)
            parts.append(f"{_exact(self.start_s)}-{end}s")
        if self.picture_rate is not None:
            parts.append(f"{_exact(self.picture_rate)}/s")
        return ",".join(parts)


def _exact(number: float) -> str:
    """Return *number* so that equal numbers, and no others, have equal texts."""
    return repr(float(number) + 0.0).removesuffix(".0")  # -0.0 becomes 0.0


WHOLE = Excerpt()
"""All of a video, at its own times."""
