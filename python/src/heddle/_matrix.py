# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices, borrowed from scipy or NumPy, and files of them."""
import operator
import os
import tempfile

import numpy as np

from . import _core
from ._arguments import flag, large_count, warn, word
from ._arrays import borrowed, csr_array, handed, here, readable_at_once, xp
from ._types import holder, known, loses, scalars, types
from ._types import offsets as _offsets
from ._unpicklable import Unpicklable


class ConversionWarning(UserWarning):
    """A matrix was converted to CSR, and so copied."""


def _array(name, array, dtypes, copy, reasons):
    """The array as it is, or its copy, of one dimension and one of these dtypes. Adds why it was copied to the reasons."""
    given, array = array, borrowed(name, array)
    if array is None:
        if not copy:
            raise TypeError(f"{name} is a {type(given).__name__}; give an array of {_any(dtypes)}, an object of DLPack "
                            "or the buffer protocol, or copy=True")
        array = xp.asarray(given)
    if array.ndim != 1:
        raise _core.Error(f"{name} has {array.ndim} dimensions; give one, as {name}.ravel() has")
    if not copy and array.dtype in dtypes and array.flags.c_contiguous and readable_at_once(array):
        return array
    copied = _copied(name, array, dtypes)
    if not copy and dtypes is scalars and loses(array.dtype, copied.dtype):
        raise TypeError(f"{name} holds {array.dtype}, and heddle knows {known}; give {name}.astype(np.{copied.dtype}), or "
                        "copy=True")
    if array.dtype != copied.dtype:
        reasons.append(f"{name} holds {array.dtype}, and heddle needs {copied.dtype}")
    elif not copy:
        reasons.append(f"{name} is not contiguous and aligned")
    return copied


def _any(dtypes):
    return " or ".join(map(str, dtypes))


def _copied(name, array, dtypes):
    if dtypes is scalars:
        return array.astype(holder(name, array.dtype), copy=True)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} holds {array.dtype}; give integers: {name}.astype(np.int32)")
    for dtype in dtypes:
        limits = np.iinfo(dtype)
        if not array.size or (array.max() <= limits.max and array.min() >= limits.min):
            return array.astype(dtype, copy=True)
    raise _core.Error(f"{name} holds numbers beyond {dtypes[-1]}; give a matrix of fewer than 2**31 "
                      "rows and columns")


_indices = (np.dtype(np.int32),)


class Matrix(Unpicklable):
    """A sparse matrix in CSR form, whose arrays are borrowed and not copied.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or (values, col_idx, row_ptr)
        CSR with int32 columns is borrowed, its row pointers of int32 or int64; scalars are those that the
        module was built for (float64; float32, complex64, complex128). What is not so is converted where nothing is
        lost, and so copied, which a ConversionWarning says: other forms than CSR, 64-bit indices that fit, integers as
        values, float32 where only float64 was built, arrays with gaps. Three arrays are those of CSR, in scipy's order,
        and need `shape`: NumPy's, or what lends its memory by DLPack, as PyTorch's tensors do, or by the buffer protocol.
        Rows may be empty, columns unsorted; repeated entries add up. Read-only arrays will do.
    shape : (int, int), optional
        Rows and columns; of a scipy matrix its own.
    copy : bool, optional
        Copy the arrays, and convert them without a warning, also to fewer digits.

    Raises
    ------
    TypeError
        For values that lose digits or an imaginary part, unless `copy`.
    heddle.Error
        For indices beyond int32, for lengths that do not fit each other, and for arrays on a GPU.

    Notes
    -----
    A matrix keeps its arrays, and a plan its matrix. While there is a plan, leave `row_ptr` and `col_idx` as
    they are (sort_indices and sum_duplicates of scipy change them); after changes of `values` call the plan's
    update_values, which follows scipy's matrix where it has new arrays.
    """

    __slots__ = ("_arrays", "_core", "_given", "_types", "converted", "dtype", "shape", "__weakref__")

    def __init__(self, A, shape=None, *, copy=False):
        copy, reasons = flag("copy", copy), []
        if isinstance(A, tuple):
            if len(A) != 3 or shape is None:
                raise TypeError(f"A has {len(A)} parts and shape is {shape}; give Matrix((values, col_idx, row_ptr), "
                                "shape=(rows, columns))")
            arrays, names, self._given = A, ("values", "col_idx", "row_ptr"), None
        else:
            if not hasattr(A, "tocsr"):
                raise TypeError(f"a {type(A).__name__} is no sparse matrix; give one of scipy.sparse, as "
                                "scipy.sparse.csr_array(A) is, or (values, col_idx, row_ptr) with shape=")
            if len(A.shape) != 2:
                raise _core.Error(f"A has the shape {A.shape}; give a matrix, as A.reshape(1, -1) is")
            here("A", getattr(A, "data", None))
            if shape is not None and tuple(shape) != A.shape:
                raise _core.Error(f"shape is {tuple(shape)}, and A has {A.shape}; leave it out")
            given, shape, names = A, A.shape, ("A.data", "A.indices", "A.indptr")
            if A.format != "csr":
                reasons.append(f"A is in {A.format.upper()} form, and heddle works on CSR")
                A = A.tocsr()
            arrays = A.data, A.indices, A.indptr
            self._given = given, arrays
        self.shape = (int(shape[0]), int(shape[1]))
        values = _array(names[0], arrays[0], scalars, copy, reasons)
        before = len(reasons)
        col_idx = _array(names[1], arrays[1], _indices, copy, reasons)
        row_ptr = _array(names[2], arrays[2], _offsets, copy or len(reasons) > before, reasons)  # copied if columns are
        self._arrays = values, col_idx, row_ptr
        self.converted = copy or bool(reasons)
        if reasons and not copy:
            warn(f"the matrix is converted, and so copied: {'; '.join(reasons)}. heddle.Matrix(A, copy=True) does so once "
                 "and without this warning", ConversionWarning)
        self.dtype = scalars[scalars.index(values.dtype)]  # the same object as the dtype of each array, for `is`
        self._types = types(self.dtype, self.row_ptr.dtype)
        self._core = self._types.Matrix(*self.shape, *map(handed, (row_ptr, col_idx, values)), self._arrays)

    @property
    def values(self):
        return self._arrays[0]

    @property
    def col_idx(self):
        return self._arrays[1]

    @property
    def row_ptr(self):
        return self._arrays[2]

    def _current(self):
        """This matrix, or that of the arrays that scipy's has now in place of these."""
        if self._given is None:
            return self
        if self.converted:
            raise _core.Error("the plan's matrix is a converted copy of A; give update_values(A), or for the values of the "
                              "copy itself update_values(plan.matrix)")
        A, arrays = self._given
        return self if all(map(operator.is_, arrays, (A.data, A.indices, A.indptr))) else Matrix(A)

    @property
    def nnz(self):
        """Entries that are stored."""
        return self.values.size

    def to_scipy(self):
        """A scipy.sparse.csr_array of the same arrays; on a GPU a cupyx.scipy.sparse.csr_matrix."""
        return csr_array((self.values, self.col_idx, self.row_ptr), self.shape)

    def __repr__(self):
        return f"<heddle.Matrix of {self.shape[0]} x {self.shape[1]}, {self.nnz} entries of {self.dtype}>"


