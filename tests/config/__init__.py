"""``vdg.yaml`` and all that is said beside it."""
