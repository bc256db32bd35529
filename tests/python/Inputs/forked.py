import os
import sys


def inner():
    return 1


def outer():
    inner()
    child = os.fork()
    if child == 0:
        inner()
        inner()
        os._exit(0)
    os.waitpid(child, 0)
    child = os.fork()
    if child == 0:
        inner()
        inner()
        inner()
        os.execv(sys.executable, [sys.executable, "-S", "-c", "def nothing(): pass"])
    assert os.waitpid(child, 0)[1] == 0


outer()
