"""Sends signals to `dftrace run PROGRAM`, by kill and by a terminal, and reads what PROGRAM got.

    send-signals.py DFTRACE PROGRAM
"""

import os
import pty
import re
import signal
import subprocess
import sys
import time

COMMAND = [sys.argv[1], "run", "--no-report", sys.argv[2]]


def read_counts(file):
    line = file.readline()
    while line and "=" not in line:
        line = file.readline()
    return {int(number): int(count) for number, count in re.findall(r"(\d+)=(\d+)", line)}


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, expected {wanted}")


def state_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def wait_for_state(pid, states):
    while state_of(pid) not in states:
        time.sleep(0.001)


def find_program(front):
    with open(f"/proc/{front}/task/{front}/children") as file:
        for pid in file.read().split():
            if os.readlink(f"/proc/{pid}/exe") == os.path.abspath(sys.argv[2]):
                return int(pid)
    sys.exit("the program is not there")


def send_by_kill():
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    counts = read_counts(process.stdout)
    for number in ("INT", "TERM", "HUP", "USR1", "USR2", "WINCH", "INT"):
        number = getattr(signal, "SIG" + number)
        process.send_signal(number)
        counts[number] += 1
        expect(f"after signal {number}", read_counts(process.stdout), counts)
    # Stopped and continued together.
    program = find_program(process.pid)
    process.send_signal(signal.SIGTSTP)
    wait_for_state(program, "T")
    wait_for_state(process.pid, "T")
    process.send_signal(signal.SIGCONT)
    wait_for_state(process.pid, "SR")
    wait_for_state(program, "SR")
    # A program that stops itself stops what stands in its place.
    os.kill(program, signal.SIGSTOP)
    wait_for_state(process.pid, "T")
    process.send_signal(signal.SIGCONT)
    wait_for_state(program, "SR")
    process.send_signal(signal.SIGQUIT)
    process.stdout.read()
    expect("status", process.wait(), -signal.SIGQUIT)


def send_by_terminal():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(COMMAND[0], COMMAND)
    file = os.fdopen(terminal, "r+b", buffering=0)
    text = open(terminal, "r", closefd=False, newline="\n")
    counts = read_counts(text)
    for _ in range(3):
        file.write(b"\x03")
        counts[signal.SIGINT] += 1
        expect("after Ctrl-C", read_counts(text), counts)
    file.write(b"\x1c")  # Ctrl-backslash: SIGQUIT
    try:
        while text.readline():
            pass
    except OSError:
        pass  # the terminal has gone with the last of them
    status = os.waitpid(pid, 0)[1]
    expect("status", os.WIFSIGNALED(status) and os.WTERMSIG(status), signal.SIGQUIT)


send_by_kill()
send_by_terminal()
