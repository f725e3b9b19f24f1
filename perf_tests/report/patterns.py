# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of a matrix's pattern, as the JSON of heddle-bench has it, as one field of CSV, and back."""
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # a: one blank, Z: 52


def pack_pattern(lines):
    """Lines joined by /, a run of blanks as a letter, those at the end of a line left out."""
    packed = []
    for line in lines:
        text, blanks = "", 0
        for mark in line.rstrip():
            if mark == " " and blanks < len(LETTERS):
                blanks += 1
                continue
            if blanks:
                text += LETTERS[blanks - 1]
            blanks = 1 if mark == " " else 0
            text += "" if mark == " " else mark
        packed.append(text)
    return "%d:%s" % (len(lines[0]) if lines else 0, "/".join(packed))


def unpack_pattern(text):
    width, _, lines = text.partition(":")
    wide = ("".join(" " * (LETTERS.index(c) + 1) if c in LETTERS else c for c in line)
            for line in lines.split("/"))
    return [line.ljust(int(width)) for line in wide] if lines else []
