#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what each kernel of AMD code objects takes of a compute unit; exits 1 where one spills to memory."""

import argparse
import re
import subprocess
import sys

from kernel_names import natural, readable

COLUMNS = ("vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes", "vgpr_spills",
           "sgpr_spills", "waves", "kernel")

# Of one CDNA 2 or 3 compute unit: SIMDs, waves a SIMD at most, VGPRs a lane, LDS in bytes.
SIMDS, MAX_WAVES, VGPRS, VGPR_GRANULE = 4, 8, 512, 8
# Scalar registers beyond the last are kept in lanes of a vector register, an instruction each and no
# memory. As many are allowed as two vector registers have lanes: CombinationsKernel<float, double> keeps 75.
SGPR_SPILLS = 128
LDS_BYTES = {"gfx90a": 64 << 10, "gfx942": 64 << 10, "gfx950": 160 << 10}


def notes(readelf, path):
    """The kernels of a code object: a dictionary of the figures of each."""
    text = subprocess.run([readelf, "--notes", path], check=True, capture_output=True, text=True)
    kernels = []
    for line in text.stdout.splitlines():
        if match := re.match(r"(  - |    )\.(\w+): +(\S+)$", line):
            if match[1] == "  - ":
                kernels.append({"file": path})
            if kernels:
                kernels[-1][match[2]] = match[3]
    return [kernel for kernel in kernels if "vgpr_count" in kernel]


def waves(kernel, arch):
    """Waves a SIMD can hold of this kernel, were it alone and its scratch only what is static."""
    vgprs = max(int(kernel["vgpr_count"]), 1)
    count = VGPRS // (-(-vgprs // VGPR_GRANULE) * VGPR_GRANULE)
    lds = int(kernel["group_segment_fixed_size"])
    if lds:
        team_waves = -(-int(kernel["max_flat_workgroup_size"]) // 64)
        count = min(count, max(1, LDS_BYTES[arch] // lds * team_waves // SIMDS))
    return min(count, MAX_WAVES)


def row(kernel, arch):
    return {
        "vgprs": int(kernel["vgpr_count"]),
        "agprs": int(kernel.get("agpr_count", 0)),
        "sgprs": int(kernel["sgpr_count"]),
        "lds_bytes": int(kernel["group_segment_fixed_size"]),
        "scratch_bytes": int(kernel["private_segment_fixed_size"]),
        "vgpr_spills": int(kernel["vgpr_spill_count"]),
        "sgpr_spills": int(kernel["sgpr_spill_count"]),
        "waves": waves(kernel, arch),
        "kernel": readable(kernel["demangled"]),
    }


def print_table(rows):
    heads = ("VGPR", "AGPR", "SGPR", "LDS B", "scratch B", "VGPR spills", "SGPR spills",
             "waves/SIMD", "kernel")
    print("  ".join(heads))
    for one in rows:
        cells = [str(one[name]).rjust(len(head)) for name, head in zip(COLUMNS[:-1], heads)]
        print("  ".join(cells + [one["kernel"]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code_objects", nargs="+")
    parser.add_argument("--arch", default="gfx90a", choices=LDS_BYTES)
    for tool in ("readelf", "cxxfilt", "objdump"):
        parser.add_argument(f"--{tool}", default=f"llvm-{tool}")
    parser.add_argument("--tsv", help="write the table, with a line of heads, to this file")
    parser.add_argument("--quiet", action="store_true", help="print only kernels that spill")
    parser.add_argument("--disassemble", metavar="RE", help="print these kernels' instructions")
    options = parser.parse_args()

    # Two files may instantiate the same kernel; by its name it is one.
    kernels = {k["name"]: k for path in options.code_objects for k in notes(options.readelf, path)}
    if not kernels:
        sys.exit("dev/device hip: no kernel in what was compiled")
    text = subprocess.run([options.cxxfilt], input="\n".join(kernels), check=True,
                          capture_output=True, text=True).stdout
    for kernel, demangled in zip(kernels.values(), text.splitlines()):
        kernel["demangled"] = demangled
    ours = [k for k in kernels.values() if "heddle::" in k["demangled"]]
    spilled = [k for k in kernels.values()
               if int(k["vgpr_spill_count"]) or int(k["sgpr_spill_count"]) > SGPR_SPILLS]

    rows = sorted((row(k, options.arch) for k in ours), key=lambda one: natural(one["kernel"]))
    if options.tsv:
        with open(options.tsv, "w", encoding="utf-8") as file:
            for line in [dict(zip(COLUMNS, COLUMNS)), *rows]:
                print(*(line[name] for name in COLUMNS), sep="\t", file=file)
    if not options.quiet:
        print_table(rows)
    if options.disassemble:
        for kernel in ours:
            if re.search(options.disassemble, readable(kernel["demangled"])):
                print(f"\n{readable(kernel['demangled'])}:")
                subprocess.run([options.objdump, "--disassemble-symbols=" + kernel["name"],
                                "--no-show-raw-insn", "--no-leading-addr", kernel["file"]],
                               check=True)

    scratch = sum(one["scratch_bytes"] > 0 for one in rows)
    print(f"{len(rows)} kernels of Heddle and {len(kernels) - len(rows)} of Kokkos for "
          f"{options.arch}: {len(spilled)} spill, {scratch} use scratch memory, at most "
          f"{max((one['vgprs'] for one in rows), default=0)} VGPRs and "
          f"{max((one['lds_bytes'] for one in rows), default=0)} bytes of LDS")
    if spilled:
        print("\nThese kernels spill registers; give them smaller teams, fewer teams "
              "resident, or fewer live values:")
        print_table([row(k, options.arch) for k in spilled])
        sys.exit(1)


if __name__ == "__main__":
    main()
