# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which numbers this build knows: each scalar with offsets of 32 and of 64 bits is a module of _core."""
from functools import cache

import numpy as np

from . import _core

scalars = tuple(np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")
                if hasattr(_core, f"{name}_int32"))
offsets = tuple(np.dtype(name) for name in ("int32", "int64") if hasattr(_core, f"{scalars[0]}_{name}"))
known = ", ".join(map(str, scalars))


@cache
def types(dtype, offsets="int32"):
    """The part of _core for this scalar, with these offsets."""
    found = getattr(_core, f"{np.dtype(dtype)}_{np.dtype(offsets)}", None)
    if found is None:
        raise TypeError(f"{np.dtype(dtype)} is not a scalar of this build of heddle, which has {known}; "
                        "build it with HEDDLE_INSTANTIATE=float,double,cfloat,cdouble, or convert")
    return found


def promoted(dtype, other):
    """A scalar that holds both, or None where this build knows none."""
    return next((one for one in scalars if np.can_cast(dtype, one) and np.can_cast(other, one)), None)


def _bits(dtype):
    return np.finfo(dtype).bits


def holder(name, dtype):
    """The scalar that a copy of this dtype is converted to: itself, a wider one, or the widest that there is."""
    if dtype.kind not in "biufc":
        raise TypeError(f"{name} holds {dtype}; give {known}")
    candidates = [s for s in scalars if (s.kind == "c") == (dtype.kind == "c")]
    if not candidates:
        raise TypeError(f"{name} holds {dtype}; give {known} to this build")
    if dtype.kind in "fc":
        for one in candidates:
            if _bits(one) >= _bits(dtype):
                return one
    return candidates[-1]


def loses(source, target):
    """Whether numbers of one dtype do not fit into another: an imaginary part, or half of the digits."""
    if source.kind in "biu":
        return False
    return (source.kind == "c" and target.kind != "c") or _bits(source) > _bits(target)
