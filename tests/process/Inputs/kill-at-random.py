"""Repeatedly starts a counting program, kills it at a random moment, and compares trace and counts.

    kill-at-random.py run|recover TIMES DFTRACE PROGRAM CHECK_TRACE...

CHECK_TRACE is a command of several words.
"""

import collections
import glob
import gzip
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

MODE, TIMES, DFTRACE, PROGRAM, CHECK_TRACE = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5], sys.argv[5:]
FUNCTIONS = ["generation", "step", "inner"]
WORKERS = 3
LIMIT = 60  # seconds for anything that is waited for
WANTED = {"DFTRACER_AGGREGATE": '"total_us"', "DFTRACER_MIN_DURATION": '"total_us"', "DFTRACER_BUDGET": '"estimated_us"'}
SEEN = set()  # options of these that a trace shows
SPOOLS = tempfile.mkdtemp(prefix="dftrace-test-", dir="/dev/shm")

# Small chunks of work for the writer, and a spool so small that threads lend their chunks to it.
TIGHT = {"DFTRACER_WRITE_BUFFER_SIZE": "64k", "DFTRACER_SPOOL_MAX": "512k"}
CALL = re.compile(
    r'"name":"(generation|step|inner)","cat":"FUNC","ph":"X","pid":\d+,'
    r'"args":\{"file":"[^"]*","line":\d+(,"unfinished":true)?(?:,"(?:cpu|aggregated|estimated)_us":[^}]*)?\}(?:,"tts":[\d.]+,"tdur":[\d.]+)?,'
    r'"tid":(\d+),"dur":[\d.]+,"ts":([\d.]+)\}'
)
ADDED_UP = re.compile(r'"name":"calls of (generation|step|inner)",[^\n]*"args":\{"count":(\d+),')
THREAD = re.compile(r'"name":"thread_name","ph":"M","pid":\d+,"tid":(\d+),"args":\{"name":"worker(\d+)"')
END = re.compile(r'"name":"end",[^\n]*"num_events":(\d+),(?:"aggregated":(\d+),)?"dropped":(\d+)')


def read_counts():
    """(worker, function) -> minimum and maximum number of ended calls."""
    with open("counts", "rb") as file:
        numbers = struct.unpack(f"{WORKERS * len(FUNCTIONS) * 2}Q", file.read(WORKERS * len(FUNCTIONS) * 16))
    pairs = iter(zip(numbers[1::2], numbers[::2]))
    return {(worker, name): next(pairs) for worker in range(WORKERS) for name in FUNCTIONS}


def fail(seed, text):
    sys.exit(f"{MODE}, round {seed}: {text}")


def start(seed):
    with open("counts", "wb") as file:
        file.write(bytes(4096))
    environment = dict(os.environ, DFTRACER_SPOOL_DIR=SPOOLS, DFTRACER_LOG_FILE="trace")
    if seed % 4 != 0:
        environment.update(TIGHT)
    command = [PROGRAM]
    if MODE == "run":
        command = [DFTRACE, "run", "--no-report", PROGRAM]
    else:
        environment["DFTRACER_ENABLE"] = "1"
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)


def find_program(front):
    """The pid of the program under `dftrace run`: the child that is not the host."""
    with open(f"/proc/{front}/task/{front}/children") as file:
        for pid in file.read().split():
            try:
                if os.readlink(f"/proc/{pid}/exe") == os.path.abspath(PROGRAM):
                    return int(pid)
            except OSError:
                pass
    return None


def wait_for(what, seed):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        result = what()
        if result:
            return result
        time.sleep(0.0005)
    return fail(seed, f"waited in vain for {what.__name__}")


def kill_somewhere(process, seed):
    pid = process.pid if MODE == "recover" else wait_for(lambda: find_program(process.pid), seed)
    calls = random.choice([0, 1, 100, 2000, 6000, 12000])

    def enough_calls():
        return sum(ended for ended, _ in read_counts().values()) >= calls

    if calls:
        wait_for(enough_calls, seed)
    time.sleep(random.random() * 0.01)
    os.kill(pid, signal.SIGKILL)
    try:
        said = process.communicate(timeout=LIMIT)[1].decode()
    except subprocess.TimeoutExpired:
        process.kill()
        fail(seed, "hangs after the program was killed")
    if process.returncode != -signal.SIGKILL:
        fail(seed, f"ended with {process.returncode}, not as the program did: {said}")


