"""What the traces of a run contain, and what was reported as missing."""

import collections
import glob
import json
import os
import re
import zlib

FUNCTION_EVENTS = "X"
LOST = re.compile(r"(\d+) (?:completed )?calls? (?:\w+ )?(?:were dropped|are missing|could not be written|were lost|are lost|not recorded)")
UNTRACED = re.compile(r"nothing was traced|only programs linked with the runtime are traced|not tracing|not traced|untraced|cannot start the control channel|calls of some are not recorded")


def read_text(path):
    """The text of a trace; the second value is false if the file ends within a gzip member."""
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(".gz"):
        return data.decode("utf-8", "replace"), True
    text = []
    while data:
        stream = zlib.decompressobj(31)
        try:
            text.append(stream.decompress(data))
        except zlib.error:
            return b"".join(text).decode("utf-8", "replace"), False
        if not stream.eof:
            return b"".join(text).decode("utf-8", "replace"), False
        data = stream.unused_data
    return b"".join(text).decode("utf-8", "replace"), True


class Traces:
    """All traces below one prefix, added up."""

    def __init__(self, prefix):
        self.calls = collections.Counter()
        self.told = 0  # calls that end events say are missing
        self.paths = sorted(glob.glob(prefix + "-*.pfw*"))
        self.broken = []
        self.empty = []
        for path in self.paths:
            self.add(path)

    def add(self, path):
        text, whole = read_text(path)
        events, told = 0, self.told
        if not whole:
            self.broken.append(os.path.basename(path))
        for line in text.splitlines():
            if len(line) < 3:
                continue
            try:
                event = json.loads(line)
            except ValueError:
                self.broken.append(os.path.basename(path))
                break
            events += self.add_event(event)
        if events == 0 and self.told == told:
            self.empty.append(os.path.basename(path))

    def add_event(self, event):
        name, args = event.get("name", ""), event.get("args", {})
        if event.get("cat") == "dftrace":
            if name == "end":
                self.told += args.get("dropped", 0) + args.get("lost", 0)
            return 0
        if event.get("ph") == FUNCTION_EVENTS:
            self.calls[name] += 0 if args.get("unfinished") else 1
            return 1
        if event.get("ph") == "C" and name.startswith("calls of "):
            self.calls[name[len("calls of "):]] += args.get("count", 0)
            return 1
        return 0


def told_on(stderr):
    """Calls that are reported as permanently missing."""
    return sum(int(number) for line in stderr.splitlines() if "dftrace recover" not in line for number in LOST.findall(line))
