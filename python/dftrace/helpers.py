"""What programs often write themselves: operations with their CPU time and memory, training with a summary.

    from dftrace.helpers import TrainingTracer, operation

    with operation("load", path=path) as load:
        data = read(path)
    print(load.seconds, load.cpu_seconds, load.memory_kb)

    tracer = TrainingTracer()
    for number in range(episodes):
        with tracer.episode(number) as episode:
            while not done:
                with episode.step():
                    reward = act()
                episode.add(reward=reward)
    print(tracer.summary())

Both measure whether or not the program is traced. If it is, the figures are values of the events.
"""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import Any

import dftrace

__all__ = ["Episode", "TrainingTracer", "operation"]

_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def _memory_kb() -> int:
    """What the process has in memory; 0 where /proc cannot be read."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(200).split()[1]) * _PAGE_KB
    except OSError:
        return 0


class operation:
    """A block with its time, CPU time and memory: a context manager, once.

    ``seconds``, ``cpu_seconds`` (of this thread), ``memory_kb`` (of the process, at the end) and
    ``memory_added_kb`` are 0 until the block has ended. ``error`` is the name of the exception that left it.
    """

    def __init__(self, name: str, category: str = "operation", /, **values: object) -> None:
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.memory_kb = 0
        self.memory_added_kb = 0
        self.error: str | None = None
        self._region = dftrace.region(name, category, **values)

    def set(self, **values: object) -> None:
        """Adds values to the event."""
        self._region.set(**values)

    def __enter__(self) -> operation:
        self._begin_kb = _memory_kb()
        self._region.begin()
        self._begin = (time.perf_counter(), time.thread_time())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._begin[0]
        self.cpu_seconds = time.thread_time() - self._begin[1]
        self.memory_kb = _memory_kb()
        self.memory_added_kb = self.memory_kb - self._begin_kb
        self.error = kind.__name__ if kind else None
        self._region.set(cpu_ms=self.cpu_seconds * 1000, memory_kb=self.memory_kb, memory_added_kb=self.memory_added_kb)
        if self.error:
            self._region.set(error=self.error)
        self._region.end()


class Episode:
    """One episode or epoch. What ``add`` was given is added up; the summary has the sums and means."""

    def __init__(self, number: int, category: str, values: dict[str, Any]) -> None:
        self.number = number
        self.steps = 0
        self.sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}
        self._category = category
        self._operation = operation("episode", category, epoch=number, **values)

    @property
    def seconds(self) -> float:
        """How long the episode took; 0 until it has ended."""
        return self._operation.seconds

    def step(self, **values: object) -> dftrace.Region:
        """The next step, as a context manager. Steps are numbered from 1."""
        self.steps += 1
        return dftrace.region("step", self._category, epoch=self.number, step=self.steps, **values)

    def add(self, **values: float) -> None:
        """Figures of the episode, such as reward or loss. In the trace, each is a counter."""
        for name, value in values.items():
            number = float(value)
            self.sums[name] = self.sums.get(name, 0.0) + number
            self._counts[name] = self._counts.get(name, 0) + 1
            dftrace.counter(name, number, category=self._category)

    def mean(self, name: str) -> float:
        """The mean of what was added with this name; 0 if nothing was."""
        return self.sums[name] / self._counts[name] if name in self.sums else 0.0

    def results(self) -> dict[str, Any]:
        """All figures: ``NAME`` is a sum, ``NAME_mean`` its mean."""
        done = self._operation
        found: dict[str, Any] = {
            "episode": self.number,
            "steps": self.steps,
            "seconds": done.seconds,
            "steps_per_second": self.steps / done.seconds if done.seconds else 0.0,
            "cpu_seconds": done.cpu_seconds,
            "memory_kb": done.memory_kb,
            "memory_added_kb": done.memory_added_kb,
        }
        for name, total in self.sums.items():
            found[name] = total
            found[f"{name}_mean"] = self.mean(name)
        return found

    def __enter__(self) -> Episode:
        self._operation.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._operation.set(steps=self.steps, **self.sums)
        self._operation.__exit__(kind, error, traceback)


class TrainingTracer:
    """Episodes of a training, and their summary. `dftrace report --by step` knows their numbers and those of steps."""

    def __init__(self, category: str = "pipeline") -> None:
        self.episodes: list[Episode] = []
        self._category = category

    def episode(self, number: int | None = None, **values: object) -> Episode:
        """The next episode, as a context manager. Episodes are numbered from 1 unless numbers are given."""
        made = Episode(len(self.episodes) + 1 if number is None else number, self._category, values)
        self.episodes.append(made)
        return made

    def results(self) -> list[dict[str, Any]]:
        """The figures of each episode."""
        return [episode.results() for episode in self.episodes]

    def summary(self) -> str:
        """A table with a line for each episode."""
        names = list(dict.fromkeys(name for episode in self.episodes for name in episode.sums))
        rows = [["EPISODE", "STEPS", "SECONDS", "STEPS/S", "CPU s", "MEMORY MiB", *(name.upper() for name in names)]]
        for episode in self.episodes:
            of = episode.results()
            rows.append([str(of["episode"]), str(of["steps"]), f"{of['seconds']:.3f}", f"{of['steps_per_second']:.1f}",
                         f"{of['cpu_seconds']:.3f}", f"{of['memory_kb'] / 1024:.1f}",
                         *(f"{of.get(name, 0.0):g}" for name in names)])
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)
