"""Calls every function of dftrace, with values of every type."""

import enum
import sys

import dftrace


class Color(enum.IntEnum):
    RED = 3


class Odd:
    def __repr__(self):
        raise AssertionError("a value's repr was called")

    __str__ = __index__ = __len__ = __iter__ = __repr__


class Text(str):
    def __str__(self):
        raise AssertionError("a value's str was called")

    __repr__ = __str__


def use_regions():
    load = dftrace.region("load", "IO", path="a/b", size=1)
    with load as same:
        assert same is load
        with dftrace.region("inner"):
            pass
        load.set(bytes=123456789012345678, name="n", category="c")
    load.begin()
    load.end()
    with dftrace.region("keyword", category="TRAIN"):
        pass
    assert (load.name, load.category, dftrace.region("x").category) == ("load", "IO", None)


@dftrace.region("decorated", "IO", step=7)
def decorated(a, b=2):
    return a + b


def use_values():
    dftrace.instant("numbers", i=-1, big=2**64 - 1, bigger=-(2**64), huge=1 << 5000, f=0.5, t=True, e=Color.RED)
    dftrace.instant("texts", "CAT", s="text", u="\u00e4\u20ac\U0001f600", odd="a\udc80b", nul="a\0b", b=b"bytes", none=None,
                    sub=Text("sub"))
    dftrace.instant("nested", list=[1, "two", [True]], tuple=(1.5, None), dict={"a": 1, 2: {"b": [4]}, None: 3})
    dftrace.instant("others", object=Odd(), type=Odd, set={1}, complex=1j, of=[Odd()])
    dftrace.instant("name\0with \udc80")


def use_counters():
    dftrace.counter("loss", 0.5)
    dftrace.counter("memory", 4096, "bytes")
    dftrace.counter_add("read", 10, category="IO")
    dftrace.counter_add("read", 5, category="IO")
    dftrace.counter("heat", 71.5, unit="C", category="GPU")


def use_tracks():
    gpu = dftrace.track("GPU 0")
    copy = dftrace.track("copy queue", parent=gpu)
    copy.begin("upload", "COPY", bytes=4096)
    copy.instant("half", part=1)
    copy.end()
    gpu.begin("kernel")
    gpu.end()
    assert copy.name == "copy queue"


def use_flows():
    with dftrace.region("send"):
        flow = dftrace.flow_begin()
    with dftrace.region("work"):
        dftrace.flow_step(flow)
    with dftrace.region("receive"):
        dftrace.flow_end(flow)


def use_control():
    recorded = dftrace.is_tracing()
    assert recorded == (sys.argv[1] == "traced"), recorded
    dftrace.pause()
    assert not dftrace.is_tracing()
    dftrace.instant("paused")
    dftrace.resume()
    assert dftrace.is_tracing() == recorded
    dftrace.disable("IO")
    with dftrace.region("disabled", "IO"):
        pass
    dftrace.enable("IO")
    with dftrace.region("enabled", "IO"):
        pass
    dftrace.flush()


dftrace.thread_name("main thread")
use_regions()
assert decorated(1) == 3 and decorated(a=1, b=3) == 4
use_values()
use_counters()
use_tracks()
use_flows()
use_control()
dftrace.metadata("dataset", "imagenet")
dftrace.metadata("shape", [2, 3])
