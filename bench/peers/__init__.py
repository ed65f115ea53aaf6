"""What benchmarks measure, each in a process of its own: ours, and the peers in their own environments."""
