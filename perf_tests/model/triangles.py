# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learns which schemes of a triangular solve are near the best: part of train.py.

A perceptron with three hidden layers of 32 is given the ten inputs of formats/model/triangles.hpp, their squares and
products, standardized, and has an output for each scheme: 1 where it takes at most the best's time / 0.85, its set-up
shared by 1000 solves. The highest is taken, if it is above a half; else what the rules take. Source: Z. Hu et al.,
"AG-SpTRSV: an automatic framework to optimize sparse triangular solve on GPUs", TACO 2024. Beside it: a forest of the
same inputs, which is not written."""
import collections
import itertools
import math

import families

NEAR = 0.85  # share of the best speed from which a scheme is labelled 1
APPLIES = (10, 100, 1000)  # applies that share a set-up; labels are for the last
MOST_SCHEMES = 24
LEAST_TRIANGLES = 20
LEAST_TO_WRITE = 100  # with fewer, families left out do not show how a network treats new kinds of triangles
DRAWN = "levels"  # the family that is left out in parts


class Triangle:
    """One that was solved with, by whichever schemes."""

    def __init__(self, matrix):
        self.name = matrix["name"]
        self.names, self.inputs = zip(*matrix["model_inputs"].items())
        fastest, self.times = {}, {}  # by the scheme that ran, whatever was asked for
        for one in matrix["contestants"]:
            right = one["verdict"] in ("ok", "unverified")
            if one["kind"] != "scheme" or not one["time_seconds"] or not right:
                continue
            time = (one["time_seconds"]["median"], (one["setup_seconds"] or {}).get("median") or 0.0)
            fastest[one["scheme"]] = min(time, fastest.get(one["scheme"], time))
            self.times[one["name"]] = one["scheme"]
        self.times = {name: fastest[scheme] for name, scheme in self.times.items()}

    def cost(self, name, applies=APPLIES[-1]):
        seconds, setup = self.times.get(name, (math.inf, 0))
        return seconds + setup / applies

    def best(self, applies=APPLIES[-1]):
        return min(self.cost(name, applies) for name in self.times)

    def near(self, name):
        return NEAR * self.cost(name) <= self.best()


def read(matrices):
    found = [Triangle(matrix) for matrix in matrices]
    return [one for one in found if len(one.times) > 1 and "auto" in one.times]


def schemes_of(solved):
    """Those that are near the best of some triangles, the most first."""
    count = collections.Counter(name for one in solved for name in one.times if name != "auto" and one.near(name))
    least = max(3, len(solved) // 50)
    return [name for name, times in count.most_common(MOST_SCHEMES) if times >= least]


def terms(inputs):
    return [*inputs, *(a * b for a, b in itertools.combinations_with_replacement(inputs, 2))]


class Perceptron:
    def __init__(self, solved, names):
        from sklearn.neural_network import MLPClassifier
        from sklearn.preprocessing import StandardScaler

        self.scaler = StandardScaler().fit([terms(one.inputs) for one in solved])
        # 1000 rounds are enough: 300 triangles are learned in some seconds.
        self.net = MLPClassifier((32, 32, 32), activation="relu", alpha=1e-2, max_iter=1000, tol=1e-5, random_state=1)
        labels = [[int(one.near(name)) for name in names] for one in solved]
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            self.net.fit(self.scaler.transform([terms(one.inputs) for one in solved]), labels)

    def likelihoods(self, triangle):
        return list(self.net.predict_proba(self.scaler.transform([terms(triangle.inputs)]))[0])

    def lines(self):
        numbers = " ".join
        yield "center " + numbers(f"{x:.9g}" for x in self.scaler.mean_)
        yield "scale " + numbers(f"{x:.9g}" for x in self.scaler.scale_)
        for weights, bias in zip(self.net.coefs_, self.net.intercepts_):
            yield f"layer {len(bias)}"
            for neuron, own in enumerate(bias):
                yield f"neuron {own:.9g} " + numbers(f"{x:.9g}" for x in weights[:, neuron])


class Forest:
    def __init__(self, solved, names):
        from sklearn.ensemble import RandomForestClassifier

        labels = [[int(one.near(name)) for name in names] for one in solved]
        self.forest = RandomForestClassifier(100, min_samples_leaf=2, random_state=1).fit(
            [one.inputs for one in solved], labels)

    def likelihoods(self, triangle):
        of_each = self.forest.predict_proba([triangle.inputs])
        return [float(share[0][list(classes).index(1)]) if 1 in classes else 0.0
                for share, classes in zip(of_each, self.forest.classes_)]


def taken(learned, names, triangle):
    likelihood, place = max((share, -k) for k, share in enumerate(learned.likelihoods(triangle)))
    name = names[-place]
    return name if likelihood > 0.5 and name in triangle.times else "auto"


def by_strangers(solved, make):
    """What is taken of each triangle by who has not seen its family."""
    takes = {}
    for others, its in families.left_out_in_turn(solved, DRAWN):
        names = schemes_of(others)
        learned = make(others, names) if len(others) >= LEAST_TRIANGLES and len(names) > 1 else None
        takes |= {one.name: taken(learned, names, one) if learned else "auto" for one in its}
    return takes


def regrets(solved, takes):
    """As train.py's: over the best; over what the rules take; and over the best with a set-up, for each of APPLIES."""
    return {one.name: (one.times[takes[one.name]][0] / min(time for time, _ in one.times.values()),
                       one.times[takes[one.name]][0] / one.times["auto"][0],
                       *(one.cost(takes[one.name], n) / one.best(n) for n in APPLIES)) for one in solved}


