#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learns on one device how to choose, and judges what was learned.

    heddle-bench spmv --set model generated-fit generated-judge --scheme all --baseline none --json RUN.json
    heddle-bench sptrsv --set model-triangles generated-fit --scheme all --baseline none --json TRIANGLES.json
    perf_tests/model/train.py RUN.json TRIANGLES.json... -o DEVICE.model

Of products it learns by how much the formulas of `choose` are off: of each group of schemes, gradient boosted trees learn the logarithm of measured over predicted
seconds (scikit-learn; Debian: python3-sklearn). They are judged on families of matrices that they
have not seen: each generator, a fifth of the drawn matrices (irregular), and all files together are
left out in turn. The table says how much longer the scheme that comes first takes than the fastest
one that was measured: by the formulas, and as learned. Of the lanes of csr/blocks: lanes.py; of triangular solves: triangles.py. What is not better than the
formulas on families left out is not written. The same runs give the same model."""
import argparse
import collections
import json
import math
import os
import sys

import families
import lanes
import triangles

TREES = {"n_estimators": 40, "max_depth": 3, "learning_rate": 0.25, "min_samples_leaf": 6, "subsample": 0.8}
DRAWN = lanes.DRAWN  # the family that is left out in parts
SHARE, MARGIN = 0.8, 0.03  # weight of the trees' predictions, and the advantage that CSR gets
APPLIES = triangles.APPLIES  # applies that share a set-up, in the table
LEFT_OUT = ("tiled", "csb", lanes.PINNED)  # not in the default list of a plan, or not a candidate


class Sample:
    """A scheme on a matrix."""

    def __init__(self, matrix, contestant):
        self.name, self.group = matrix["name"], contestant["model_group"]
        self.seconds = contestant["time_seconds"]["median"]
        self.setup = (contestant["setup_seconds"] or {}).get("median") or 0.0
        self.scheme = contestant["name"]
        self.predicted = contestant["predicted_seconds"]
        inputs = matrix["model_inputs"] | contestant["model_inputs"]
        self.names, self.inputs = list(inputs), list(inputs.values())
        self.off = math.log(self.seconds / self.predicted)


def read(paths):
    """The matrices of all runs by operation, and what the runs have in common."""
    matrices, about = {"spmv": [], "sptrsv": []}, None
    for path in paths:
        with open(path) as file:
            run = json.load(file)
        settings = run["settings"]
        machine = run["machine"]
        its = (machine["device"], settings["scalar"], settings["columns"], settings["layout"], machine["multiprocessors"])
        if run["operation"] not in matrices or (about and its != about):
            sys.exit(f"{path}: is no run of spmv or sptrsv on the same device, threads, scalar and vectors as the others")
        about = its
        for matrix in run["matrices"]:
            if "model_inputs" not in matrix:
                sys.exit(f"{path}: was made by a heddle-bench that writes no inputs of a model")
        matrices[run["operation"]] += run["matrices"]
    return matrices, about


def samples_of(matrices):
    samples = []
    for matrix in matrices:
        for one in matrix["contestants"]:
            timed = one["kind"] == "scheme" and one["name"] != "auto" and one["time_seconds"]
            right = one["verdict"] in ("ok", "unverified") and not one["name"].startswith(LEFT_OUT)
            if timed and right and "model_group" in one:
                samples.append(Sample(matrix, one))
    return samples


class Fastest:
    """Of each matrix: the least seconds of an apply, and of so many with a set-up."""

    def __init__(self, samples):
        self.seconds = self.least(samples, lambda one: one.seconds)
        self.with_setup = {n: self.least(samples, lambda one: with_setup(one, n)) for n in APPLIES}

    @staticmethod
    def least(samples, takes):
        best = {}
        for one in samples:
            best[one.name] = min(takes(one), best.get(one.name, math.inf))
        return best


def learn(samples, best):
    """A regressor a group. What is far from the best of its matrix matters little: it is not taken."""
    from sklearn.ensemble import GradientBoostingRegressor

    groups = collections.defaultdict(list)
    for one in samples:
        groups[one.group].append(one)
    learned = {}
    for group, its in sorted(groups.items()):
        if len(its) < 25:
            continue
        weights = [0.03 + math.exp(-6 * (one.seconds / best.seconds[one.name] - 1)) for one in its]
        learned[group] = GradientBoostingRegressor(random_state=1, **TREES).fit(
            [one.inputs for one in its], [one.off for one in its], sample_weight=weights
        )
    return learned


def corrections(samples, best):
    """Of each sample, what a model says that has not seen its family."""
    said = {}
    for others, its in families.left_out_in_turn(samples, DRAWN):
        learned = learn(others, best)
        for one in its:
            known = one.group in learned
            said[one] = SHARE * learned[one.group].predict([one.inputs])[0] if known else 0.0
    return said


def with_setup(one, applies):
    return one.setup + applies * one.seconds


def regrets(samples, best, score):
    """By matrix: how much longer what has the least score takes than the best and than CSR's best, and than the best
    with its set-up, for each of APPLIES."""
    first, csr = {}, {}
    for one in samples:
        if one.name not in first or score(one) < score(first[one.name]):
            first[one.name] = one
        if one.group.startswith("csr"):
            csr[one.name] = min(one.seconds, csr.get(one.name, math.inf))
    return {m: (one.seconds / best.seconds[m], one.seconds / csr[m],
                *(with_setup(one, applies) / best.with_setup[applies][m] for applies in APPLIES))
            for m, one in first.items()}


def judge(samples, best):
    said = corrections(samples, best)
    csr_alone = [one for one in samples if one.group.startswith("csr")]

    def learned(one):
        margin = 1 if one.group.startswith("csr") else 1 + MARGIN
        return math.log(one.predicted * margin) + said[one]

    by = {
        "formulas": regrets(samples, best, lambda one: one.predicted),
        "learned": regrets(samples, best, learned),
        "formulas, CSR alone": regrets(csr_alone, best, lambda one: one.predicted),
        "always csr/adaptive": regrets([one for one in samples if one.scheme.startswith("csr/adaptive")], best,
                                       lambda one: one.seconds),
        "best of CSR": regrets(csr_alone, best, lambda one: one.seconds),
    }
    print("Products. How many times as long as the fastest: what comes first, of families that were left out of training. "
          "The last\nthree with its set-up, against the best for so many applies, in the mean.\n")
    table(by, families.kinds(samples, DRAWN), "behind CSR's best by over 5 %")
    return mean_of(by["learned"]) < mean_of(by["formulas"])


def mean_of(regrets, place=0):
    return math.exp(sum(math.log(r[place]) for r in regrets.values()) / len(regrets))


def table(by, kind, behind, applies=APPLIES):
    """Of regrets by matrix, and what kind that is."""
    print(f"| matrices | by | mean | worst | within 5 % | within 10 % | {behind} "
          + "".join(f"| {n} applies " for n in applies) + "|")
    print("| --- " * (7 + len(applies)) + "|")
    for part in ("all", *sorted(set(kind.values()))):
        for name, of in by.items():
            its = {m: r for m, r in of.items() if part in ("all", kind[m])}
            if not its:
                continue
            worst = max(r[0] for r in its.values())
            within = [sum(r[0] <= 1 + most for r in its.values()) for most in (0.05, 0.1)]
            shared = [f"{mean_of(its, 2 + k):.3f} | " for k in range(len(applies))]
            print(f"| {part}, {len(its)} | {name} | {mean_of(its):.3f} | {worst:.2f} | {within[0]} | {within[1]} "
                  f"| {sum(r[1] > 1.05 for r in its.values())} | " + "".join(shared).rstrip())


def lines_of_tree(tree, rate, first):
    """Nodes in scikit-learn's order, in which children stand behind their parents. The mean that the
    trees start from is part of the first one's leaves."""
    yield f"tree {tree.node_count}"
    for node in range(tree.node_count):
        if tree.children_left[node] < 0:
            yield f"-1 {rate * tree.value[node][0][0] + first:.6g}"
        else:
            yield (f"{tree.feature[node]} {tree.threshold[node]:.9g} "
                   f"{tree.children_left[node]} {tree.children_right[node]}")


