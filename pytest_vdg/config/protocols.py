"""What a named protocol fixes beside the frames that are shown.

Apart from the samplings, which the frames know, because scoring is a matter of the
backend; and from the settings, which only ask for it where nobody else speaks.
"""

from __future__ import annotations

from pytest_vdg.config.switches import LOCAL_BACKENDS

SCORING = {"traffic-paper": "option_text"}
"""How replies become answers, by the name of the protocol."""


def scoring_of(protocol: str | None, backend: str) -> str | None:
    """Return the scoring that *protocol* asks *backend* for; None where it asks none.

    Backends of other packages have scorings of their own.
    """
    return SCORING.get(protocol or "") if backend in LOCAL_BACKENDS else None
