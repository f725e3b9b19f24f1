# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a build for GPUs: CuPy's. _host.py has the same names."""
import cupy as xp

from . import _core

ndarray = xp.ndarray
named = "cupy"
_ON_GPU = (2, 10, 13)  # DLPack's devices: CUDA, HIP, and CUDA's managed memory
_several = xp.cuda.runtime.getDeviceCount() > 1  # with a single GPU no array's device is checked


def here(name, x):
    """Throws where x lies in the CPU's memory, or on a GPU that is not the current one."""
    if isinstance(x, ndarray):
        if not _several:
            return
        current, its = xp.cuda.runtime.getDevice(), x.device.id
        if its != current:
            raise _core.Error(f"{name} is on GPU {its}, and heddle works on GPU {current} here; give a copy on that one, "
                              f"or work within cupy.cuda.Device({its})")
        return
    device = getattr(x, "__dlpack_device__", None)
    if device:
        elsewhere = device()[0] not in _ON_GPU
    else:
        elsewhere = not hasattr(x, "__cuda_array_interface__") and _has_memory(x)
    if elsewhere:
        kind = type(x).__module__.partition(".")[0]
        copy = "cupyx.scipy.sparse.csr_matrix" if name == "A" else "cupy.asarray"
        remedy = f"{name}.cuda()" if kind == "torch" else f"{copy}({name})"
        raise _core.Error(f"{name} is in the CPU's memory, and this heddle works on a GPU; give {remedy}")


def _has_memory(x):
    try:
        memoryview(x)
        return True
    except TypeError:
        return False


def lent(x):
    """A CuPy array of the memory of x, or None where x has none to lend, as lists."""
    if hasattr(x, "__dlpack__"):
        return xp.from_dlpack(x)
    return xp.asarray(x) if hasattr(x, "__cuda_array_interface__") else None


def ready(x):
    """Whether an array is as the compiled part reads it fastest: here, without gaps, row after row."""
    return x.flags.c_contiguous and (not _several or x.device.id == xp.cuda.runtime.getDevice())


def readable_at_once(x):
    return True


def writeable(x):
    return True


def handed(x):
    """What the compiled part takes: the address, and shape and strides."""
    return x.data.ptr, x.shape, x.strides


def on_host(x):
    return x.get()


def same(x, y):
    """Whether two arrays hold the same; waits, unless they are of one memory."""
    return x.size == y.size and (x.data.ptr == y.data.ptr) or bool(xp.array_equal(x, y))


def aslinearoperator(operator):
    from cupyx.scipy.sparse.linalg import aslinearoperator
    return aslinearoperator(operator)


def device_of():
    """Which GPU works now."""
    return xp.cuda.runtime.getDevice()


def csr_array(arrays, shape):
    from cupyx.scipy.sparse import csr_matrix
    return csr_matrix(arrays, shape=shape, copy=False)


class _Place:
    """A device, and a stream of it where one is given, as the current ones."""

    __slots__ = ("_device", "_of", "_stream")

    def __init__(self, device, stream, of):
        self._device, self._stream, self._of = device, stream, of  # _of keeps the stream alive

    def __enter__(self):
        if _several:
            self._device.__enter__()
        if self._stream is not None:
            self._stream.__enter__()

    def __exit__(self, kind, error, trace):
        if self._stream is not None:
            self._stream.__exit__(kind, error, trace)
        if _several:
            self._device.__exit__(kind, error, trace)


def place(stream, near=None):
    """What calls are made within: the device of `near`, and the stream, or CuPy's current ones."""
    device = xp.cuda.Device() if near is None else near.device
    if stream is None and near is not None:  # the stream on which a plan is made outlives it
        return _Place(device, None, xp.cuda.get_current_stream())
    return _Place(device, None if stream is None else _stream_of(stream), stream)


def _stream_of(stream):
    if isinstance(stream, (xp.cuda.Stream, xp.cuda.ExternalStream)):
        return stream
    if isinstance(stream, int):
        return xp.cuda.ExternalStream(stream)
    if hasattr(stream, "__cuda_stream__"):  # (version of the protocol, handle)
        return xp.cuda.ExternalStream(int(stream.__cuda_stream__()[1]))
    if hasattr(stream, "cuda_stream"):  # a stream of PyTorch
        return xp.cuda.ExternalStream(stream.cuda_stream)
    raise TypeError(f"stream is a {type(stream).__name__}; give one of CuPy or PyTorch, or its handle")
