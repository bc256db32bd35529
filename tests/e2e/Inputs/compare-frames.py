"""Compares sizes of frames in a list of functions with what readelf finds in the executable.

usage: compare-frames.py FUNCTIONS.json EXECUTABLE NAME...
"""

import json
import re
import subprocess
import sys


def read_sizes(executable):
    """By name: the largest offset of the stack pointer in the rows of its function."""
    symbols = subprocess.run(["readelf", "-W", "-s", executable], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {}
    for line in symbols.splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[3] == "FUNC":
            names[int(fields[1], 16)] = fields[7]
    frames = subprocess.run(
        ["readelf", "-W", "--debug-dump=frames-interp", executable], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    sizes, name = {}, None
    for line in frames.splitlines():
        begin = re.search(r"FDE .*pc=([0-9a-f]+)\.\.", line)
        if begin:
            name = names.get(int(begin.group(1), 16))
            sizes[name] = 8  # a function that never moves the stack pointer has no rows
        row = re.match(r"[0-9a-f]{16} rsp\+(\d+)", line)
        if row and name in sizes:
            sizes[name] = max(sizes[name], int(row.group(1)))
    return sizes


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        told = {f["function"]: f.get("frame_bytes") for f in json.load(file)["functions"]}
    expected = read_sizes(sys.argv[2])
    for name in sys.argv[3:]:
        if told[name] is None or told[name] != expected[name]:
            sys.exit(f"{name}: told {told[name]}, the file has {expected[name]}")
        print(name, told[name])


main()
