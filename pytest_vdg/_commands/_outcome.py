"""`Failed`: lines of a command that worked, and found something wrong.

Apart from ``cli`` so that a command can say so without knowing exit codes.
"""

from __future__ import annotations


class Failed(list[str]):
    """Printed like any lines; the tool then leaves with 1."""
