# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learns how many lanes csr/blocks gives a row of a block: part of train.py.

A matrix whose blocks are alike is a sample: the numbers of its mean block (formats/model/model.hpp), with what each number
of lanes loses against the fastest if all of its blocks get it (csr/blocks,lanes=W), by the logarithm. A leaf names the
lanes that lose least, in the mean. A random forest of trees of five levels votes; beside it, one such tree. What is better
on families left out is written. A matrix that was measured while the machine was unsteady is left out."""
import math

import families

PINNED = "csr/blocks,lanes="
RULE = "csr/blocks"  # chooses lanes by the mean row of the block
LONG_ROW = 512  # a longer row is a block of its own
LEAST_MATRICES = 30
DEPTH = 5
TREES = {"forest": 25, "tree": 1}
DRAWN = "irregular"  # the family that is left out in parts


class Matrix:
    """One with the times of csr/blocks at every number of lanes, and of what else was measured."""

    def __init__(self, result):
        self.name = result["name"]
        self.names, self.inputs = zip(*result["block_inputs"].items())
        of = dict(zip(self.names, self.inputs))
        rows = result["features"]
        # The variance between blocks is the total less the variance within them.
        between = (rows["variation"] * rows["mean_row"]) ** 2 - of["row_variance"]
        self.alike = rows["max_row"] <= LONG_ROW and between <= 0.1 * rows["mean_row"]**2
        self.steady = not result.get("steadiness", {}).get("unsteady_machine", False)
        self.bits, self.others = {}, {}
        for one in result["contestants"]:
            if one["kind"] != "scheme" or not one["time_seconds"] or one["verdict"] not in ("ok", "unverified"):
                continue
            seconds = one["time_seconds"]["median"]
            if one["name"].startswith(PINNED):
                self.bits[int(math.log2(int(one["name"][len(PINNED):])))] = seconds
            elif one["name"] != "auto" and "learned=yes" not in one["scheme"]:
                self.others[one["name"]] = seconds
        self.fastest = min(self.bits, key=lambda bits: (self.bits[bits], bits)) if self.bits else None


def read(matrices):
    found = [Matrix(one) for one in matrices if "block_inputs" in one]
    return [one for one in found if one.alike and one.steady and len(one.bits) > 1 and RULE in one.others]


class Forest:
    def __init__(self, matrices, trees=TREES["forest"]):
        from sklearn.ensemble import RandomForestRegressor

        self.every_bits = sorted(set.intersection(*({*one.bits} for one in matrices)))
        self.forest = RandomForestRegressor(trees, max_depth=DEPTH, min_samples_leaf=3, bootstrap=trees > 1, random_state=1)
        self.forest.fit([one.inputs for one in matrices],
                        [[math.log(one.bits[bits] / one.bits[one.fastest]) for bits in self.every_bits] for one in matrices])

    def named(self, tree, node):
        """By a leaf: the lanes that lose least there, in the mean."""
        loss = tree.value[node][:, 0]
        return self.every_bits[min(range(len(loss)), key=lambda place: (loss[place], place))]

    def votes(self, inputs):
        import numpy

        row = numpy.array([inputs], dtype=numpy.float32)
        return [self.named(one.tree_, one.tree_.apply(row)[0]) for one in self.forest.estimators_]

    def bits(self, inputs):
        votes = self.votes(inputs)
        return min(set(votes), key=lambda bits: (-votes.count(bits), bits))

    def lines(self, names):
        yield f"blocks {len(self.forest.estimators_)}"
        yield "inputs " + " ".join(names)
        for estimator in self.forest.estimators_:
            tree = estimator.tree_
            yield f"tree {tree.node_count}"
            for node in range(tree.node_count):
                if tree.children_left[node] < 0:
                    yield f"-1 {self.named(tree, node)}"
                else:
                    yield (f"{tree.feature[node]} {tree.threshold[node]:.9g} {tree.children_left[node]} "
                           f"{tree.children_right[node]}")


def by_strangers(matrices, trees):
    """Seconds of each matrix by the lanes of who has not seen its family."""
    seconds = {}
    for others, its in families.left_out_in_turn(matrices, DRAWN):
        learned = Forest(others, trees) if len(others) >= LEAST_MATRICES else None
        for one in its:
            bits = learned.bits(one.inputs) if learned else None
            seconds[one.name] = one.bits.get(bits, one.others[RULE])
    return seconds


def judge(matrices, table):
    """What is the best on families that it has not seen: "forest", "tree", or nothing if that is the rule."""
    by = {"the mean row": {one.name: one.others[RULE] for one in matrices}}
    by |= {name: by_strangers(matrices, trees) for name, trees in TREES.items()}
    for bits in sorted(set.intersection(*({*one.bits} for one in matrices))):
        by[f"always {2**bits} lanes"] = {one.name: one.bits[bits] for one in matrices}
    best = {one.name: min(*one.bits.values(), one.others[RULE]) for one in matrices}
    rest = {one.name: min(time for name, time in one.others.items() if name != RULE) for one in matrices
            if len(one.others) > 1}
    if rest:
        by["best other scheme"] = rest
    against = {name: {m: (seconds / best[m], seconds / rest.get(m, seconds)) for m, seconds in its.items()}
               for name, its in by.items()}
    print("\nLanes of csr/blocks. How many times as long as with the best lanes: what is taken, of families that were left "
          "out of\ntraining.\n")
    table(against, families.kinds(matrices, DRAWN), "behind the best other scheme by over 5 %", applies=())
    if rest:
        share = {name: math.exp(sum(math.log(its[m] / rest[m]) for m in rest) / len(rest)) for name, its in by.items()}
        print("\nover the best other scheme, in the mean: "
              + ", ".join(f"{name} {share[name]:.3f}" for name in ("the mean row", *TREES))
              + f"; with its best lanes {math.exp(sum(math.log(best[m] / rest[m]) for m in rest) / len(rest)):.3f}")
    mean = {name: sum(math.log(seconds) for seconds in by[name].values()) for name in ("the mean row", *TREES)}
    best_of = min(mean, key=mean.get)
    return best_of if best_of in TREES else ""


def draw_tree(matrices, names):
    from sklearn.tree import export_text

    tree = Forest(matrices, 1).forest.estimators_[0]
    print("\nthe fastest lanes (as powers of two), by one tree:\n" + export_text(tree, feature_names=list(names), max_depth=3))
    shares = sorted(zip(Forest(matrices).forest.feature_importances_, names), reverse=True)
    print("what the forest asks most: " + ", ".join(f"{name} {share:.2f}" for share, name in shares[:6]))


def section(matrices, judged, table):
    """Its lines of a model; empty where the rule is better, None where there is too little to learn from."""
    print(f"\n{len(matrices)} matrices whose blocks are alike, {sum(len(one.bits) for one in matrices)} times of csr/blocks")
    if len(matrices) < LEAST_MATRICES or len({one.fastest for one in matrices}) < 2:
        print("too few to learn from")
        return None
    wins = judge(matrices, table) if judged else "forest"
    names = matrices[0].names
    draw_tree(matrices, names)
    if not wins:
        return []
    print(f"the {wins} is written")
    return list(Forest(matrices, TREES[wins]).lines(names))
