"""Starts a program that waits for dftrace ctl, and sends it every request, valid and invalid ones.

    ask-a-program.py DFTRACE PROGRAM

The program calls work_one and work_two a hundred times each for every line that it reads, and answers
with a line.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys

dftrace, program = sys.argv[1:]
child = subprocess.Popen(
    [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "DFTRACER_ENABLE": "attach"}
)
PID = str(child.pid)


def work():
    child.stdin.write(b"\n")
    child.stdin.flush()
    assert child.stdout.readline() == b"done\n"


def ask(*words, status=0, prefix=(), pid=PID):
    answer = subprocess.run(
        [*prefix, dftrace, "ctl", pid, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True
    )
    assert answer.returncode == status, (words, answer)
    return answer.stdout + answer.stderr


NAME = f"\0dftrace-control-{PID}-{os.stat('/proc/self/ns/pid').st_ino}"


def say_nothing(uid):
    """The answer to another user who connects and sends nothing."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setuid(uid)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(NAME)
            os.write(writer, client.recv(10000))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        answer = answers.read().decode()
    assert os.waitpid(pid, 0)[1] == 0
    return answer


def send(packet):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.connect(NAME)
        if packet is None:
            return b""
        client.send(packet)
        return client.recv(10000)


def contains(text, *parts):
    for part in parts:
        assert part in text, (part, text)


work()
contains(ask("status"), "recording=off", "functions=3 chosen=3", "trace=none")
work()
ask("on")
contains(ask("status"), "recording=on", "trace=/")
work()
contains(ask("set", "two.txt"), "functions=3 chosen=1")
contains(ask("status"), "functions=3 chosen=1")
work()
contains(ask("set", "bad.txt", status=1), "bad.txt:2:1: unknown section")
contains(ask("set", "missing.txt", status=1), "cannot open the allowlist")
work()
ask("set", "allow.txt")
work()
contains(ask("flush"), "trace=/")
work()
contains(ask("flush"), "trace=/")
ask("off")
contains(ask("status"), "recording=off")
work()

# What has been flushed can be read while the program runs.
work()
trace = ask("status").split("trace=")[1].strip()
flushed = subprocess.run(["zcat", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
assert flushed.count(b'"name":"work_two"') >= 100, flushed[:200]

for garbage in (b"", b"o", b"onn", b"on\0", b"set", b"set relative", b"\xff" * 4000, b"x" * 60000, None):
    answer = send(garbage)
    assert garbage in (b"", None) or answer.startswith(b"error "), (garbage, answer)
contains(ask("status"), "recording=off")
contains(ask("nonsense", status=2), "expected on, off, status, flush or set ALLOWLIST")
contains(ask("set", status=2), "expected on")
contains(ask(status=2), "what to do is missing")
contains(ask("on", pid="x1", status=2), "no process id")
contains(ask("on", pid="4000000", status=1), "there is no process 4000000")
contains(ask("on", pid=str(os.getpid()), status=1), "does not listen")
if os.geteuid() == 0 and shutil.which("setpriv"):
    other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    contains(ask("on", prefix=other, status=1), "only the program's own user and root may ask")
    contains(say_nothing(65534), "only the program's own user and root may ask")
    contains(ask("status"), "recording=off")

os.kill(child.pid, signal.SIGSTOP)
os.waitid(os.P_PID, child.pid, os.WSTOPPED)  # every thread of it
contains(ask("status", status=1), f"process {PID} does not answer: it is stopped")
os.kill(child.pid, signal.SIGCONT)
contains(ask("status"), "recording=off")
work()
child.stdin.close()
assert child.wait() == 0
contains(ask("status", status=1), "there is no process")
