"""How to think: pure functions from values to verdicts with coded reasons."""
