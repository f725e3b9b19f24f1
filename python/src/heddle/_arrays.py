# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of others, as NumPy's of the same memory: by DLPack, the buffer protocol, or NumPy's own ones."""
import numpy as np

from . import _core

_ON_CPU = 1  # of DLPack's devices


def on_cpu(name, x):
    """Throws where x says that it lies on a GPU."""
    if isinstance(x, np.ndarray):
        return
    device = getattr(x, "__dlpack_device__", None)
    elsewhere = device()[0] != _ON_CPU if device else hasattr(x, "__cuda_array_interface__")
    if elsewhere:
        kind = type(x).__module__.partition(".")[0]
        remedy = {"cupy": f"{name}.get()", "torch": f"{name}.cpu()"}.get(kind, "a copy in the CPU's memory")
        raise _core.Error(f"{name} lies on a GPU, and this heddle works on the CPU; give {remedy}")


def borrowed(name, x):
    """A NumPy array of the memory of x, or None where x has none to lend, as lists."""
    on_cpu(name, x)
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    try:
        return np.asarray(memoryview(x))
    except TypeError:
        return None


def asarray(name, x):
    """As np.asarray, without a copy wherever x lends its memory."""
    if isinstance(x, np.ndarray):
        return x
    lent = borrowed(name, x)
    return np.asarray(x) if lent is None else lent
