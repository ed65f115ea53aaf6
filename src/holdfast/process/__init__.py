"""The process's own clock, randomness, tasks, threads and name: the only room that touches them."""

from holdfast.process.clock import Clock, SystemClock
from holdfast.process.process import Process
from holdfast.process.randomness import Randomness
from holdfast.process.tasks import Tasks
from holdfast.process.threads import Thread

__all__ = ["Clock", "Process", "Randomness", "SystemClock", "Tasks", "Thread"]
