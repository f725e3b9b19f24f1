# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which format suits which matrix, and why: choosing.py [N [PICTURE]]"""
import sys

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import heddle

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
rng = np.random.default_rng(1)
line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
grid = (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsr()
blocks = sp.kron(grid[: n * n // 9, : n * n // 9], rng.random((3, 3))).tocsr()
uneven = sp.random_array((n * n, n * n), density=2 / n**2, rng=rng, format="lil")
uneven[0] = rng.random(n * n)  # one dense row
matrices = {"a grid": grid, "blocks of 3 x 3": blocks, "one long row": uneven.tocsr()}

figure, axes = plt.subplots(1, 3, figsize=(12, 4))
for (name, A), one in zip(matrices.items(), axes):
    A = sp.csr_array((A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)), shape=A.shape)
    best = heddle.choose(A)
    print(f"{name}:\n" + "\n".join(str(best).splitlines()[:4]) + "\n")
    heddle.spy(A, one)
    one.set_title(f"{name}: {best[0].scheme}")
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "choosing.png")
