"""The words: wire types, quantities, selectors, patches, errors and the registry of kinds. Knows no I/O."""
