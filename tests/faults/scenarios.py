"""Short runs of everything that dftrace does, each with conditions that must hold whatever fails.

A scenario runs in an empty directory with the injector's arguments, and returns an outcome: a kind, and a text for people.
"""

import collections
import glob
import os
import re
import shutil
import subprocess

from traces import UNTRACED, Traces, told_on

Outcome = collections.namedtuple("Outcome", "kind text")

# Acceptable outcomes. docs/RELIABILITY.md describes what the user sees, under the same names.
NOTHING, MESSAGE, COUNTED, SPOOL, UNTRACED_KIND, REFUSED, REDUCED = (
    "nothing", "message", "counted", "spool", "untraced", "refused", "reduced")
FINDING = "FINDING"

CALLS = {"leaf": 6000, "sampled": 50, "small": 300, "with_text": 20, "in_thread": 500}
CHILDS_CALLS = {"in_child": 200}
STATUS = 7
SECONDS = 40  # only a hang takes that long
SIGNALS = {"kill": 9, "signal": 15}


class Place:
    """A directory for one run; spools have a directory of their own in it."""

    def __init__(self, path):
        self.path = path
        self.prefix = os.path.join(path, "t")
        self.spools = os.path.join(path, "spools")
        self.log = os.path.join(path, "log")
        os.makedirs(self.spools)

    def left_spools(self):
        return sorted(glob.glob(self.spools + "/**", recursive=True))[1:]

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Log:
    """What the injector saw."""

    def __init__(self, path, names):
        self.counts, self.hits, self.died, self.hangs = {}, [], [], []
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[0] == "count":
                    self.counts[words[1], names[int(words[2])]] = int(words[3])
                elif words[0] == "hit":
                    self.hits.append(words[1:])
                elif words[0] == "died":
                    self.died.append(int(words[2]))
                elif words[0] == "hang":
                    self.hangs.append(line.strip())


class Setup:
    """The programs under test, and how to run them."""

    def __init__(self, build, work, names):
        self.build, self.work, self.names = build, work, names
        self.dftrace = os.path.join(build, "bin", "dftrace")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DFTRACER_")}
        self.environment["LC_ALL"] = "C"

    def file(self, name):
        return os.path.join(self.work, name)

    def inject(self, place, fault, command, seconds=SECONDS):
        return [self.file("inject"), "-o", place.log, "-t", str(seconds), *fault, *command]

    def run(self, command, environment=None, **more):
        result = subprocess.run(command, env={**self.environment, **(environment or {})}, capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, check=False, **more)
        result.stderr = re.sub(re.escape(self.work) + r"/fault-\w+", "DIR", result.stderr)
        return result

    def options(self, place, **more):
        return {"DFTRACER_ENABLE": "1", "DFTRACER_LOG_FILE": place.prefix, "DFTRACER_SPOOL_DIR": place.spools,
                **{"DFTRACER_" + name: value for name, value in more.items()}}

    def log(self, place):
        return Log(place.log, self.names)


def finding(text, stderr=""):
    return Outcome(FINDING, text + (": " + " | ".join(stderr.strip().splitlines()[-4:]) if stderr.strip() else ""))


def messages(stderr):
    return [line for line in stderr.splitlines() if line.startswith("dftrace")]


def judge_processes(log, way):
    """Nothing hangs, nothing crashes."""
    if log.hangs:
        return finding("hangs: " + "; ".join(log.hangs))
    unexpected = [number for number in log.died if number != SIGNALS.get(way)]
    return finding(f"ended by signal {unexpected}") if unexpected else None


def is_whole(missing, calls):
    """Whether the missing calls are those of whole processes."""
    counts = {missing.get(name, 0) / count for name, count in calls.items()}
    return len(counts) == 1 and counts.pop().is_integer()


def judge_traces(setup, place, stderr, expected, quiet):
    """Every completed call is in a trace, or reported as missing; nothing is left without a message."""
    spools = place.left_spools()
    recovered = ""
    if spools:
        if not any(os.path.basename(path) in stderr for path in spools):
            return finding("left without a word: " + " ".join(os.path.relpath(path, place.path) for path in spools), stderr)
        recovery = setup.run([setup.dftrace, "recover", place.spools])
        recovered = recovery.stdout + recovery.stderr
        if place.left_spools():
            return finding("recover left " + " ".join(map(os.path.basename, place.left_spools())), stderr + recovered)
    traces = Traces(place.prefix)
    if traces.broken:
        return finding("broken: " + " ".join(traces.broken), stderr + recovered)
    if traces.empty:
        return finding("without a call: " + " ".join(traces.empty), stderr + recovered)
    invented = {name: count - expected.get(name, 0) for name, count in traces.calls.items() if count > expected.get(name, 0)}
    if invented:
        return finding(f"invented calls: {invented}", stderr + recovered)
    missing = {name: count - traces.calls[name] for name, count in expected.items() if count > traces.calls[name]}
    count = sum(missing.values())
    if count == 0:
        if spools:
            return Outcome(SPOOL, recovered.strip())
        return Outcome(MESSAGE, " | ".join(quiet(stderr))) if quiet(stderr) else Outcome(NOTHING, "")
    told = max(traces.told, told_on(stderr + recovered))
    if told == count:
        return Outcome(COUNTED, " | ".join(quiet(stderr)))
    if UNTRACED.search(stderr):  # a process is traced completely or not at all
        if is_whole(missing, CALLS) and is_whole(missing, CHILDS_CALLS) or missing == expected:
            return Outcome(UNTRACED_KIND, " | ".join(quiet(stderr)))
    return finding(f"{count} calls are missing, {told} of them told: {missing}", stderr + recovered)


