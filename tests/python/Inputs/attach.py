"""Attaches to a program that runs, changes its allowlist, and ends it: attach.py DFTRACE PYTHON PROGRAM"""

import glob
import gzip
import json
import os
import subprocess
import sys
import time

dftrace, python, program = sys.argv[1:]


def control(*words):
    subprocess.run([dftrace, "ctl", *words], check=True, stdout=subprocess.DEVNULL)


def count(pid):
    control(str(pid), "flush")
    names = {}
    for path in glob.glob("trace-*.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("{")]
        for event in map(json.loads, lines):
            if event.get("cat") == "FUNC":
                names[event["name"]] = names.get(event["name"], 0) + 1
    return names


def wait_for(pid, wanted):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = count(pid)
        if wanted <= found.keys():
            return found
        time.sleep(0.05)
    sys.exit(f"{wanted} is not traced: {found}")


environment = {**os.environ, "DFTRACER_ENABLE": "attach", "LD_PRELOAD": os.path.dirname(dftrace) + "/../lib/libdftrace.so",
               "DFTRACER_LOG_FILE": "trace"}
process = subprocess.Popen([python, program], stdout=subprocess.PIPE, env=environment)
try:
    pid = int(process.stdout.readline())
    for name, rule in (("first", "step\n"), ("second", "step\nfun:*.inner\nwork\n")):
        with open(name, "w", encoding="utf-8") as file:
            file.write(rule)
    control(str(pid), "set", "first")
    control(str(pid), "on")
    found = wait_for(pid, {"step"})
    assert found.keys() == {"step"}, found
    control(str(pid), "set", "second")
    wait_for(pid, {"step", "closure.<locals>.inner", "Worker.work"})
    open("end", "w", encoding="utf-8").close()
    assert process.wait(60) == 0
    print("attached")
finally:
    process.kill()
