"""count_lines.py EXPECTED PATTERN: how many lines DFTracer's own reader sees. dftrace names threads; DFTracer does not."""

import glob
import gzip
import sys

traces = glob.glob(sys.argv[2])
lines = [line for path in traces for line in gzip.open(path, "rt") if '"name":"thread_name"' not in line]
assert len(lines) == int(sys.argv[1]), f"{len(lines)} lines, expected {sys.argv[1]}: {''.join(lines)}"
