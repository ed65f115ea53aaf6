"""``python -m holdfast``: the same front door as the ``holdfast`` program."""

from holdfast.cli.main import run

run()
