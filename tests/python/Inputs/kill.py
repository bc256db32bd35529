"""Kills a traced program at random and compares its trace with its own counts: kill.py DFTRACE PYTHON PROGRAM TIMES"""

import gzip
import glob
import json
import os
import random
import signal
import struct
import subprocess
import sys
import time

dftrace, python, program, times = sys.argv[1:]


def counted():
    with open("counts", "rb") as file:
        return struct.unpack("<QQ", file.read())


for attempt in range(int(times)):
    with open("counts", "wb") as file:
        file.write(bytes(16))
    for path in glob.glob("killed-*"):
        os.unlink(path)
    process = subprocess.Popen([dftrace, "run", "--no-report", "-e", "ALLOWLIST=allow.txt", "-o", "killed", "--",
                                python, "-c", "import os, sys; print(os.getpid(), flush=True); exec(compile(open(sys.argv[1]).read(), sys.argv.pop(0) and sys.argv[0], 'exec'))",
                                program, "counts"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pid = int(process.stdout.readline())
    least = random.randrange(1, 30000)
    while counted()[0] < least and process.poll() is None:
        time.sleep(0.0005)
    os.kill(pid, signal.SIGKILL)
    process.communicate()
    done, yielded = counted()
    path, = glob.glob("killed-*.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = json.load(file)
    calls = [event for event in events if event["ph"] in "XB" and event["name"] in ("count", "items")]
    ended = [event for event in calls if event["ph"] == "X" and not event["args"].get("unfinished")]
    found = sum(event["name"] == "count" for event in ended)
    resumed = sum(event["name"] == "items" for event in ended)
    # A call whose last statement is done may have ended or not.
    print(f"killed after {done} calls: {found} in the trace; {yielded} activations: {resumed}")
    assert done - 1 <= found <= done, events[-3:]
    assert yielded - 1 <= resumed <= yielded, events[-3:]
