"""Benchmarks: each runs the thing and its peer or physical reference in the same run, interleaved."""
