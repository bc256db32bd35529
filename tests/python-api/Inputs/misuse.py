"""Mistakes: wrong types are explained; everything else is recorded as far as possible, or ignored."""

import threading

import dftrace


def refused(message, function, *arguments, **values):
    try:
        function(*arguments, **values)
    except TypeError as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"no TypeError: {message}")


def use_wrong_types():
    track = dftrace.track("track")
    refused("dftrace.region(): the name must be a str, not int", dftrace.region, 5)
    refused("dftrace.region(): the name must be a str, not function", dftrace.region, use_wrong_types)
    refused("dftrace.region(): the category must be a str or None, not bytes", dftrace.region, "r", b"IO")
    refused("dftrace.region(): the category was passed twice", dftrace.region, "r", "IO", category="IO")
    refused("dftrace.region() takes a name", dftrace.region)
    refused("dftrace.region() takes a name", dftrace.region, "r", "IO", 1)
    refused("dftrace.instant(): the name must be a str, not NoneType", dftrace.instant, None)
    refused("dftrace.instant() takes a name", dftrace.instant, n=1)
    refused("dftrace.counter(): the value must be a float, or an int of at most 64 bits, not str", dftrace.counter, "c", "1")
    refused("dftrace.counter_add(): the value must be a float, or an int", dftrace.counter_add, "c", 2**64)
    refused("dftrace.counter(): the unit must be a str or None, not int", dftrace.counter, "c", 1, 2)
    refused("dftrace.counter() takes a name and a value", dftrace.counter, "c")
    refused("dftrace.counter(): 'units' is no parameter", dftrace.counter, "c", 1, units="B")
    refused("dftrace.counter_add(): 'unit' is no parameter, or was passed twice", dftrace.counter_add, "c", 1, "B", unit="B")
    refused("dftrace.track(): the name must be a str, not list", dftrace.track, [])
    refused("dftrace.track(): the parent must be a Track or None, not str", dftrace.track, "t", "GPU")
    refused("dftrace.Track.begin(): the name must be a str, not int", track.begin, 5)
    refused("dftrace.Track.instant() takes a name", track.instant)
    refused("dftrace.flow_step(): the id must be an int that flow_begin() has returned, not str", dftrace.flow_step, "1")
    refused("dftrace.flow_end(): the id must be", dftrace.flow_end, -1)
    refused("dftrace.metadata(): the key must be a str, not int", dftrace.metadata, 1, 2)
    refused("dftrace.metadata() takes a key and a value", dftrace.metadata, "k")
    refused("dftrace.thread_name(): the name must be a str, not bytes", dftrace.thread_name, b"n")
    refused("dftrace.enable(): the name must be a str, not NoneType", dftrace.enable, None)
    refused("Region.set() takes only values with keys", dftrace.region("r").set, 1)
    refused("not the class Region", dftrace.region("r"), dftrace.Region)
    refused("not an object of type property", dftrace.region("r"), property())
    refused("not an object of type int", dftrace.region("r"), 5)
    for kind in (dftrace.Region, dftrace.Track):
        refused("cannot create", kind)


def use_out_of_order():
    region, other = dftrace.region("unbalanced"), dftrace.region("other")
    region.end()
    region.set(early=1)
    region.begin()
    region.begin()
    other.begin()
    region.end()  # also ends the other one, which is inside
    other.end()
    region.set(late=1)
    region.end()
    region.end()
    thread = threading.Thread(target=region.end)
    region.begin()
    thread.start()
    thread.join()
    region.set(still="open")
    region.end()
    dftrace.track("empty").end()
    for _ in range(5000):
        other.begin()
    for _ in range(5000):
        other.end()


def use_odd_texts():
    huge = "\u00e4" * 10_000_000
    dftrace.instant("huge value", text=huge, data=b"x" * 10_000_000, after=1)
    dftrace.instant(huge, huge)
    dftrace.region(huge, **{huge: huge}).begin()
    dftrace.region(huge).end()
    dftrace.instant("", "", **{"": ""})
    dftrace.instant("a\0b\udfff", "c\0d", **{"k\0\udc80": "v\0\udc80"})
    dftrace.thread_name("\0")
    dftrace.metadata("\0", huge)
    dftrace.counter("\0" * 5000, 1, "\0")


def use_odd_values():
    endless = []
    endless.append(endless)
    cyclic = {}
    cyclic["self"] = cyclic
    deep = None
    for _ in range(10_000):
        deep = [deep]
    dftrace.instant("endless", a=endless, b=cyclic)
    dftrace.instant("deep", a=deep)
    dftrace.instant("long", a=list(range(1_000_000)), b={n: n for n in range(100_000)})
    dftrace.instant("wide", **{f"key {n}": "value" * 1000 for n in range(1000)})
    dftrace.instant("floats", nan=float("nan"), inf=float("inf"), tiny=5e-324)
    dftrace.instant("empty", a=[], b={}, c=(), d="", e=b"")
    dftrace.counter("floats", float("nan"))


use_wrong_types()
use_out_of_order()
use_odd_texts()
use_odd_values()
