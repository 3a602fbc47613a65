"""Text on standard output, whatever it spells and whoever reads it.

Apart from the commands because those that tell as they go write in the same way
as those that tell at the end.
"""

from __future__ import annotations

import os
import sys

from pytest_vdg.errors import StoreError


def write(text: str) -> None:
    """Write *text* at once; what the terminal cannot spell becomes an escape.

    Where nobody reads any more (``| head``) the rest is dropped: that changes no
    verdict, and no exit code. Raises `StoreError` where it cannot be written.
    """
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        _write_nowhere()
    except OSError as error:  # a full disk
        _write_nowhere()
        raise StoreError(f"standard output cannot be written: {error}") from error


def _write_nowhere() -> None:
    """Let go of what waits to be written; else the interpreter tries it at its end.

    It would complain of the same again, and leave with a code of its own.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
