"""Says which of the secrets of omitted-parameters-are-not-recorded.c stand in files: find-secrets.py FILE..."""

import os
import re
import struct
import sys

SECRETS = {
    "open sesame": [b"open sesame"],
    "pin": [b"1592653589", struct.pack("=i", 1592653589)],
    "key": [b"2643383279", struct.pack("=I", 2643383279)],
}


def pattern(form):
    """In a spool, bytes that belong together stand in pieces with four zeros between them."""
    return b"(?:\0{4})?".join(re.escape(bytes([byte])) for byte in form)


def read_data(path):
    """What was ever written: a spool is mostly holes."""
    with open(path, "rb") as file:
        data, at, size = b"", 0, os.fstat(file.fileno()).st_size
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            data += os.pread(file.fileno(), end - at, at)
            at = end
    return data


for path in sys.argv[1:]:
    data = read_data(path)
    for name, forms in SECRETS.items():
        if any(re.search(pattern(form), data, re.DOTALL) for form in forms):
            print(f"{path}: {name}")
print("nothing else")
