"""Makes Perfetto traces field by field, for tests of what reads them."""

import struct
import zlib


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """An integer, a float (as double), a text, bytes, or a list of fields (a message)."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, list):
        value = b"".join(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def packet(*fields):
    return field(1, list(fields))


def compressed(*packets):
    return packet(field(50, zlib.compress(b"".join(packets))))


def track(uuid, *fields):
    return packet(field(60, [field(1, uuid), *fields]))


def event(sequence, time, *fields, more=()):
    return packet(field(10, sequence), field(8, time), field(11, list(fields)), *more)
