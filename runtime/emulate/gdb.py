# SPDX-License-Identifier: MIT
"""Tiles of emulated kernels in gdb:  gdb -x `wscc --ws-print=gdb` ./prog

    print acc                      the corner of a tile in registers or in shared memory, as numbers
    ws-tile acc 8 64               the same from row 8, column 64 on
"""
import struct

import gdb

ROWS = COLUMNS = 8


def small_float(bits, exponent_bits, mantissa_bits, has_infinity):
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        if has_infinity:
            return float("nan") if mantissa else sign * float("inf")
        if mantissa == (1 << mantissa_bits) - 1:
            return float("nan")
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa * 2.0**-mantissa_bits) * 2.0 ** (exponent - bias)


NUMBERS = {
    "ws_f16": lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0],
    "ws_bf16": lambda bits: struct.unpack("<f", struct.pack("<I", bits << 16))[0],
    "ws_e4m3": lambda bits: small_float(bits, 4, 3, False),
    "ws_e5m2": lambda bits: small_float(bits, 5, 2, True),
}


def number(element):
    name = element.type.strip_typedefs().name
    if name in NUMBERS:
        return "%g" % NUMBERS[name](int(element["bits"]))
    return "%g" % float(element) if name in ("float", "double") else "%d" % int(element)


def is_tile(value):
    name = value.type.strip_typedefs().name or ""
    return name.startswith(("ws::tile<", "ws::shared_tile<"))


def corner(value, row, column):
    kind = value.type.strip_typedefs()
    element, rows, columns = (kind.template_argument(n) for n in range(3))
    rows, columns = int(rows), int(columns)
    place = value["at" if kind.name.startswith("ws::tile<") else "bytes"].address.cast(element.pointer())
    text = "%s, %d x %d" % (element, rows, columns)
    for r in range(row, min(row + ROWS, rows)):
        line = range(column, min(column + COLUMNS, columns))
        text += "\n  [%d,%d] %s" % (r, column, " ".join(number(place[r * columns + c]) for c in line))
    return text


class Printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if self.value.address is None:
            return "a tile that is in no memory"
        return corner(self.value, 0, 0)


class Tile(gdb.Command):
    """ws-tile TILE [ROW COLUMN]: its elements from there on."""

    def __init__(self):
        super().__init__("ws-tile", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (1, 3):
            raise gdb.GdbError("ws-tile TILE [ROW COLUMN]")
        value = gdb.parse_and_eval(words[0])
        if not is_tile(value):
            raise gdb.GdbError("%s is no tile" % words[0])
        row, column = (int(gdb.parse_and_eval(word)) for word in words[1:] or "00")
        print(corner(value, row, column))


Tile()
gdb.pretty_printers.append(lambda value: Printer(value) if is_tile(value) else None)
gdb.execute("set max-value-size unlimited")
