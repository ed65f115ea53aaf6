"""What is simulated: an area a file, with its cast, what its users do, and what has to hold there."""
