"""``vdg config``: the effective configuration, and where each value comes from.

Apart from the commands that act on it, so that a doubt is settled before a run.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg.config.effective import describe


def config(
    *, checkpoint: str | None = None, where: Where | None = None
) -> Sequence[str]:
    """Print the effective configuration, and where each value comes from.

    Parameters
    ----------
    checkpoint
        Folder or hub id.
    """
    return describe(settings_of(where, checkpoint=checkpoint))