def as_matrix(A):
    """A itself, or the Matrix of what scipy has."""
    return A if isinstance(A, Matrix) else Matrix(A)


def _path_of(path):
    try:
        return os.fsencode(path)
    except TypeError:
        raise TypeError(f"path is a {type(path).__name__}; give a path, or a file object") from None


def read_matrix_market(path, *, dtype=np.float64, max_bytes=None):
    """Reads a Matrix Market file, plain or compressed by gzip or xz.

    Symmetric matrices come back whole, columns ascend in each row.

    Parameters
    ----------
    path : str, bytes, path, or file object
        What a file object reads is a plain file; gzip.open(path) gives one.
    dtype : dtype
        Of the matrix; a file of complex numbers needs a complex one.
    max_bytes : int, optional
        Bounds the file, its unpacked content and the arrays of the matrix, each alone. By default 256 MiB and 1000
        times the file, so that a header which announces more rows than entries takes no memory without relation to it.

    Returns
    -------
    Matrix
        Its to_scipy() is one of scipy's, of the same arrays.

    Raises
    ------
    heddle.Error
        With file and line of whatever is wrong; repeated entries are, and complex ones of a real dtype.
    """
    part = types(dtype)
    if hasattr(path, "read"):
        text = path.read()
        text = text.encode() if isinstance(text, str) else bytes(text)
        rows, columns, *csr = part.parse_matrix_market(text, str(getattr(path, "name", "file")), _limit(max_bytes, len(text)))
    else:
        path = _path_of(path)
        size = os.path.getsize(path) if os.path.exists(path) else 0
        rows, columns, *csr = part.read_matrix_market(path, _limit(max_bytes, size))
    row_ptr, col_idx, values = map(xp.asarray, csr)
    return Matrix((values, col_idx, row_ptr), shape=(rows, columns))


def _limit(max_bytes, size):
    if max_bytes is None:
        return (256 << 20) + 1000 * size
    if max_bytes == 0:
        raise _core.Error("max_bytes is 0; give a number above it, or leave it out")
    return large_count("max_bytes", max_bytes)


def write_matrix_market(path, A, *, symmetry="general", pattern=False, comment=""):
    """Writes a matrix as a Matrix Market file; a name that ends in .gz or .xz is written compressed.

    Numbers are the shortest decimals that read back as the same bits.

    Parameters
    ----------
    path : str, bytes, path, or file object that takes bytes
    A : Matrix or scipy.sparse matrix
    symmetry : 'general', 'symmetric', 'skew-symmetric' or 'hermitian'
        Other than general: the lower triangle alone, after each entry was compared with its mirror.
    pattern : bool
        Where the entries are, and not their values.
    comment : str
        Written below the header.
    """
    A = as_matrix(A)
    options = word("symmetry", symmetry), flag("pattern", pattern), word("comment", comment)
    if not hasattr(path, "write"):
        return A._types.write_matrix_market(_path_of(path), A._core, *options)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "matrix.mtx")
        A._types.write_matrix_market(_path_of(name), A._core, *options)
        with open(name, "rb") as file:
            path.write(file.read())
