"""Starts a program that waits for dftrace ctl, and keeps it waiting in every way that a client can.

    stall-a-program.py DFTRACE PROGRAM

The program is that of control-channel-answers-requests.c.
"""

import array
import fcntl
import os
import socket
import subprocess
import sys

PATIENCE = 100  # seconds; everything here takes some milliseconds unless somebody hangs
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK

dftrace, program = sys.argv[1:]
child = subprocess.Popen(
    [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "DFTRACER_ENABLE": "attach"}
)
NAME = f"\0dftrace-control-{child.pid}-{os.stat('/proc/self/ns/pid').st_ino}"


def ask(*words, status=0):
    answer = subprocess.run(
        [dftrace, "ctl", str(child.pid), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        timeout=PATIENCE,
    )
    assert answer.returncode == status, (words, answer)
    return answer.stdout + answer.stderr


def connect():
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(PATIENCE)
    client.connect(NAME)
    return client


def send(request, *descriptors):
    """The answer to a request that comes with these descriptors, which are closed."""
    with connect() as client:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        client.sendmsg([request], rights)
        for descriptor in set(descriptors):
            os.close(descriptor)
        return client.recv(10000).decode()


def memory(text, seals=SEALS):
    descriptor = os.memfd_create("list", os.MFD_ALLOW_SEALING)
    os.write(descriptor, text)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def count_descriptors():
    """Those of the control thread, which has its own."""
    for task in os.listdir(f"/proc/{child.pid}/task"):
        with open(f"/proc/{child.pid}/task/{task}/comm", encoding="utf-8") as name:
            if name.read() == "dftrace-control\n":
                return len(os.listdir(f"/proc/{child.pid}/task/{task}/fd"))
    raise AssertionError("there is no control thread")


def contains(text, *parts):
    for part in parts:
        assert part in text, (part, text)


def main():
    # The client refuses what it would have to wait for.
    os.mkfifo("fifo")
    contains(ask("set", "fifo", status=1), "fifo: cannot open the allowlist: it is a pipe, a socket or a device")
    contains(ask("set", "/dev/zero", status=1), "it is a pipe, a socket or a device")
    contains(ask("set", ".", status=1), "Is a directory")
    contains(ask("set", "/proc/self/mem", status=1), "cannot read the allowlist")

    # So does the program, which opens no file for anybody, and reads nothing that could block or change.
    path = os.path.abspath("fifo").encode()
    contains(send(b"set " + path), "error the contents of ", "are missing")
    reader, writer = os.pipe()
    contains(send(b"set " + path, reader), "error the contents of ", "cannot be read")
    os.close(writer)
    contains(send(b"set " + path, os.open("fifo", os.O_RDWR)), "cannot be read")
    contains(send(b"set " + path, os.open(program, os.O_RDONLY)), "cannot be read")
    contains(send(b"set " + path, memory(b"work_one\n", 0)), "cannot be read")
    contains(send(b"set " + path, memory(b"work_one\n", fcntl.F_SEAL_WRITE)), "cannot be read")
    contains(send(b"set /name", memory(b"main\n[tarce]\n")), "error /name:2:1: unknown section")
    contains(ask("status"), "functions=3 chosen=3")

    # A descriptor too many, or one that nothing was to come with, is closed.
    before = count_descriptors()
    for _ in range(50):
        assert send(b"status", memory(b"x\n")).startswith("ok ")
        assert send(b"set /name", memory(b"main\n"), memory(b"work_one\n")) == "ok functions=3 chosen=1"
    contains(ask("status"), "functions=3 chosen=1")
    assert count_descriptors() < before + 10  # the last client may still be there

    # Far more than a packet may have.
    with open("large.txt", "w", encoding="utf-8") as large:
        large.writelines(f"function_number_{i}\n" for i in range(40000))
        large.write("work_two\n")
    ask("set", "large.txt")
    contains(ask("status"), "functions=3 chosen=1")
    ask("on")
    child.stdin.write(b"\n")
    child.stdin.flush()
    assert child.stdout.readline() == b"done\n"

    # Clients that say nothing, or do not listen, do not keep the program from its end.
    silent = [connect() for _ in range(4)]
    deaf = connect()
    deaf.send(b"status")
    child.stdin.close()
    assert child.wait(timeout=PATIENCE) == 0


try:
    main()
finally:
    child.kill()
