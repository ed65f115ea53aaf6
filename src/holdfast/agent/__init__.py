"""What runs for a node: it publishes the node's disks through a driver."""
