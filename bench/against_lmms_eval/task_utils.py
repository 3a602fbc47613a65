"""What lmms-eval's tasks call: where a clip is, and whether a reply is right.

Apart from all else because it is copied beside the tasks and imported by
lmms-eval, in its environment, where nothing of ours is installed.
"""

from __future__ import annotations


def visuals(doc: dict[str, str]) -> list[str]:
    """Return the clip of a question."""
    return [doc["clip"]]


def results(doc: dict[str, str], replies: list[str]) -> dict[str, float]:
    """Return lmms-eval's own score; ours is taken from the replies it logs."""
    return {"right": float(replies[0].strip() == doc["answer"])}
