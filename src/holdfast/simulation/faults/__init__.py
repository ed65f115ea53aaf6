"""What can go wrong: a fault a file. ``simulation.fault`` says how one is written; it is found here by itself."""
