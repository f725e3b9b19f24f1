# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users type as options, and warnings about it at their own line."""
import operator
import os
import sys
import warnings

import numpy as np

from . import _core

_here = os.path.dirname(__file__) + os.sep


def warn(message, category=UserWarning):
    """Warns at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_here):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def count(name, value, least=0, most=2**31 - 1):
    """A whole number: 1e4 is one."""
    if type(value) is not int:
        try:
            value = operator.index(int(value) if isinstance(value, (float, np.floating)) and value == int(value) else value)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{name} is {value!r}; give a whole number") from None
    if not least <= value <= most:
        raise _core.Error(f"{name} is {value}; give a number from {least} to {most}")
    return value


def large_count(name, value):
    return count(name, value, 0, 2**63 - 1)


def number(name, value):
    if isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(value, np.complexfloating):
        return float(value)
    raise TypeError(f"{name} is {value!r}; give a number")


def flag(name, value):
    if isinstance(value, (bool, int, np.bool_, np.integer)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{name} is {value!r}; give True or False")


def word(name, value):
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{name} is {value!r}; give a str")


def words(name, value, known):
    """Some of the known words."""
    try:
        given = [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; give a list of str") from None
    for one in given:
        if one not in known:
            raise _core.Error(f"{name} has {one!r}; give some of {', '.join(map(repr, known))}")
    return given


def numbers(name, value):
    """Whole numbers, one for each row."""
    array = np.asarray(value.get() if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get") else value)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} holds {array.dtype} in {array.ndim} dimensions; give a whole number for each row")
    for one in (array.min(), array.max()) if array.size else ():
        if not -2**31 <= one < 2**31:
            raise _core.Error(f"{name} holds {one}; give numbers of 32 bits")
    return array.tolist()


def coefficient(name, value, dtype):
    """A number that scales vectors of this dtype."""
    if not isinstance(value, (int, float, complex, np.number, np.bool_)):
        value = np.asarray(value)
        if value.shape != () or value.dtype.kind not in "biufc":
            raise TypeError(f"{name} is {value!r}; give a number")
        value = value[()]
    if dtype.kind == "c":
        return complex(value)
    if isinstance(value, (complex, np.complexfloating)):
        raise TypeError(f"{name} is {value}, and the operator is real; give a real number")
    return float(value)


def described(options):
    """Those that have another value than the default, as one would write them; of a list its length."""
    return "".join(f", {name}={f'[{len(value)} numbers]' if isinstance(value, list) else repr(value)}" for name, value in options)