class Program:
    """A traced program that ends in some way: linked with the runtime, or below `dftrace run`."""

    def __init__(self, name, program="calls", way="exit", run=False, **options):
        self.name, self.program, self.way, self.run, self.options = name, program, way, run, options
        self.usual = None

    def command(self, setup, place):
        program = [setup.file(self.program), self.way]
        if not self.run:
            return program
        return [setup.dftrace, "run", "--no-report", "-o", place.prefix, "-e", "SPOOL_DIR=" + place.spools, *program]

    def expected(self):
        once = {**CALLS, **CHILDS_CALLS}
        return {name: 2 * count for name, count in once.items()} if self.way == "exec" else once

    def quiet(self, stderr):
        """Messages that are not in every run."""
        plain = [re.sub(r"\d+(-\d)?", "#", line) for line in messages(self.usual or "")]
        return [line for line in messages(stderr) if re.sub(r"\d+(-\d)?", "#", line) not in plain]

    def perform(self, setup, place, fault):
        environment = {} if self.run else setup.options(place)
        environment.update({"DFTRACER_" + name: value.format(work=setup.work) for name, value in self.options.items()})
        result = setup.run(setup.inject(place, fault, self.command(setup, place)), environment)
        if not fault:
            self.usual = result.stderr
        log = setup.log(place)
        outcome = judge_processes(log, self.way)
        if not outcome:
            outcome = self.judge(setup, place, result)
        return log, outcome

    def judge(self, setup, place, result):
        signal_number = SIGNALS.get(self.way)
        status = -signal_number if signal_number else STATUS
        output = "child 3\n" * (2 if self.way == "exec" else 1)
        if self.run and result.returncode in (125, 126, 127) and result.stdout == "":
            if not messages(result.stderr):
                return finding("not started, without a word")
            if place.left_spools():
                return finding("not started, but left " + " ".join(place.left_spools()), result.stderr)
            return Outcome(REFUSED, " | ".join(messages(result.stderr)))
        if result.returncode != status or result.stdout != output:
            return finding(f"status {result.returncode}, stdout {result.stdout!r}", result.stderr)
        if self.way == "kill" and not self.run:  # no process is left to say that a spool stays
            result.stderr += "".join(map(os.path.basename, place.left_spools()))
        return judge_traces(setup, place, result.stderr, self.expected(), self.quiet)


class Recovery:
    """`dftrace recover` of what a killed program left behind."""

    name = "recover"

    def perform(self, setup, place, fault):
        setup.run([setup.file("calls"), "kill"], setup.options(place))
        left = len(place.left_spools())
        result = setup.run(setup.inject(place, fault, [setup.dftrace, "recover", place.spools]))
        log = setup.log(place)
        outcome = judge_processes(log, "")
        if not outcome:
            outcome = self.judge(setup, place, result, left)
        return log, outcome

    def judge(self, setup, place, result, left):
        if left == 0:
            return finding("the killed program left no spool")
        if result.returncode < 0:
            return finding(f"status {result.returncode}", result.stderr)
        failed = result.returncode != 0
        if failed and not messages(result.stderr):
            return finding(f"status {result.returncode} without a word", result.stdout)
        if not failed and place.left_spools() and not messages(result.stderr):
            return finding("succeeded, but left " + " ".join(map(os.path.basename, place.left_spools())), result.stdout)
        told = messages(result.stderr)
        hint = "".join(map(os.path.basename, place.left_spools()))
        outcome = judge_traces(setup, place, result.stderr + hint, {**CALLS, **CHILDS_CALLS}, lambda text: told)
        if outcome.kind == SPOOL:
            return Outcome(SPOOL, " | ".join(told))
        return outcome


