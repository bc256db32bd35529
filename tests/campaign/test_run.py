"""Checks that the campaign notices lost, invented and dropped calls: compares artificial ledgers with artificial traces."""

import gzip
import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run")
LOADER = importlib.machinery.SourceFileLoader("campaign_run", PATH)
RUN = importlib.util.module_from_spec(importlib.util.spec_from_loader("campaign_run", LOADER))
LOADER.exec_module(RUN)

CALL = '{"name":"leaf","cat":"FUNC","ph":"X","pid":7,"args":{"file":"a.c","line":1%s},"tid":8,"dur":1.000,"ts":2.000}'
END = '{"name":"end","cat":"dftrace","ph":"X","pid":7,"tid":7,"ts":9.000,"dur":0.000,"args":{"num_events":1,"dropped":%d}}'


def compare(slot, ended, unfinished, dropped=0, may_drop=False):
    """What the campaign says of one thread with this slot and of a trace with this number of calls."""
    place = RUN.Place()
    try:
        with open(place.ledger, "r+b") as file:
            file.write(RUN.LEDGER_HEADER.pack(1, 0, 0, 0, 0, 0, 0, 0))
            file.write(RUN.LEDGER_SLOT.pack(7, 8, *slot, *[0] * (7 - len(slot))))
        lines = [CALL % ""] * ended + [CALL % ',"unfinished":true'] * unfinished + [END % dropped]
        with gzip.open(os.path.join(place.path, "trace-storm-7.pfw.gz"), "wt") as file:
            file.write("[\n" + "\n,\n".join(lines) + "\n]")
        RUN.Campaign.compare(None, place, may_drop, RUN.Totals())
        return "fine"
    except RUN.Finding as finding:
        return str(finding).split(":")[0]
    finally:
        place.remove()


# slot: begun, ended, over, inherited, left
CASES = [
    ("fine", compare((10, 10, 1), 10, 0)),
    ("fine", compare((11, 10, 0), 10, 1)),
    ("fine", compare((11, 10, 0), 11, 0)),
    ("fine", compare((11, 10, 0), 10, 0)),
    ("calls are lost", compare((11, 10, 0), 9, 1)),
    ("calls are lost", compare((10, 10, 1), 9, 0)),
    ("calls are lost", compare((11, 10, 1), 10, 0)),
    ("calls are invented", compare((10, 10, 1), 11, 0)),
    ("calls are invented", compare((11, 10, 0), 11, 1)),
    ("fine", compare((1, 0, 1, 1), 0, 0)),
    ("fine", compare((3, 2, 1, 1), 2, 1)),
    ("calls are invented", compare((3, 2, 1, 1), 2, 2)),
    ("fine", compare((3, 2, 1, 1, 1), 2, 2)),
    ("fine", compare((10, 10, 1), 8, 0, dropped=2, may_drop=True)),
    ("2 calls were dropped although nothing was to be", compare((10, 10, 1), 8, 0, dropped=2)),
    ("calls are lost", compare((10, 10, 1), 7, 0, dropped=2, may_drop=True)),
]
WRONG = [f"case {number}: expected {expected!r}, found {found!r}" for number, (expected, found) in enumerate(CASES) if expected != found]
print("\n".join(WRONG) or f"{len(CASES)} cases")
sys.exit(1 if WRONG else 0)
