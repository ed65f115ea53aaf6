"""What a process is made of: wiring and start order, nothing else."""
