import mmap
import struct
import sys

with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 16)


def count(number):
    memory[0:8] = struct.pack("<Q", number)


def items():
    number = 0
    while True:
        number += 1
        memory[8:16] = struct.pack("<Q", number)
        yield number


for item in items():
    count(item)
