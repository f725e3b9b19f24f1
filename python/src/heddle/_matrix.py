# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices, borrowed from scipy or NumPy, and files of them."""
import os
import warnings

import numpy as np

from . import _core
from ._arrays import borrowed, csr_array, handed, here, named, readable_at_once, xp
from ._types import holder, scalars, types
from ._unpicklable import Unpicklable


class ConversionWarning(UserWarning):
    """A matrix was converted to CSR, and so copied."""


def _array(name, array, dtypes, copy):
    """The array as it is, or its copy if that is allowed, of one dimension and one of these dtypes."""
    given, array = array, borrowed(name, array)
    if array is None:
        if not copy:
            raise TypeError(f"{name} is a {type(given).__name__}; give an array of {_any(dtypes)}, what DLPack or "
                            "the buffer protocol lends, or copy=True")
        array = xp.asarray(given)
    if array.ndim != 1:
        raise _core.Error(f"{name} has {array.ndim} dimensions; give one, as {name}.ravel() has")
    if copy:
        return _copied(name, array, dtypes)
    if array.dtype not in dtypes:
        wanted = holder(name, array.dtype) if dtypes is scalars else dtypes[0]
        raise TypeError(f"{name} holds {array.dtype}, and heddle borrows {_any(dtypes)}; "
                        f"give {name}.astype(np.{wanted}), or copy=True, which converts")
    if not array.flags.c_contiguous:
        raise _core.Error(f"{name} has entries {array.strides[0]} bytes apart; "
                          f"give {named}.ascontiguousarray({name}), or copy=True")
    if not readable_at_once(array):
        raise _core.Error(f"{name} is not aligned; give {name}.copy(), or copy=True")
    return array


def _any(dtypes):
    return " or ".join(map(str, dtypes))


def _copied(name, array, dtypes):
    if dtypes is scalars:
        return array.astype(holder(name, array.dtype), copy=True)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} holds {array.dtype}; indices are integers: give {name}.astype(np.int32)")
    for dtype in dtypes:
        limits = np.iinfo(dtype)
        if not array.size or (array.max() <= limits.max and array.min() >= limits.min):
            return array.astype(dtype, copy=True)
    raise _core.Error(f"{name} holds numbers beyond {dtypes[-1]}; heddle's Python package knows matrices of fewer than "
                      "2**31 rows and columns")


_indices = (np.dtype(np.int32),)
_offsets = (np.dtype(np.int32), np.dtype(np.int64))


class Matrix(Unpicklable):
    """A sparse matrix in CSR form, whose arrays are borrowed and not copied.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or (values, col_idx, row_ptr)
        CSR with int32 indices is borrowed, its row pointers of int32 or int64; scalars are those that the
        module was built for (float64; float32, complex64, complex128). Other forms than CSR are converted,
        which a ConversionWarning says. Three arrays are those of CSR, in scipy's order, and need `shape`: NumPy's,
        or what lends its memory by DLPack, as PyTorch's tensors do, or by the buffer protocol.
        Rows may be empty, columns unsorted; repeated entries add up. Read-only arrays will do.
    shape : (int, int), optional
        Rows and columns; of a scipy matrix its own.
    copy : bool, optional
        Copy the arrays, and convert them if they hold other numbers, or 64-bit indices that fit.

    Raises
    ------
    TypeError
        For other dtypes, unless `copy`.
    heddle.Error
        For arrays that are not contiguous, unless `copy`, for lengths that do not fit each other, and for arrays on
        a GPU.

    Notes
    -----
    A matrix keeps its arrays, and a plan its matrix. While there is a plan, leave `row_ptr` and `col_idx` as
    they are (sort_indices and sum_duplicates of scipy change them); after changes of `values` call the plan's
    update_values.
    """

    __slots__ = ("_core", "_types", "col_idx", "converted", "dtype", "row_ptr", "shape", "values", "__weakref__")

    def __init__(self, A, shape=None, *, copy=False):
        self.converted = bool(copy)
        if isinstance(A, tuple):
            if len(A) != 3 or shape is None:
                raise TypeError("three arrays are a matrix: Matrix((values, col_idx, row_ptr), shape=(rows, columns))")
            values, col_idx, row_ptr = A
        else:
            if not hasattr(A, "tocsr"):
                raise TypeError(f"a {type(A).__name__} is no sparse matrix; give one of scipy.sparse, as "
                                "scipy.sparse.csr_array(A) is, or (values, col_idx, row_ptr) with shape=")
            here("A", getattr(A, "data", None))
            if shape is not None and tuple(shape) != A.shape:
                raise _core.Error(f"shape is {tuple(shape)}, of a matrix of {A.shape}; leave it out")
            if A.format != "csr":
                warnings.warn(f"a matrix in {A.format.upper()} form is converted to CSR, and so copied; "
                              "give A.tocsr() where that is meant", ConversionWarning, stacklevel=2)
                A = A.tocsr()
                self.converted = True
            shape = A.shape
            values, col_idx, row_ptr = A.data, A.indices, A.indptr
        self.shape = (int(shape[0]), int(shape[1]))
        self.values = _array("values", values, scalars, copy)
        self.col_idx = _array("col_idx", col_idx, _indices, copy)
        self.row_ptr = _array("row_ptr", row_ptr, _offsets, copy)
        self.dtype = np.dtype(self.values.dtype.name)
        self._types = types(self.dtype, self.row_ptr.dtype)
        self._core = self._types.Matrix(*self.shape, *map(handed, (self.row_ptr, self.col_idx, self.values)))

    @property
    def nnz(self):
        """Entries that are stored."""
        return self.values.size

    def to_scipy(self):
        """A scipy.sparse.csr_array of the same arrays; on a GPU a cupyx.scipy.sparse.csr_matrix."""
        return csr_array((self.values, self.col_idx, self.row_ptr), self.shape)

    def __repr__(self):
        return f"<heddle.Matrix of {self.shape[0]} x {self.shape[1]}, {self.nnz} entries>"


def as_matrix(A):
    """A itself, or the Matrix of what scipy has."""
    return A if isinstance(A, Matrix) else Matrix(A)


def read_matrix_market(path, *, dtype=np.float64):
    """Reads a Matrix Market file, plain or compressed by gzip or xz.

    Symmetric matrices come back whole, columns ascend in each row.

    Returns
    -------
    Matrix
        Its to_scipy() is one of scipy's, of the same arrays.

    Raises
    ------
    heddle.Error
        With file and line of whatever is wrong; repeated entries are, and complex ones of a real dtype.
    """
    rows, columns, row_ptr, col_idx, values = types(dtype).read_matrix_market(os.fspath(path))
    return Matrix(tuple(map(xp.asarray, (values, col_idx, row_ptr))), shape=(rows, columns))


def write_matrix_market(path, A, *, symmetry="general", pattern=False, comment=""):
    """Writes a matrix as a Matrix Market file; a name that ends in .gz or .xz is written compressed.

    Numbers are the shortest decimals that read back as the same bits.

    Parameters
    ----------
    path : str or path
    A : Matrix or scipy.sparse matrix
    symmetry : 'general', 'symmetric' or 'skew-symmetric'
        Other than general: the lower triangle alone, after each entry was compared with its mirror.
    pattern : bool
        Where the entries are, and not their values.
    comment : str
        Written below the header.
    """
    A = as_matrix(A)
    A._types.write_matrix_market(os.fspath(path), A._core, symmetry, pattern, comment)
