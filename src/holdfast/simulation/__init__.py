"""Whether the promises hold: a checker that reads what was recorded and shares no code with what it checks."""
