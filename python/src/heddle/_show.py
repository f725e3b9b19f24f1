# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looking at matrices: tables, and pictures by matplotlib where it is there."""
import numpy as np

from . import _core
from ._arrays import on_host
from ._matrix import as_matrix
from ._spmv import SpmvPlan


def axes_of(axes):
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise _core.Error("matplotlib is missing; install it, or give axes= of your own") from error
    return pyplot.subplots()[1]


def choose(A, **options):
    """The formats that hold A, the best for this machine first, with what is predicted of each: prints as a table.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    options
        Those of SpmvPlan, as `expected_applies`, `vectors` and `measure_seconds`.

    Returns
    -------
    list of Choice
        A plan is made for it, and given back.
    """
    return SpmvPlan(A, **options).choices


def spy(A, axes=None, *, cells=400):
    """Draws where the entries of A are, as a map of at most `cells` x `cells` counts, by matplotlib.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    axes : matplotlib's axes, optional
        To draw into; else new ones.
    cells : int
        Along the longer side.

    Returns
    -------
    matplotlib's axes
    """
    A = as_matrix(A)
    axes = axes_of(axes)
    axes.imshow(_counts(A, cells), cmap="Blues", norm="log", interpolation="nearest", aspect="equal",
                extent=(0, A.shape[1], A.shape[0], 0))
    axes.set_title(f"{A.shape[0]} x {A.shape[1]}, {A.nnz} entries")
    return axes


def _counts(A, cells):
    """Entries in each cell of a grid over the matrix."""
    rows, columns = A.shape
    side = max(1, -(-max(rows, columns) // cells))  # rows and columns of a cell
    height, width = max(1, -(-rows // side)), max(1, -(-columns // side))
    row_ptr, col_idx = on_host(A.row_ptr), on_host(A.col_idx)
    row = np.repeat(np.arange(rows) // side, np.diff(row_ptr))
    first, last = (row_ptr[0], row_ptr[-1]) if rows else (0, 0)
    cell = row * width + col_idx[first:last] // side
    return np.bincount(cell, minlength=height * width).reshape(height, width)
