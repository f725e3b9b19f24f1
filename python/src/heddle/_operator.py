# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of scipy.sparse.linalg.LinearOperator, without scipy."""
import numpy as np

from . import _core
from ._arguments import described
from ._arrays import asarray, aslinearoperator, borrowed, handed, named, ndarray, place, readable_at_once, ready, same, writeable, xp
from ._matrix import as_matrix
from ._types import loses
from ._unpicklable import Unpicklable

TRANSPOSE, CONJUGATE = 1, 2
ADJOINT = TRANSPOSE | CONJUGATE


def readable(name, x, dtype):
    """x of this dtype, with strides above 0: itself where it is so."""
    if type(x) is ndarray and x.dtype is dtype and 1 <= x.ndim <= 2 and ready(x):
        return x
    x = asarray(name, x)
    if not 1 <= x.ndim <= 2:
        raise _core.Error(f"{name} has the shape {x.shape}; give one vector, or several as the columns of two dimensions")
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name} holds {x.dtype}; give numbers, as {dtype}")
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{name} holds {x.dtype}, and the operator is real; apply it to {name}.real and {name}.imag")
    if loses(x.dtype, dtype):
        raise TypeError(f"{name} holds {x.dtype}, and the operator {dtype}; give {name}.astype(np.{dtype})")
    x = x.astype(dtype, copy=False)
    if (x.size and any(s <= 0 or s % dtype.itemsize for s in x.strides)) or not readable_at_once(x):
        x = xp.array(x, dtype=dtype, order="C")
    return x


def writable(name, y, shape, dtype):
    """Throws unless y may be written to as it is."""
    if type(y) is ndarray and y.dtype is dtype and y.shape == shape and ready(y):
        return y
    y = borrowed(name, given := y)
    like = f"{named}.empty({shape}, {named}.{dtype})"
    if y is None:
        raise TypeError(f"{name} is a {type(given).__name__}; give an array, as {like}")
    if y.dtype != dtype:
        raise TypeError(f"{name} holds {y.dtype}; give an array of {dtype}")
    if y.shape != shape:
        raise _core.Error(f"{name} has the shape {y.shape}, and the result {shape}; give {like}")
    if not writeable(y):
        raise _core.Error(f"{name} is read-only; give an array that may be written to, as {name}.copy()")
    if (y.size and any(s <= 0 or s % dtype.itemsize for s in y.strides)) or not readable_at_once(y):
        raise _core.Error(f"{name} has strides of {y.strides} bytes; give one whose strides are above 0 "
                          f"and whole entries, as {like}")
    return y


def matrix_of_pattern(before, A):
    """The Matrix of A, or the one whose arrays `before` has now, with the types and the pattern of `before`."""
    matrix = before._current() if A is None else as_matrix(A)
    if matrix._types is not before._types:
        raise TypeError(f"the plan is of {before._types.__name__.split('.')[-1]}, and the matrix of "
                        f"{matrix._types.__name__.split('.')[-1]}; give one of the same dtypes")
    if matrix.shape != before.shape or not (same(matrix.row_ptr, before.row_ptr)
                                            and same(matrix.col_idx, before.col_idx)):
        raise _core.Error(f"the plan was made for another pattern: {before!r} with columns in another order or "
                          f"elsewhere; make a plan of {matrix!r}")
    return matrix


