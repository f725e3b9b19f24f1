# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What solvers are given as A, B and M, for the compiled part."""
from functools import cache

import numpy as np

from . import _core
from ._arguments import warn
from ._arrays import asarray, place, xp
from ._matrix import ConversionWarning, Matrix, as_matrix
from ._operator import Operator
from ._plans import Preconditioner
from ._spmv import SpmvPlan
from ._types import loses, promoted, scalars, types


def function_of(name, part):
    """f(x, y), which writes to y, of an operator of Python's."""
    if isinstance(part, type):
        raise TypeError(f"{name} is the class {part.__name__}; give a matrix, a plan, or one with matvec(x)")
    if isinstance(part, Operator):
        apply = _narrowing(part)
    elif isinstance(part, Matrix):
        apply = SpmvPlan(part)
    else:
        apply = getattr(part, "matvec", None) or getattr(part, "__matmul__", None)
        if apply is None and name == "M":
            apply = getattr(part, "solve", None)  # scipy's splu and spilu have solve
    if apply is None:
        if not callable(part):
            raise TypeError(f"{name} is a {type(part).__name__}; give a matrix, a plan, or one with matvec(x)")
        apply = part

    def function(x, y):
        result = asarray(f"what {name} gives", apply(x))
        if result.dtype.kind not in "biufc" or (result.dtype.kind == "c" and y.dtype.kind != "c"):
            raise TypeError(f"{name} gives {result.dtype}; return {y.dtype}")
        if result.size != y.size:
            raise _core.Error(f"{name} gives the shape {result.shape}; return ({y.size},)")
        y[:] = result.reshape(-1)

    return function


def _narrowing(plan):
    """Its product, of vectors that it converts where the system's numbers are wider."""
    def apply(x):
        if x.dtype.kind == "c" and plan.dtype.kind != "c":
            return apply(x.real.copy()) + 1j * apply(x.imag.copy())
        return plan.dot(x.astype(plan.dtype, copy=False))
    return apply


def operator_of(A, stream=None, others=(), shape=None):
    """What _core works with, the shape, the part of _core, and what must live as long: of numbers that hold those of A and
    of other arrays and matrices, which work with it. `shape`: of a function that has none."""
    if not isinstance(A, (Matrix, SpmvPlan)) and hasattr(A, "tocsr"):
        A = Matrix(A)
    if isinstance(A, (Matrix, SpmvPlan)):
        dtype = _holds(A.dtype, others)
        if dtype != A.dtype:
            matrix = A if isinstance(A, Matrix) else A.matrix
            one_triangle = {} if A is matrix else {name: value for name, value in A._options.changed if name == "symmetry"}
            A = SpmvPlan(_converted(matrix, dtype), stream=stream, **one_triangle)
        if isinstance(A, Matrix):
            A = SpmvPlan(A, stream=stream)
        return A._core, A.shape, A._types, A
    function = function_of("A", A)
    shape = getattr(A, "shape", shape)
    if shape is None:
        raise TypeError("A has no shape; give it one, as scipy.sparse.linalg.LinearOperator does")
    dtype = np.dtype(getattr(A, "dtype", None) or np.float64)
    dtype = dtype if dtype in scalars or dtype.kind == "c" else np.dtype(np.float64)
    return function, tuple(shape), types(_holds(dtype, others)), A


def matrix_for(A, others):
    """The Matrix of A, converted if other arrays of the system hold more than its numbers."""
    A = as_matrix(A)
    dtype = _holds(A.dtype, others)
    return A if dtype == A.dtype else _converted(A, dtype)


def _converted(matrix, dtype):
    warn(f"A holds {matrix.dtype}, and the system {dtype}: A is converted, and inspected anew; give both of one dtype, or "
         "convert once", ConversionWarning)
    return Matrix((matrix.values.astype(dtype), matrix.col_idx, matrix.row_ptr), shape=matrix.shape)


def _holds(dtype, others):
    """A dtype of this build that holds these too, if there is one, as scipy promotes."""
    for other in others:
        if other.dtype != dtype and other.dtype.kind in "fc" and loses(other.dtype, dtype):
            dtype = promoted(dtype, other.dtype) or dtype
    return dtype


def place_of(A, stream):
    """Where a solve with A is made: on the stream if one is given, else where A's plan works."""
    if not isinstance(A, SpmvPlan):
        return place(stream)
    return A._place if stream is None else place(stream, A.matrix.values)


def preconditioner_of(M, n, part):
    if M is None:
        return None
    work = M._core if isinstance(M, Preconditioner) and M._types is part else function_of("M", M)
    shape = getattr(M, "shape", (n, n))
    if tuple(shape) != (n, n):
        raise _core.Error(f"M has the shape {tuple(shape)}, and A {(n, n)}; give an M of the same shape")
    return work


def times(M, b):
    if M is None:
        return b
    x = xp.empty_like(b)
    function_of("M", M)(b, x)
    return x


def square(shape):
    if shape[0] != shape[1]:
        raise _core.Error(f"A has the shape {shape}; give a square one")
    return shape[0]


@cache
def scalar_of(part):
    return np.dtype(part.__name__.rpartition(".")[2].partition("_")[0])
