# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a build for CPUs: NumPy's. _gpu.py has the same names."""
import numpy as xp

from . import _core

ndarray = xp.ndarray
named = "np"  # its name in messages
_ON_CPU = 1  # DLPack's device of the host


def here(name, x):
    """Throws where x says that it lies on a GPU."""
    if isinstance(x, ndarray):
        return
    device = getattr(x, "__dlpack_device__", None)
    elsewhere = device()[0] != _ON_CPU if device else hasattr(x, "__cuda_array_interface__")
    if elsewhere:
        kind = type(x).__module__.partition(".")[0]
        remedy = {"cupy": f"{name}.get()", "torch": f"{name}.cpu()"}.get(kind, "a copy in the CPU's memory")
        raise _core.Error(f"{name} is on a GPU, and this heddle works on the CPU; give {remedy}")


def lent(x):
    """A NumPy array of the memory of x, or None where x has none to lend, as lists."""
    if hasattr(x, "__dlpack__"):
        return xp.from_dlpack(x)
    try:
        return xp.asarray(memoryview(x))
    except TypeError:
        return None


def ready(x):
    """Whether an array is as the compiled part reads it fastest: without gaps, row after row."""
    return x.flags.carray


def readable_at_once(x):
    """Whether the processor reads entries of x as they are."""
    return x.flags.aligned and x.dtype.isnative


def writeable(x):
    return x.flags.writeable


def handed(x):
    """What the compiled part takes."""
    return x


def on_host(x):
    return x


def same(x, y):
    """Whether two arrays hold the same."""
    return x is y or xp.array_equal(x, y)


def aslinearoperator(operator):
    from scipy.sparse.linalg import aslinearoperator
    return aslinearoperator(operator)


def device_of():
    """Which GPU works now."""


def csr_array(arrays, shape):
    from scipy.sparse import csr_array
    return csr_array(arrays, shape=shape, copy=False)


class _Anywhere:
    __slots__ = ()

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        pass


_anywhere = _Anywhere()


def place(stream, near=None):
    """What calls are made within: on a GPU the device of `near`, and the stream."""
    if stream is not None:
        raise _core.Error("stream is of GPUs, and this heddle works on the CPU; leave stream= out")
    return _anywhere
