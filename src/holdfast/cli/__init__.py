"""The front door: arguments in, words out. Heavy imports belong inside commands."""