class Operator(Unpicklable):
    """What applies itself: scipy.sparse.linalg takes it wherever it takes a LinearOperator.

    x may have any strides, and is read where it lies if it has the operator's dtype; integers and numbers of fewer
    digits are converted. So are arrays of others, by DLPack or the buffer protocol. `out` is written to where it lies, and must not overlap x.
    """

    __slots__ = ()
    ndim = 2
    __array_ufunc__ = None  # so that NumPy calls __rmatmul__ for x @ A

    def _apply(self, op, x, y):
        """y = op(A) x, where op is TRANSPOSE, CONJUGATE, both or 0."""
        raise NotImplementedError

    def _adjoint(self):
        return ADJOINT if self.dtype.kind == "c" else TRANSPOSE

    def _vector(self, op, x, out):
        rows, columns = self.shape if not op & TRANSPOSE else self.shape[::-1]
        with self._place:
            x = readable("x", x, self.dtype)
            if x.shape == (columns, 1):
                shape = (rows, 1)
            elif x.shape == (columns,):
                shape = (rows,)
            else:
                raise _core.Error(f"x has the shape {x.shape}; give ({columns},) or ({columns}, 1)")
            y = xp.empty(shape, self.dtype) if out is None else writable("out", out, shape, self.dtype)
            self._apply(op, x, y)
        return y if out is None else out

    def _vectors(self, op, x, out):
        rows, columns = self.shape if not op & TRANSPOSE else self.shape[::-1]
        with self._place:
            x = readable("X", x, self.dtype)
            if x.ndim != 2 or x.shape[0] != columns:
                raise _core.Error(f"X has the shape {x.shape}; give ({columns}, number of vectors)")
            shape = (rows, x.shape[1])
            y = xp.empty(shape, self.dtype) if out is None else writable("out", out, shape, self.dtype)
            if x.shape[1]:
                self._apply(op, x, y)
        return y if out is None else out

    def matvec(self, x, out=None):
        """A x of one vector."""
        return self._vector(0, x, out)

    def rmatvec(self, x, out=None):
        """A^H x of one vector: of a real A, A^T x."""
        return self._vector(self._adjoint(), x, out)

    def matmat(self, X, out=None):
        """A X, of the columns of X at once."""
        return self._vectors(0, X, out)

    def rmatmat(self, X, out=None):
        """A^H X, of the columns of X at once."""
        return self._vectors(self._adjoint(), X, out)

    def dot(self, x, out=None):
        """matvec or matmat, by the dimensions of x."""
        return self.matvec(x, out) if np.ndim(x) == 1 else self.matmat(x, out)

    # Sums and products of operators are those of scipy or cupyx.

    def __matmul__(self, x):
        return self.dot(x) if not hasattr(x, "matvec") else aslinearoperator(self) @ aslinearoperator(x)

    def __mul__(self, x):
        return aslinearoperator(self) * x if np.isscalar(x) else self @ x

    def __rmul__(self, x):
        return x * aslinearoperator(self) if np.isscalar(x) else x @ self

    def __truediv__(self, x):
        return aslinearoperator(self) * (1 / x) if np.isscalar(x) else NotImplemented

    def __neg__(self):
        return -aslinearoperator(self)

    def __add__(self, other):
        return aslinearoperator(self) + aslinearoperator(other)

    def __radd__(self, other):
        return aslinearoperator(other) + aslinearoperator(self)

    def __sub__(self, other):
        return aslinearoperator(self) - aslinearoperator(other)

    def __rsub__(self, other):
        return aslinearoperator(other) - aslinearoperator(self)

    def transpose(self):
        """T, as a call."""
        return self.T

    def adjoint(self):
        """H, as a call."""
        return self.H

    def conj(self):
        """The conjugate, which of a real operator is itself."""
        return self.H.T

    def __rmatmul__(self, x):
        if hasattr(x, "matvec"):
            return aslinearoperator(x) @ aslinearoperator(self)
        x = asarray("x", x)
        return self._vector(TRANSPOSE, x, None) if x.ndim == 1 else self._vectors(TRANSPOSE, x.T, None).T

    def __call__(self, x):
        return self.dot(x)

    @property
    def T(self):
        """The transpose, which applies itself by this plan."""
        return Applied(self, TRANSPOSE)

    @property
    def H(self):
        """The conjugate transpose."""
        return Applied(self, self._adjoint())


class Plan(Operator):
    """An operator that was inspected once."""

    __slots__ = ("_core", "_options", "_place", "_ready", "_types", "dtype", "matrix", "shape", "__weakref__")

    def _set(self, A, make, struct, options, stream=None, arrays=()):
        """Makes the plan with options of a struct of _core, and arrays or None."""
        with place(stream):
            self.matrix = as_matrix(A)
        self._options = struct(**options)
        self.shape, self.dtype, self._types = self.matrix.shape, self.matrix.dtype, self.matrix._types
        self._ready = {0, TRANSPOSE, ADJOINT} if options.get("transpose") else {0}
        self._place = place(stream, self.matrix.values)
        with self._place:
            self._core = getattr(self._types, make)(
                self.matrix._core, self._options, *(None if one is None else handed(one) for one in arrays))

    def _prepare(self, op):
        if op not in self._ready:
            self._core.prepare(op)
            self._ready.add(op)

    def update_values(self, A=None):
        """Takes the values of A, which has the pattern that was inspected, with its columns in the same order; left
        out, those that the matrix has now which the plan was made of, whose arrays scipy may have replaced.

        Raises heddle.Error for another pattern, for no A where the plan's matrix is a converted copy, and, with the row,
        for a diagonal or a pivot of a preconditioner that is zero, infinite or NaN.
        """
        with self._place:
            matrix = matrix_of_pattern(self.matrix, A)
            self.matrix = matrix  # before a check of values may throw: the compiled plan refers to these arrays by then
            self._core.update_values(matrix._core)

    @property
    def setup_seconds(self):
        """What the inspection took."""
        return self._core.setup_seconds()

    @property
    def bytes(self):
        """Memory that the plan holds beyond the matrix."""
        return self._core.bytes()

    def __repr__(self):
        changed = [one for one in self._options.changed if one[0] != "scheme"]
        return (f"<heddle.{type(self).__name__} of {self.shape[0]} x {self.shape[1]}, {self.matrix.nnz} entries of "
                f"{self.dtype}{described(changed)}: {'; '.join(self.scheme.splitlines())}>")


class Applied(Operator):
    """The transpose of an operator, its conjugate, or both."""

    __slots__ = ("_of", "_op")

    def __init__(self, of, op):
        self._of, self._op = of, op

    @property
    def dtype(self):
        return self._of.dtype

    @property
    def _place(self):
        return self._of._place

    @property
    def shape(self):
        return self._of.shape[::-1] if self._op & TRANSPOSE else self._of.shape

    def _apply(self, op, x, y):
        self._of._apply(op ^ self._op, x, y)

    def _with(self, op):
        return Applied(self._of, op) if op else self._of

    @property
    def T(self):
        return self._with(self._op ^ TRANSPOSE)

    @property
    def H(self):
        return self._with(self._op ^ self._adjoint())

    def __repr__(self):
        return f"<{('', 'the transpose', 'the conjugate', 'the conjugate transpose')[self._op]} of {self._of!r}>"
