"""The table of calls and errors in docs/RELIABILITY.md: made from a run, and compared with one."""

import collections
import re

from plausible import ERRORS, LATE, PROGRAMS_OWN, SHORT

BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"
ROLES = ["runtime", "writer", "control", "run", "run-child", "host", "recover", "report", "ctl"]
COLUMNS = [
    ("no space", {"ENOSPC", "EDQUOT", "EFBIG"}),
    ("I/O", {"EIO", "EFAULT"}),
    ("interrupted", {"EINTR", "EAGAIN", "ECONNABORTED"}),
    ("descriptors", {"EMFILE", "ENFILE"}),
    ("memory", {"ENOMEM"}),
    ("refused", {"EACCES", "EPERM", "ENOENT", "ESRCH", "EBUSY", "EEXIST", "ENOTTY", "ENOLCK", "EADDRINUSE", "ECONNREFUSED",
                 "ECONNRESET", "EPIPE", "ENOTCONN"}),
    ("unsupported", {"ENOSYS", "EOPNOTSUPP", "EINVAL"}),
    ("short", {SHORT}),
    ("late", {LATE}),
]
LETTERS = {"nothing": "–", "message": "M", "counted": "C", "spool": "S", "untraced": "U", "refused": "R", "reduced": "D",
           "FINDING": "**!**"}
SOMETIMES = "Made only after another call has failed or taken long:"


def belongs(role, call):
    return call in ERRORS and (role, call) not in PROGRAMS_OWN


def cell(campaign, role, call, errors):
    kinds = collections.Counter()
    for error in errors:
        kinds.update(campaign.outcomes.get((role, call, error), {}))
    return " ".join(letter for kind, letter in LETTERS.items() if kinds[kind])


def render(campaign):
    """One row for each call that can fail, by role, and a list of those that only some runs make."""
    lines = ["| where | call | " + " | ".join(name for name, _ in COLUMNS) + " |", "| --- " * (len(COLUMNS) + 2) + "|"]
    sometimes = []
    for role in ROLES:
        rows = sorted(call for whose, call in campaign.made if whose == role and belongs(whose, call))
        rest = sorted(call for whose, call in campaign.seen - campaign.made if whose == role and belongs(whose, call))
        lines += ["| " + " | ".join([role, f"`{call}`"] + [cell(campaign, role, call, errors) for _, errors in COLUMNS]) + " |"
                  for call in rows]
        sometimes += [f"- {role}: " + ", ".join(f"`{call}`" for call in rest)] if rest else []
    return "\n".join(lines + ["", SOMETIMES, ""] + sometimes) + "\n"


def split(path):
    """The text before the table, the table and the text after it."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    table, after = rest.split(END)
    return before, table, after


def update(path, campaign):
    before, _, after = split(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + render(campaign) + END + after)


def compare(path, campaign):
    """Calls that the table lacks, and calls in it that are no longer made."""
    rows, _, sometimes = split(path)[1].partition("\n\n" + SOMETIMES + "\n\n")
    usual = set(re.findall(r"^\| ([\w-]+) \| `(\w+)`", rows, re.M))
    listed = usual | {(line[2:].split(":")[0], call) for line in sometimes.splitlines() for call in re.findall(r"`(\w+)`", line)}
    for role, call in sorted(campaign.made - listed):
        if belongs(role, call):
            yield f"the table lacks {call} of {role}; tests/faults/run --table --seconds 600 makes it anew"
    for call in sorted({call for _, call in usual} - {call for _, call in campaign.seen}):
        yield f"the table names {call}, which nobody calls"


def summarize(campaign):
    lines = [f"{'WHERE':10} {'CALL':20} {'ERROR':14} OUTCOMES"]
    for (role, call, error), kinds in sorted(campaign.outcomes.items()):
        lines.append(f"{role:10} {call:20} {error:14} " + ", ".join(f"{kind} {count}" for kind, count in kinds.items()))
    lines.append(f"{campaign.done} faults, {len(campaign.findings)} findings")
    return "\n".join(lines)