def without_frames(text):
    """The table of --functions without its FRAME column, which has values only if the executable can be read."""
    lines = text.splitlines()
    column = re.search(r"FRAME +", lines[0]) if lines else None
    return [line[:column.start()] + line[column.end():] for line in lines] if column else lines


class Report:
    """`dftrace report` of a trace: its usual output, or an error."""

    def __init__(self, name, *arguments):
        self.name, self.arguments, self.usual = name, arguments, None

    def perform(self, setup, place, fault):
        command = [setup.dftrace, "report", *self.arguments, setup.file("report.pfw.gz")]
        result = setup.run(setup.inject(place, fault, command), cwd=place.path)
        if not fault:
            self.usual = result.stdout
        log = setup.log(place)
        return log, judge_processes(log, "") or self.judge(place, result)

    def judge(self, place, result):
        left = [name for name in os.listdir(place.path) if name not in ("spools", "log")]
        if left:
            return finding("left " + " ".join(left))
        if result.returncode != 0:
            told = messages(result.stderr)
            return Outcome(REFUSED, " | ".join(told)) if told else finding(f"status {result.returncode} without a word")
        if without_frames(result.stdout) == without_frames(self.usual) and result.stdout != self.usual:
            return Outcome(REDUCED, "sizes of stack frames are missing")
        if result.stdout != self.usual:
            told = messages(result.stderr)
            return Outcome(MESSAGE, " | ".join(told)) if told else finding("status 0, but another output", result.stdout[:200])
        return Outcome(MESSAGE, result.stderr.strip()) if messages(result.stderr) else Outcome(NOTHING, "")


class Control:
    """A program that is asked by `dftrace ctl` to record; `target` names what is injected into: `program`, or a request."""

    REQUESTS = ("on", "status", "flush", "set", "off")

    def __init__(self, name, target):
        self.name, self.target = name, target

    def ask(self, setup, place, fault, pid, request):
        command = [setup.dftrace, "ctl", pid, request] + ([setup.file("calls.allow")] if request == "set" else [])
        if self.target == request:
            command = setup.inject(place, fault, command)
        return setup.run(command)

    def perform(self, setup, place, fault):
        command = [setup.file("calls"), "serve"]
        if self.target == "program":
            command = setup.inject(place, fault, command, 4 * SECONDS)  # each request may run into its time limit
        program = subprocess.Popen(command, env={**setup.environment, **setup.options(place, ENABLE="attach")}, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        answers = {}
        pid = program.stdout.readline().strip()
        for request in self.REQUESTS:
            answers[request] = self.ask(setup, place, fault, pid, request)
            if request in ("on", "off"):
                try:
                    program.stdin.write("c")
                    program.stdin.flush()
                except BrokenPipeError:
                    break  # the program has ended; its status is checked later
                program.stdout.readline()
        stdout, stderr = program.communicate()
        log = setup.log(place)
        return log, judge_processes(log, "") or self.judge(setup, place, program.returncode, stdout, stderr, answers)

    def judge(self, setup, place, status, stdout, stderr, answers):
        if status != STATUS or stdout != "end\n":
            return finding(f"status {status}, stdout {stdout!r}", stderr)
        for request, answer in answers.items():
            if answer.returncode < 0 or (answer.returncode and not answer.stderr.strip()):
                return finding(f"ctl {request}: status {answer.returncode} without a word", answer.stderr)
        failed = [request for request, answer in answers.items() if answer.returncode]
        traces = Traces(place.prefix)
        fewest = 0 if "on" in failed else 100
        most = 200 if "off" in failed else 100
        told = [line for answer in answers.values() for line in answer.stderr.splitlines()]
        if fewest <= traces.calls["leaf"] <= most:
            expected = {"leaf": traces.calls["leaf"]}
        else:
            expected = {"leaf": fewest}
        outcome = judge_traces(setup, place, stderr, expected, messages)
        if outcome.kind in (NOTHING, MESSAGE) and failed:
            return Outcome(REFUSED, " | ".join(told))
        return outcome


SCENARIOS = [
    Program("linked"),
    Program("linked-_exit", way="_exit"),
    Program("linked-signal", way="signal"),
    Program("linked-exec", way="exec"),
    Program("linked-small", SPOOL_MAX="128k", WRITE_BUFFER_SIZE="64k"),
    Program("fallback", program="calls-cyg", ALLOWLIST="{work}/calls.allow"),
    Program("run", program="calls-bare", run=True),
    Program("run-kill", program="calls-bare", way="kill", run=True),
    Program("run-exec", program="calls-bare", way="exec", run=True),
    Control("attach", "program"),
    Control("ctl-on", "on"),
    Control("ctl-flush", "flush"),
    Control("ctl-set", "set"),
    Recovery(),
    Report("report"),
    Report("report-json", "--json"),
    Report("report-functions", "--functions"),
]
