"""The workers of the control plane, one file a controller: cache, values, decide, patch."""