def recover(seed):
    command = [DFTRACE, "recover", SPOOLS]
    if seed % 3 == 0:
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(random.random() * 0.02)
        first.kill()
        first.wait()
    result = subprocess.run(command, capture_output=True, timeout=LIMIT)
    if result.returncode != 0 or result.stderr:
        fail(seed, f"recover: {result.returncode}: {result.stderr.decode()}")


def check_sum(seed, name, added_up, counts, ended, unfinished):
    """Aggregated calls belong to no thread. A throttled call is counted when it begins."""
    low, high = (sum(bounds[i] for key, bounds in counts.items() if key[1] == name) for i in range(2))
    calls = added_up + sum(count for key, count in ended.items() if key[1] == name)
    still_open = sum(count for key, count in unfinished.items() if key[1] == name)
    if not low <= calls <= high or calls + still_open > high:
        fail(seed, f"{name}: {calls} calls and {still_open} open, expected {low} to {high}")


def compare(seed):
    traces = glob.glob("trace-*")
    counts = read_counts()
    if len(traces) > 1 or os.listdir(SPOOLS):
        fail(seed, f"left behind: {traces} {os.listdir(SPOOLS)}")
    text = gzip.open(traces[0], "rt").read() if traces else ""
    SEEN.update(option for option, part in WANTED.items() if part in text)
    workers = {tid: int(worker) for tid, worker in THREAD.findall(text)}
    ended, unfinished, seen = collections.Counter(), collections.Counter(), set()
    for name, is_open, tid, start_time in CALL.findall(text):
        (unfinished if is_open else ended)[workers[tid], name] += 1
        seen.add((name, tid, start_time))
    total = sum(ended.values()) + sum(unfinished.values())
    if len(seen) != total:
        fail(seed, f"{total} calls, but only {len(seen)} different ones")
    sums = collections.Counter()
    for name, count in ADDED_UP.findall(text):
        sums[name] += int(count)
    for name in FUNCTIONS if sums else ():
        check_sum(seed, name, sums[name], counts, ended, unfinished)
    for key, (low, high) in counts.items():
        if sums:
            continue
        if not low <= ended[key] <= high or not low <= ended[key] + unfinished[key] <= high:
            fail(seed, f"{key}: {ended[key]} ended and {unfinished[key]} open, expected {low} to {high}")
        callee = {"generation": "step", "step": "inner"}.get(key[1])
        if unfinished[key[0], callee] and not unfinished[key]:
            fail(seed, f"{key} is not shown as open, but what it called is")
    if traces:
        end = END.search(text)
        if not end or (int(end[1]), int(end[2] or 0), int(end[3])) != (total, sums.total(), 0):
            fail(seed, f"the end says {end and end.groups()}, there are {total} calls")
        if seed % 20 == 7:
            subprocess.run([*CHECK_TRACE, *traces], check=True)
        os.unlink(traces[0])
    return total + sums.total(), sum(unfinished.values())


def main():
    calls = opened = empty = 0
    for seed in range(TIMES):
        random.seed(seed)
        process = start(seed)
        kill_somewhere(process, seed)
        if MODE == "recover":
            recover(seed)
        found, unfinished = compare(seed)
        calls += found
        opened += unfinished
        empty += found == 0
    print(f"{MODE}: {TIMES} kills, {calls} calls, {opened} of them open, {empty} times before the first call")
    if empty == TIMES or opened == 0:
        sys.exit("the kills never hit a running call")
    for option in WANTED:
        if option in os.environ and option not in SEEN:
            sys.exit(f"no trace shows anything of {option}")


try:
    main()
finally:
    shutil.rmtree(SPOOLS)
