"""Examines traces of running programs, with a writer thread and under dftrace run.

    flush-a-program.py DFTRACE

./prog prints its pid, then calls work a hundred times for every line that it reads, and answers with a line.
"""

import gzip
import json
import os
import signal
import subprocess
import sys

dftrace = sys.argv[1]


def ask(pid, word):
    answer = subprocess.run([dftrace, "ctl", pid, word], stdout=subprocess.PIPE, check=True, text=True)
    return answer.stdout.strip().split("trace=")[-1]


def count(path):
    """Calls in a trace that must be complete and must state their number correctly."""
    with gzip.open(path) as trace:
        events = json.load(trace)
    calls = [(event["ts"], event["dur"]) for event in events if event["name"] == "work"]
    assert len(set(calls)) == len(calls)
    assert [event["args"]["num_events"] for event in events if event["name"] == "end"] == [len(calls)]
    assert sum(event["name"] == "function" for event in events) == 1
    return len(calls)


def check(command, killed):
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "DFTRACER_ENABLE": "attach"}
    )
    pid = child.stdout.readline().decode().strip()

    def work():
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"done\n"

    assert ask(pid, "flush") == "none"
    ask(pid, "on")
    assert ask(pid, "flush").startswith("/")
    work()
    ask(pid, "off")
    trace = ask(pid, "flush")
    assert count(trace) == 100
    ask(pid, "on")
    work()
    assert count(ask(pid, "flush")) == 200
    for _ in range(100):
        work()
    assert count(ask(pid, "flush")) == 10200
    work()
    if killed:
        os.kill(int(pid), signal.SIGKILL)
    child.stdin.close()
    child.wait()
    if killed and len(command) == 1:
        subprocess.run([dftrace, "recover", os.environ["DFTRACER_SPOOL_DIR"]], check=True, stdout=subprocess.DEVNULL)
    assert count(trace) == 10300


for way in (["./prog"], [dftrace, "run", "./prog"]):
    for is_killed in (False, True):
        check(way, is_killed)
