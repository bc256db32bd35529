"""Starts one program and measures it. Knows nothing about the program."""

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass

WATCHDOG_SECONDS = 300


class Failed(Exception):
    """A program failed; the text is for people."""


@dataclass
class Taken:
    """What a program and the processes that it waited for used."""

    wall_s: float
    cpu_s: float
    peak_kib: int


def run(command, directory, environment=None, output="printed"):
    """Runs `command` in `directory` and returns the file `output` with what it printed."""
    printed, errors = os.path.join(directory, output), os.path.join(directory, "errors")
    with open(printed, "wb") as out, open(errors, "wb") as err:
        try:
            process = subprocess.Popen(
                command, cwd=directory, env={**os.environ, **(environment or {})}, stdout=out, stderr=err,
                stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            raise Failed(f"{command[0]} does not start: {error.strerror}") from error
        try:
            status = process.wait(WATCHDOG_SECONDS)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise Failed(f"{' '.join(command)} took longer than {WATCHDOG_SECONDS} s") from error
    if status != 0:
        said = read_text(errors)[-2000:].strip()
        raise Failed(f"{' '.join(command)} ended with {status}: {said or 'it said nothing'}")
    return printed


def run_measured(launcher, command, directory, environment=None, output="printed"):
    """The same, with what the command used; `launcher` is the program made from taken.c."""
    result = os.path.join(directory, "taken")
    run([launcher, result, *command], directory, environment, output)
    wall, cpu, peak = read_text(result).split()
    return Taken(float(wall), float(cpu), int(peak))


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Scratch:
    """A directory for one run; it is removed afterwards with everything that the run left behind."""

    def __init__(self, parent):
        self.path = os.path.join(parent, "run")

    def __enter__(self):
        os.mkdir(self.path)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)
