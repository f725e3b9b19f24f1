# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of scipy.sparse.linalg.LinearOperator, without scipy."""
import numpy as np

from . import _core
from ._unpicklable import Unpicklable

_float64 = np.dtype(np.float64)


def readable(name, x):
    """x as float64, with strides above 0: itself where it is so."""
    if type(x) is np.ndarray and x.dtype is _float64 and x.flags.carray:
        return x
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} holds {x.dtype}, and the operator is real; apply it to {name}.real and {name}.imag")
    x = x.astype(np.float64, copy=False)
    if any(s <= 0 or s % 8 for s in x.strides) or not x.flags.aligned or not x.dtype.isnative:
        x = np.array(x, dtype=np.float64, order="C")
    return x


def writable(name, y, shape):
    """Throws unless y may be written to as it is."""
    if not isinstance(y, np.ndarray):
        raise TypeError(f"{name} is a {type(y).__name__}; give a NumPy array, as np.empty({shape})")
    if y.dtype != _float64:
        raise TypeError(f"{name} holds {y.dtype}; give an array of float64")
    if y.shape != shape:
        raise _core.Error(f"{name} has the shape {y.shape}, and the result {shape}; give np.empty({shape})")
    if not y.flags.writeable:
        raise _core.Error(f"{name} is read-only; give an array that may be written to, as {name}.copy()")
    if any(s <= 0 or s % 8 for s in y.strides) or not y.flags.aligned:
        raise _core.Error(f"{name} has strides of {y.strides} bytes; give one whose strides are above 0 "
                          f"and whole entries, as np.empty({shape})")
    return y


class Operator(Unpicklable):
    """What applies itself: scipy.sparse.linalg takes it wherever it takes a LinearOperator.

    x may have any real dtype, which is converted, and any strides; float64 is read where it lies. Results are
    float64; `out` is written to where it lies, and must not overlap x.
    """

    __slots__ = ()
    dtype = _float64
    ndim = 2
    __array_ufunc__ = None  # so that NumPy leaves x @ A to __rmatmul__

    def _apply(self, transposed, x, y):
        raise NotImplementedError

    def _vector(self, transposed, x, out):
        rows, columns = self.shape if not transposed else self.shape[::-1]
        x = readable("x", x)
        if x.shape == (columns, 1):
            shape = (rows, 1)
        elif x.shape == (columns,):
            shape = (rows,)
        else:
            raise _core.Error(f"x has the shape {x.shape}; give ({columns},) or ({columns}, 1)")
        y = np.empty(shape) if out is None else writable("out", out, shape)
        self._apply(transposed, x, y)
        return y

    def _vectors(self, transposed, x, out):
        rows, columns = self.shape if not transposed else self.shape[::-1]
        x = readable("X", x)
        if x.ndim != 2 or x.shape[0] != columns:
            raise _core.Error(f"X has the shape {x.shape}; give ({columns}, number of vectors)")
        shape = (rows, x.shape[1])
        y = np.empty(shape) if out is None else writable("out", out, shape)
        if x.shape[1]:
            self._apply(transposed, x, y)
        return y

    def matvec(self, x, out=None):
        """A x of one vector."""
        return self._vector(False, x, out)

    def rmatvec(self, x, out=None):
        """A^T x of one vector, which is A^H x."""
        return self._vector(True, x, out)

    def matmat(self, X, out=None):
        """A X, of the columns of X at once."""
        return self._vectors(False, X, out)

    def rmatmat(self, X, out=None):
        """A^T X, of the columns of X at once."""
        return self._vectors(True, X, out)

    def dot(self, x, out=None):
        """matvec or matmat, by the dimensions of x."""
        return self.matvec(x, out) if np.ndim(x) == 1 else self.matmat(x, out)

    def __matmul__(self, x):
        return self.dot(x)

    def __rmatmul__(self, x):
        x = np.asarray(x)
        return self.rmatvec(x) if x.ndim == 1 else self.rmatmat(x.T).T

    def __call__(self, x):
        return self.dot(x)

    @property
    def T(self):
        """The transpose, which applies itself by this plan."""
        return Transposed(self)

    @property
    def H(self):
        """The conjugate transpose: real, so the transpose."""
        return Transposed(self)


class Plan(Operator):
    """An operator that was inspected once."""

    __slots__ = ()

    @property
    def setup_seconds(self):
        """What the inspection took."""
        return self._core.setup_seconds()

    @property
    def bytes(self):
        """Memory that the plan holds beyond the matrix."""
        return self._core.bytes()


class Transposed(Operator):
    """The transpose of an operator."""

    __slots__ = ("_of",)

    def __init__(self, of):
        self._of = of

    @property
    def shape(self):
        return self._of.shape[::-1]

    def _apply(self, transposed, x, y):
        self._of._apply(not transposed, x, y)

    @property
    def T(self):
        return self._of

    H = T

    def __repr__(self):
        return f"<the transpose of {self._of!r}>"
