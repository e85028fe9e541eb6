"""Runs a program and tells how long it took, what it computed meanwhile, and how much memory it had at most."""
import os
import pathlib
import resource
import statistics
import time
from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass
class Sample:
    seconds: float
    processor_seconds: float  # user and system; hardly depends on what else the machine does
    peak_bytes: int
    output: str


def smallest_peak():
    """What is measured is never below this: until the program starts, its process is a copy of this one."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(command, environment, folder):
    """One run, its output kept in a file (a pipe would need a reader). Exits when the program fails."""
    output = pathlib.Path(folder) / "output"
    errors = pathlib.Path(folder) / "errors"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, str(output), flags, 0o600),
               (os.POSIX_SPAWN_OPEN, 2, str(errors), flags, 0o600)]
    os.sync()  # what was written before is not this program's burden
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], [str(word) for word in command], environment, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed ({os.waitstatus_to_exitcode(status)}):\n"
                         f"{output.read_text()}{errors.read_text()}")
    return Sample(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read_text())


class Series:
    """Samples of one thing, done to so many bytes."""

    def __init__(self, name, size=0):
        self.name, self.size, self.samples = name, size, []

    def add(self, sample):
        self.samples.append(sample)
        return sample

    @property
    def seconds(self):
        return statistics.median(sample.seconds for sample in self.samples)

    @property
    def processor_seconds(self):
        return statistics.median(sample.processor_seconds for sample in self.samples)

    @property
    def spread(self):
        times = [sample.seconds for sample in self.samples]
        return f"{min(times):.3f}–{max(times):.3f}"

    @property
    def peak(self):
        return max(sample.peak_bytes for sample in self.samples)

    @property
    def rate(self):
        return self.size / self.seconds / MEGABYTE