def lines_of_products(learned, names):
    yield from ("products", f"share {SHARE}", f"margin {MARGIN}", "inputs " + " ".join(names))
    for group, regressor in learned.items():
        yield f"group {group} {len(regressor.estimators_)}"
        for place, (estimator,) in enumerate(regressor.estimators_):
            mean = float(regressor.init_.constant_[0][0]) if place == 0 else 0.0
            yield from lines_of_tree(estimator.tree_, regressor.learning_rate, mean)


def write(path, sections, about):
    device, scalar, vectors, layout, _ = about
    scalar_bytes = {"float": 4, "double": 8, "cfloat": 8, "cdouble": 16}[scalar]
    lines = ["heddle-model 3", f"device {device}", f"scalar_bytes {scalar_bytes}", f"vectors {vectors}",
             f"apart {int(layout == 'left')}"]
    for section in sections:
        lines += section
    with open(path + ".begun", "w") as file:
        file.write("\n".join(lines + ["end"]) + "\n")
    os.replace(path + ".begun", path)


def importances(learned, names):
    print("\nwhat the trees ask most, by their share of what they explain:")
    total = collections.Counter()
    for regressor in learned.values():
        for name, share in zip(names, regressor.feature_importances_):
            total[name] += share / len(learned)
    for name, share in total.most_common(8):
        print(f"  {name} {share:.2f}")


def products(samples, about, judged):
    """The section of products; empty where the formulas are better, None where there is too little to learn from."""
    names = samples[0].names
    best = Fastest(samples)
    learned = learn(samples, best)
    print(f"{len(best.seconds)} matrices, {len(samples)} times on {about[0]}, {about[4]} threads or multiprocessors\n")
    if not learned:
        print("too few to learn from: no group of schemes has 25 times")
        return None
    wins = not judged or judge(samples, best)
    importances(learned, names)
    return list(lines_of_products(learned, names)) if wins else []


def train(runs, output, judged=True):
    """Makes a model of these runs, judged first. Whether there is one."""
    matrices, about = read(runs)
    samples = samples_of(matrices["spmv"])
    solved = triangles.read(matrices["sptrsv"])
    in_blocks = lanes.read(matrices["spmv"])
    if not samples and not solved and not in_blocks:
        sys.exit("no run has a time of a scheme with the inputs of a model")
    sections = [products(samples, about, judged) if samples else None,
                lanes.section(in_blocks, judged, table) if in_blocks else None,
                triangles.section(solved, about, judged, table) if solved else None]
    for name, section in zip(("products", "the lanes of csr/blocks", "triangular solves"), sections):
        if not section:
            why = "there is too little" if section is None else "nothing learned is better on families left out"
            print(f"\nof {name} nothing is written: {why}")
    if not any(sections):
        return False
    write(output, [section for section in sections if section], about)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="+", help="what heddle-bench spmv or sptrsv --scheme all --json wrote")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--no-judging", action="store_true", help="write the model alone")
    options = parser.parse_args()
    if not train(options.runs, options.output, not options.no_judging):
        sys.exit("no model was written: too few to learn from, or the formulas are better")


if __name__ == "__main__":
    main()
