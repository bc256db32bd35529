"""Ends while functions are open: end.py exit|_exit|daemon|kill|abort"""

import os
import signal
import sys
import threading
import time


def step():
    return 1


def outer(how):
    step()
    if how == "exit":
        sys.exit(3)
    elif how == "_exit":
        os._exit(3)
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGTERM)
    elif how == "abort":
        os.abort()


def endless(begun):
    step()
    begun.set()
    while True:
        time.sleep(0.001)


if sys.argv[1] == "daemon":
    begun = threading.Event()
    threading.Thread(target=endless, args=(begun,), daemon=True).start()
    begun.wait()
outer(sys.argv[1])
