"""What the arms of a run cost, against one arm, a plain loop and the least possible."""
