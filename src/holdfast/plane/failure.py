"""A failure in words, for whoever started the process."""


class Failure(Exception):
    """Something could not be done. The text says what happened, to which thing, and what to do next."""
