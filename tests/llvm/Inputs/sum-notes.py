"""Prints how many functions the notes of an object count: sum-notes.py SECTION, the raw bytes of
.note.dftrace."""

import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
total = 0
at = 0
while at < len(data):
    name_size, size, kind = struct.unpack_from("=III", data, at)
    name = data[at + 12 : at + 12 + name_size]
    if name != b"dftrace\0" or kind != 1:
        sys.exit(f"an unknown note at {at}: {name!r}, type {kind}")
    abi, functions = struct.unpack_from("=II", data, at + 12 + name_size)
    if abi != 5:
        sys.exit(f"ABI {abi}")
    total += functions
    at += 12 + name_size + (size + 3) // 4 * 4
print(total)
