# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of kernels, from what a demangler makes of their symbols."""

import re


def arguments(text):
    """The top-level template arguments of text, which starts after the opening bracket."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        if character in "<({":
            depth += 1
        elif character in ">)}" and depth > 0:
            depth -= 1
        elif character in ",>" and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
            if character == ">":
                break
    return parts


def without_parentheses(text):
    kept, depth = [], 0
    for character in text:
        depth += character == "("
        if depth == 0:
            kept.append(character)
        depth -= character == ")"
    return "".join(kept)


def readable(name):
    """What tells a kernel apart: its functor, and the shape it is launched in."""
    name = name.replace("(anonymous namespace)::", "")
    if match := re.search(r"run_teams<", name):
        shape, functor = arguments(name[match.end():])[1:3]
        name = f"{functor} in {shape}"
    elif match := re.search(r"Parallel(?:For|Reduce|Scan|ScanWithTotal)<", name):
        name = arguments(name[match.end():])[0]
        if name.startswith("Kokkos::Impl::CombinedFunctorReducer<"):
            name = arguments(name.partition("<")[2])[0]
    name = without_parentheses(name)
    name = re.sub(r"::'lambda(\d*)'", lambda m: f" lambda {int(m[1] or -1) + 2}", name)
    name = re.sub(r"\b(heddle|Kokkos|std)::|\b(backends|Impl|Experimental)::", "", name)
    name = re.sub(r"^(void|double|float|int) ", "", name)
    return name.replace(" >", ">")


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]
