# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of others, as NumPy's or, in a build for GPUs, CuPy's of the same memory."""
from importlib import import_module

from . import _core

_build = import_module("._host" if _core.device == "cpu" else "._gpu", __package__)
xp, ndarray, named = _build.xp, _build.ndarray, _build.named
csr_array, handed, here, lent, on_host, place = (
    _build.csr_array, _build.handed, _build.here, _build.lent, _build.on_host, _build.place)
aslinearoperator, device_of, readable_at_once, ready, same, writeable = (
    _build.aslinearoperator, _build.device_of, _build.readable_at_once, _build.ready, _build.same, _build.writeable)


def borrowed(name, x):
    """An array of the memory of x, or None where x has none to lend, as lists."""
    if type(x) is ndarray:
        here(name, x)
        return x
    if hasattr(x, "tocsr"):
        raise TypeError(f"{name} is a sparse matrix; give {name}.toarray()")
    here(name, x)
    return xp.asarray(x) if isinstance(x, ndarray) else lent(x)  # np.matrix becomes the array that it is


def asarray(name, x):
    """As np.asarray, without a copy wherever x lends its memory."""
    found = borrowed(name, x)
    return xp.asarray(x) if found is None else found
