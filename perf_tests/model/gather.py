#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures matrices on this machine, learns from them, and judges what was learned.

    heddle-bench train --minutes 20        # which runs this

Every matrix is a run of heddle-bench of its own, whose result is a file of the folder: what was
measured stays when this is stopped, and the same command goes on from there. Products and solves
with lower triangles are measured in turn, and matrices come in turn from the sets, so that few of
them cover what matters. Then train.py makes the model."""
import argparse
import hashlib
import itertools
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
# Sets that are measured in turns: two matrices of the model's set for one of each other.
SETS = {"spmv": ("model", "generated-fit", "model", "generated-judge"),
        "sptrsv": ("model-triangles", "generated-fit", "model-triangles", "generated-judge")}
KINDS = {"products": "spmv", "triangles": "sptrsv"}
NOT_SQUARE = "rectangular:"
sys.path.insert(0, HERE)


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(2)  # bad input: heddle-bench's exit codes


def texts_of(name):
    path = os.path.join(HERE, "..", "sets", name + ".txt")
    try:
        with open(path if os.path.exists(path) else name) as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except OSError as error:
        fail(f"no set of matrices {name}: {error.strerror}")
    return [line for line in lines if ":" in line]


def in_turn(sets):
    """One of each set after the other, each matrix once."""
    left = {name: iter(texts_of(name)) for name in sets}
    seen = set()
    for name in itertools.cycle(sets):
        if not left:
            return
        text = next(left[name], None) if name in left else None
        if text is None:
            left.pop(name, None)
        elif text not in seen:
            seen.add(text)
            yield text


def lanes_of_blocks(bench):
    """Schemes that lanes of csr/blocks are learned from: on a GPU."""
    listed = subprocess.run([bench, "list"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"csr/blocks\S*\[lanes=([0-9|]+)\]", listed or "")
    return [f"csr/blocks,lanes={lanes}" for lanes in found.group(1).split("|")] if found else []


def words_of(options, operation):
    """What every run of an operation has in common; "auto" is one of all of sptrsv's schemes."""
    lanes = options.lanes if operation == "spmv" else []
    return ["--scheme", "all", *lanes, "--baseline", "none", "--no-verify", "--budget", str(options.budget), "--scalar",
            options.scalar, "--offset", "32", "--columns", str(options.columns), "--layout", options.layout]


def sources_of(options, operation):
    """What to run, the most useful first: words of a command line."""
    texts = in_turn(options.sets or SETS[operation])
    if operation == "sptrsv":
        texts = (text for text in texts if not text.startswith(NOT_SQUARE))
    files = [("--matrix", path) for path in options.matrix]
    return [(operation, *source) for source in (*files, *(("--generate", text) for text in texts))]


def in_pairs(lists):
    """One of each list after the other, until all have ended."""
    rounds = itertools.zip_longest(*lists)
    return [one for of_round in rounds for one in of_round if one]


def name_of(source, options):
    # Names of products omit the operation, so that old folders can be used.
    known = source[1:] if source[0] == "spmv" else source
    return hashlib.sha256(repr((known, words_of(options, source[0]))).encode()).hexdigest()[:16]


def measure(options, source, path):
    """Whether it went well; then the result stands at path, whole."""
    began = path + ".begun"
    command = [options.bench, *source, *words_of(options, source[0]), "--json", began]
    # Small arrays for the machine's own figures, which are not used here: the usual ones take seconds a run.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={"HEDDLE_BENCH_ARRAY_MB": "1", **os.environ})
    if done.returncode == 0 and os.path.exists(began):
        os.replace(began, path)
        return True
    print(f"{source[-1]}: heddle-bench ended with {done.returncode}: "
          f"{done.stderr.decode(errors='replace').strip()[-300:]}", file=sys.stderr)
    return False


def gather(options):
    """The results that are there, after those that the time allows were added."""
    os.makedirs(options.folder, exist_ok=True)
    options.lanes = lanes_of_blocks(options.bench) if "products" in options.kinds else []
    sources = in_pairs([sources_of(options, KINDS[kind]) for kind in options.kinds])
    end = time.monotonic() + 60 * options.minutes
    results, new = [], 0
    try:
        for source in sources:
            path = os.path.join(options.folder, name_of(source, options) + ".json")
            if os.path.exists(path):
                results.append(path)
            elif time.monotonic() < end and measure(options, source, path):
                results.append(path)
                new += 1
                print(f"\r{len(results)} of {len(sources)} matrices, "
                      f"{max(0, end - time.monotonic()) / 60:.1f} minutes left ", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        fail(f"\nstopped; {new} new results are kept in {options.folder}: the same command goes on from there")
    print(f"\n{new} measured, {len(results) - new} from before, of {len(sources)}", file=sys.stderr)
    return results


def try_out(options, operation, model):
    command = [options.bench, operation, "--generate", "grid2d:300", "--scheme", "auto", "--baseline", "none", "--no-verify",
               "--scalar", options.scalar, "--columns", str(options.columns), "--layout", options.layout, "--model", model]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        fail(f"heddle-bench {operation} does not take {model}")


def main():
    parser = argparse.ArgumentParser(prog="heddle-bench train", description=__doc__.split("\n")[0])
    parser.add_argument("--bench", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=20, help="of measuring, beside what is there already (20)")
    parser.add_argument("--folder", default="heddle-train", help="what keeps the results (heddle-train)")
    parser.add_argument("--of", dest="kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="(both)")
    parser.add_argument("--set", dest="sets", nargs="+", help="of generated matrices, names or files")
    parser.add_argument("--matrix", nargs="+", default=[], help="files of your own, which are measured first")
    parser.add_argument("--scalar", default="double")
    parser.add_argument("--columns", type=int, default=1)
    parser.add_argument("--layout", default="left")
    parser.add_argument("--budget", type=float, default=0.02, help="seconds of a scheme (0.02)")
    parser.add_argument("--gather-only", action="store_true", help="learn nothing")
    parser.add_argument("-o", "--output", help="the model (FOLDER.model)")
    options = parser.parse_args()
    if not options.gather_only:
        try:
            import sklearn  # noqa: F401, before minutes are spent
        except ImportError:
            fail("training needs scikit-learn (Debian: python3-sklearn; dev/sandbox --with report), "
                 "or --gather-only")
    results = gather(options)
    if options.gather_only:
        return
    import train

    output = options.output or options.folder.rstrip("/") + ".model"
    if not train.train(results, output):
        print("no model is made: on families left out the rules and formulas are better, or there is too little to learn from")
        return
    with open(output) as file:
        sections = {line.split()[0] for line in file}
    for operation, its in (("spmv", {"products", "blocks"}), ("sptrsv", {"triangles"})):
        if its & sections:
            try_out(options, operation, output)
    print(f"\n{output} is made: plans take it by options.model, heddle-bench by --model or HEDDLE_MODEL")


if __name__ == "__main__":
    main()
