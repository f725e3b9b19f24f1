# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of matrices, which a model is judged on without having seen them: part of train.py."""

PARTS = 5  # number of folds of the drawn matrices


def family_of(matrix):
    """The generator of a matrix, by its name."""
    return matrix.partition(":")[0] if ":" in matrix else "files"


def folds(samples, drawn):
    """The fold of each matrix by its name: what is left out together. `drawn`: the generator whose matrices are so many
    that they are left out in parts."""
    names = sorted({one.name for one in samples})
    part = {name: f"{drawn} {place % PARTS + 1}"
            for place, name in enumerate(name for name in names if family_of(name) == drawn)}
    return {name: part.get(name, family_of(name)) for name in names}


def left_out_in_turn(samples, drawn):
    """For each fold, the others' samples and its own."""
    fold = folds(samples, drawn)
    for out in sorted(set(fold.values())):
        yield [one for one in samples if fold[one.name] != out], [one for one in samples if fold[one.name] == out]


def kinds(samples, drawn):
    """Of each matrix by its name, in which rows of a table it counts beside all."""
    return {one.name: family if family in (drawn, "files") else "other generators"
            for one in samples for family in [family_of(one.name)]}
