# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For the page of each class: the header that a program includes, and an example from the guides.

Plans, solvers and preconditioners of namespace heddle must have one."""
import os
import re

NEEDS_EXAMPLE = re.compile(r".*(Plan|Solver|Preconditioner)$")


def public_headers(read):
    """{file of the tree: [NAME of <heddle/NAME>]}, the headers from which fewest includes lead to the file."""
    pairs = re.findall(r"^ +(\w+\.hpp)=([\w/.]+)", read("cmake/HeddleIncludeTree.cmake"), flags=re.M)
    nearest = {}
    for name, target in pairs:
        reached, front, steps = {target}, [target], 0
        while front:
            following = []
            for path in front:
                least, names = nearest.get(path, (steps + 1, []))
                if steps < least:
                    nearest[path] = (steps, [name])
                elif steps == least:
                    names.append(name)
                for included in re.findall(r'^#include "([^"]+)"', read(path), flags=re.M):
                    other = os.path.normpath(os.path.join(os.path.dirname(path), included))
                    if other.startswith(("core/", "formats/", "matrices/", "solvers/")) and other not in reached:
                        reached.add(other)
                        following.append(other)
            front, steps = following, steps + 1
    return {path: names for path, (_, names) in nearest.items()}


def classes_of(text):
    """Names of the classes that a header defines in a public namespace."""
    for part in re.split(r"^(?=namespace )", text, flags=re.M):
        space = re.match(r"namespace (heddle(?:::\w+)*) \{", part)
        if space and not re.search(r"::(detail|backends|files|passes)", space[1]):
            for name in re.findall(r"^(?:class|struct) (\w+)(?=[ \n][^;]*?\{)", part, flags=re.M):
                yield space[1] + "::" + name


def example_of(name, guides):
    """(page, block) of the guides' shortest block of C++ that names a class, in its own guide if that has one."""
    blocks = []
    for page, text in guides.items():
        for block in re.findall(r"^```cpp\n(.*?)^```$", text, flags=re.S | re.M):
            if re.search(r"\b%s\b" % name, block) and "int main" not in block:
                blocks.append((text.count(name) < 4, len(block), page, block))
    return min(blocks)[2:] if blocks else None


def comments(headers, guides, read, title_and_address):
    """Doxygen's comments, and faults: plans, solvers and preconditioners without an example."""
    nearest, faults, written = public_headers(read), [], []
    for path in headers:
        for name in classes_of(read(path)):
            names = nearest.get(path)
            if not names:
                continue
            short = name.rpartition("::")[2]
            lines = ["/** \\class %s" % name, "\\par Header",
                     " or ".join("<tt>\\<heddle/%s\\></tt>" % header for header in names)]
            example = example_of(name if name.count("::") > 1 else short, guides)
            if example:
                title, address = title_and_address(example[0])
                lines += ["\\par Example", 'From <a href="%s">%s</a>:' % (address, title), "\\code{.cpp}",
                          example[1].replace("*/", "").rstrip(), "\\endcode"]
            elif NEEDS_EXAMPLE.match(short) and name.count("::") == 1:
                faults.append("%s: no block of a guide shows %s" % (path, short))
            written.append("\n".join(lines + ["*/\n"]))
    return "".join(written), faults


def header_first(html):
    """The page of a class with header and example, which Doxygen puts last, before all other text."""
    shown = re.search(r'<dl class="section user"><dt>Header</dt>.*?</dl>\n'
                      r'(?:<dl class="section user"><dt>Example</dt>.*?</div><!-- fragment --> *</dd></dl>\n)?', html, flags=re.S)
    begin = re.search(r'<div class="textblock">(?:<div class="compoundTemplParams">.*?</div>)?', html, flags=re.S)
    if not shown or not begin or begin.end() > shown.start():
        return html
    return html[:begin.end()] + shown[0] + html[begin.end():shown.start()] + html[shown.end():]
