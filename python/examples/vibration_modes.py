# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lowest modes of an L-shaped membrane, drawn: vibration_modes.py [N [PICTURE]]"""
import sys

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import heddle

n = int(sys.argv[1]) if len(sys.argv) > 1 else 119  # odd, so that the corner is a point
line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
square = (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsr()
row, column = np.divmod(np.arange(n * n), n)
inside = ~((row >= n // 2) & (column >= n // 2))  # a square without one quarter, fixed along its edge
A = square[inside][:, inside] * ((n + 1) / 2) ** 2  # the quarters have sides of 1

guess = np.random.default_rng(1).random((A.shape[0], 6))
result = heddle.lobpcg(A, guess, M=heddle.MultigridPlan(A), largest=False, return_result=True)
print(result.message, result.iterations, "iterations")
print("eigenvalues:", np.round(result.values, 3), "(the first one of the limit is 9.6397)")

figure, axes = plt.subplots(2, 3)
for k, one in enumerate(axes.flat):
    picture = np.full(n * n, np.nan)
    picture[inside] = result.vectors[:, k]
    bound = np.abs(result.vectors[:, k]).max()  # white is zero
    one.imshow(picture.reshape(n, n), cmap="RdBu", vmin=-bound, vmax=bound)
    one.set_title(f"{result.values[k]:.2f}")
    one.set_axis_off()
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "vibration_modes.png")
