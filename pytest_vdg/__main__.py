"""``python -m pytest_vdg``: the command line tool without its script.

Apart from ``cli`` only because Python looks for this name.
"""

from __future__ import annotations

import sys

from pytest_vdg.cli import main

if __name__ == "__main__":
    sys.exit(main())
