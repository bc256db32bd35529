#!/usr/bin/env python3
"""Writes a trace in Perfetto's format as other tools write it: plain, compressed, and cut or damaged in several ways."""

import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))

from protobuf_trace import compressed, event, field, fixed64, packet, track  # noqa: E402

BEGIN, END, INSTANT, COUNTER = (field(9, kind) for kind in (1, 2, 3, 4))
NESTED = [field(10, "deep"), field(11, [field(10, "list"), field(12, [field(4, -1)]), field(12, [field(2, 1)])]),
          field(11, [field(1, 1), field(6, "text")])]

parts = [
    # The process, a thread, a track of GPU work with one inside, two counters.
    track(1, field(3, [field(1, 7), field(6, "game")])),
    track(2, field(5, 1), field(4, [field(1, 7), field(2, 8), field(5, "render")])),
    track(3, field(5, 1), field(2, "GPU")),
    track(4, field(5, 3), field(2, "queue")),
    track(5, field(5, 1), field(2, "bytes read"), field(8, [field(3, 3), field(5, 1)])),
    track(6, field(5, 1), field(2, "load"), field(8, [field(6, "percent"), field(4, 2)])),
    track(9, field(5, 2), field(8, [field(1, 1)])),
    # Sequence 1: interned names, an incremental clock in microseconds, defaults.
    packet(field(10, 1), field(13, 1),
           field(6, [field(1, [field(1, 6), field(2, 1000000)]),
                     field(1, [field(1, 64), field(2, 5), field(3, 1), field(4, 1000)])]),
           field(59, [field(58, 64), field(11, [field(11, 2), field(31, 9)])]),
           field(12, [field(1, [field(1, 1), field(2, "rendering")]), field(2, [field(1, 1), field(2, "frame")]),
                      field(2, [field(1, 2), field(2, "draw")]), field(3, [field(1, 1), field(2, "interned key")]),
                      field(4, [field(1, 1), field(2, "render.cc"), field(4, 12)])])),
    event(1, 10, BEGIN, field(10, 1), field(3, 1), field(34, 1), field(12, 500),
          field(4, [field(10, "n"), field(3, 2**64 - 1)]), field(4, [field(1, 1), field(7, 0xbeef)]), field(4, NESTED),
          fixed64(47, 99)),
    event(1, 5, BEGIN, field(10, 2), field(3, 1)),
    event(1, 5, END),
    event(1, 5, INSTANT, field(23, "vsync"), field(22, "display"), field(4, [field(10, "rate"), field(5, 59.94)])),
    event(1, 75, END, field(12, 50500)),
    # Sequence 2: absolute times of the trace's clock, and nothing interned.
    event(2, 1010000, COUNTER, field(11, 5), field(30, 4)),
    event(2, 1020000, COUNTER, field(11, 5), field(30, 6)),
    event(2, 1020000, COUNTER, field(11, 6), field(44, 12.25)),
    event(2, 1030000, BEGIN, field(11, 4), field(23, "upload"), fixed64(48, 99)),
    event(2, 1040000, END, field(11, 4)),
    event(2, 1050000, BEGIN, field(11, 2), field(23, "never ends")),
    event(2, 1060000, INSTANT, field(11, 1), field(23, "whole process")),
]

# Counters of a process that wait for more values, while the next packet replaces the names that they have: by clearing all
# names of the sequence, and by giving the number of a name again.
NEW_NAMES = [packet(*fields) for fields in (
    [field(10, 3), field(60, [field(1, 1), field(3, [field(1, 7), field(6, "game")])])],
    [field(10, 3), field(60, [field(1, 2), field(5, 1), field(2, "load percent"), field(8, [field(6, "percent")])])],
    *([field(10, 3), field(13, flags), field(8, 1000 + at),
       field(12, [field(1, [field(1, 1), field(2, category)])]),
       field(11, [COUNTER, field(3, 1), field(11, 2), field(30, at)])]
      for at, (flags, category) in enumerate([(1, "dftrace"), (1, "another"), (2, "dftrace"), (2, "another")])))]


def write(name, content):
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(content)


os.makedirs(sys.argv[1], exist_ok=True)
plain = b"".join(parts)
write("plain.pftrace", plain)
write("compressed.pftrace", compressed(*parts[:9]) + compressed(*parts[9:]))
write("mixed.pftrace", b"".join(parts[:7]) + compressed(*parts[7:14]) + b"".join(parts[14:]))
write("gzip.pftrace.gz", gzip.compress(plain[:300]) + gzip.compress(plain[300:]))
write("cut.pftrace", plain[:-3])
write("garbage.pftrace", plain[:200] + b"\xff" * 40 + plain[200:])
damaged = bytearray(compressed(*parts))
damaged[len(damaged) // 2] ^= 0x55
write("damaged.pftrace", parts[0] + bytes(damaged))
write("short.pftrace", parts[0] + packet(field(50, b"\x78\x9c")))
write("new-names.pftrace", b"".join(NEW_NAMES))