def judge(solved, table):
    """Whether the perceptron is better than the rules on families that it has not seen."""
    takes = {"rules": {one.name: "auto" for one in solved}, "learned": by_strangers(solved, Perceptron),
             "forest": by_strangers(solved, Forest)}
    everywhere = set.intersection(*({*one.times} for one in solved)) - {"auto"}
    if everywhere:
        always = min(sorted(everywhere), key=lambda name: sum(math.log(one.cost(name)) for one in solved))
        takes[f"always {always}"] = {one.name: always for one in solved}
    by = {name: regrets(solved, its) for name, its in takes.items()}
    print("\nTriangular solves. How many times as long as the fastest: what is taken, of families that were left out of "
          "training.\nThe last three with its set-up, in the mean.\n")
    table(by, families.kinds(solved, DRAWN), "behind the rules by over 5 %")
    mean = {name: sum(math.log(r[-1]) for r in its.values()) for name, its in by.items()}
    return mean["learned"] < mean["rules"]


def draw_tree(solved, names):
    """What decides, in a tree of three levels; and what the forest asks most."""
    from sklearn.tree import DecisionTreeClassifier, export_text

    near = [min(names, key=one.cost) for one in solved]
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=4, random_state=1).fit(
        [one.inputs for one in solved], near)
    print("\nthe fastest scheme, by a tree of three levels:\n" + export_text(tree, feature_names=list(solved[0].names)))
    shares = zip(Forest(solved, names).forest.feature_importances_, solved[0].names)
    print("what the forest asks most: "
          + ", ".join(f"{name} {share:.2f}" for share, name in sorted(shares, reverse=True)[:5]))


def section(solved, about, judged, table):
    """Its lines of a model; empty where the rules are better, None where there is too little to learn from."""
    print(f"\n{len(solved)} triangles, {sum(len(one.times) for one in solved)} times on {about[0]}, "
          f"{about[4]} threads or multiprocessors")
    names = schemes_of(solved)
    if len(solved) < LEAST_TRIANGLES or len(names) < 2:
        print("too few to learn from")
        return None
    wins = not judged or judge(solved, table)
    draw_tree(solved, names)
    if not wins:
        return []
    if len(solved) < LEAST_TO_WRITE:
        print(f"\nnothing is written of fewer than {LEAST_TO_WRITE} triangles")
        return None
    learned = Perceptron(solved, names)
    return [f"triangles {about[4]} {APPLIES[-1]}", "inputs " + " ".join(solved[0].names), *learned.lines(),
            *(f"scheme {name}" for name in names)]
