"""Findings and runs as text: terminal tables, JUnit properties, the ladder.

Apart from the assertions so that telling a verdict can never change one: what
is here reads plain values and returns lines or properties.
"""

from __future__ import annotations
