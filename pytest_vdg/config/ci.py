"""Whether a machine of a CI runs this: nothing is recorded there by accident.

Apart from options and commands because both refuse, and must agree on when.
"""

from __future__ import annotations

import os


def in_ci() -> str | None:
    """Return what variable ``CI`` says; None where no CI runs this."""
    said = os.environ.get("CI", "")
    return None if said.lower() in ("", "0", "false") else said
