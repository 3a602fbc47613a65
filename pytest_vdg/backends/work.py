"""`Work`: what a backend had to compute, counted.

Apart from the backends because the engine's promise, that no part of a prompt
is read twice, is a statement about these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(kw_only=True)
class Work:
    """Counts since the model was loaded."""

    passes: int = 0
    """Forward passes of the language model."""
    lm_tokens: int = 0
    """Tokens that the language model read, padding left out."""
    padded_tokens: int = 0
    """Padding that it read besides."""
    vision_tokens: int = 0
    """Visual tokens that the vision encoder made."""
    processed: int = 0
    """Clips that the processor turned into pixels."""

    def minus(self, earlier: Work) -> Work:
        """Return the counts since *earlier*."""
        names = [field.name for field in fields(self)]
        return Work(**{n: getattr(self, n) - getattr(earlier, n) for n in names})
