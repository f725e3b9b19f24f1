#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what each kernel takes of a multiprocessor, from what ptxas said; exits 1 where one spills."""

import argparse
import re
import subprocess
import sys

from kernel_names import natural, readable

COLUMNS = ("registers", "shared_bytes", "stack_bytes", "stored_bytes", "loaded_bytes", "warps", "kernel")
HEADS = ("registers", "shared B", "stack B", "spilled B", "read back B", "warps", "kernel")

# Of one multiprocessor: registers, warps at most; registers are given out eight a lane.
REGISTERS, MAX_WARPS, GRANULE, LANES = 65536, 64, 8, 32
# What a thread may spill: a few words cost less than one more team gains. This is clang's code: where it spills 72 bytes,
# HYB's sums of complex numbers, nvcc 13.0 spills none.
SPILLED_BYTES = 72


def notes(path):
    """The kernels of a file that ptxas compiled: a dictionary of the figures of each."""
    kernels = []
    with open(path + ".log", encoding="utf-8") as log:
        for line in log:
            if match := re.search(r"Compiling entry function '(\S+)'", line):
                kernels.append({"name": match[1], "file": path, "shared_bytes": 0})
            elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                                    r"(\d+) bytes spill loads", line):
                if kernels and "stack_bytes" not in kernels[-1]:
                    kernels[-1].update(zip(COLUMNS[2:5], map(int, match.groups())))
            elif match := re.search(r"Used (\d+) registers", line):
                kernels[-1]["registers"] = int(match[1])
                if shared := re.search(r"(\d+) bytes smem", line):
                    kernels[-1]["shared_bytes"] = int(shared[1])
    return kernels


def warps(registers):
    """Warps whose registers a multiprocessor holds."""
    of_warp = LANES * (-(-max(registers, 1) // GRANULE) * GRANULE)
    return min(MAX_WARPS, REGISTERS // of_warp)


def print_table(kernels):
    print("  ".join(HEADS))
    for kernel in kernels:
        cells = [str(kernel[name]).rjust(len(head)) for name, head in zip(COLUMNS[:-1], HEADS)]
        print("  ".join(cells + [kernel["kernel"]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code_objects", nargs="+")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--tsv", help="write the table, with a line of heads, to this file")
    parser.add_argument("--quiet", action="store_true", help="print only kernels that spill")
    parser.add_argument("--disassemble", metavar="RE", help="print these kernels' instructions")
    options = parser.parse_args()

    # Two files may instantiate the same kernel; by its name it is one.
    kernels = {k["name"]: k for path in options.code_objects for k in notes(path)}
    if not kernels:
        sys.exit("dev/device cuda: no kernel in what was compiled")
    text = subprocess.run(["c++filt"], input="\n".join(kernels), check=True, capture_output=True,
                          text=True).stdout
    for kernel, demangled in zip(kernels.values(), text.splitlines()):
        kernel["ours"] = "heddle::" in demangled
        kernel["kernel"] = readable(demangled)
        kernel["warps"] = warps(kernel["registers"])
    ours = sorted((k for k in kernels.values() if k["ours"]), key=lambda k: natural(k["kernel"]))
    spilled = [k for k in ours if k["stored_bytes"] > SPILLED_BYTES]

    if options.tsv:
        with open(options.tsv, "w", encoding="utf-8") as file:
            for line in [dict(zip(COLUMNS, COLUMNS)), *ours]:
                print(*(line[name] for name in COLUMNS), sep="\t", file=file)
    if not options.quiet:
        print_table(ours)
    if options.disassemble:
        for kernel in ours:
            if re.search(options.disassemble, kernel["kernel"]):
                print(f"\n{kernel['kernel']}:")
                subprocess.run(["cuobjdump", "-sass", "-fun", kernel["name"], kernel["file"]], check=True)

    few = [k for k in ours if k["stored_bytes"] or k["loaded_bytes"]]
    print(f"{len(ours)} kernels of Heddle and {len(kernels) - len(ours)} of others for {options.arch}: "
          f"{len(few)} spill, {len(spilled)} of them more than {SPILLED_BYTES} bytes a thread; at most "
          f"{max((k['registers'] for k in ours), default=0)} registers and "
          f"{max((k['shared_bytes'] for k in ours), default=0)} bytes of shared memory")
    if few:
        print("\nThese kernels spill registers; smaller teams, fewer teams resident, or fewer live values "
              "mend it:")
        print_table(few)
    return 1 if spilled else 0


if __name__ == "__main__":
    sys.exit(main())
